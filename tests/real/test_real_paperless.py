"""What was promised, played against a real Paperless-ngx (see conftest.py)."""

from __future__ import annotations

from paperless_work import LETTER, OTHER, RESCAN
from real_office import RealOffice


def told(office: RealOffice) -> tuple[int, int]:
    """A letter and its re-scan, both come after the first sync and told about."""
    office.sync()
    a, b = office.add(LETTER), office.add(RESCAN)
    office.sync()
    assert office.tags(a) == {"primary"}
    assert office.tags(b) == {"near"}
    assert office.fields(a)["duplicate"] == [b]
    return a, b


def test_the_first_run_writes_nothing_before_somebody_asks(office):
    a, b, c = office.add(LETTER), office.add(RESCAN), office.add(OTHER)
    office.sync()
    office.sync()
    assert [office.tags(id) for id in (a, b, c)] == [set(), set(), set()]
    assert office.apply(dry_run=True).added["tag:near"] == 1
    office.apply()
    assert [office.tags(id) for id in (a, b, c)] == [{"primary"}, {"near"}, set()]
    assert office.fields(b)["duplicate"] == [a]
    assert not office.apply().added


def test_a_deleted_copy_leaves_no_dead_link(office):
    account = office.real.field("Konto", "string")
    a, b = told(office)
    office.bin(b)
    assert office.save(a, account, "DE02") == 400
    c = office.add(RESCAN)
    office.consume(c)
    assert office.fields(c)["duplicate"] == [a]
    office.sync()
    assert office.fields(a)["duplicate"] == [c]
    assert office.save(a, account, "DE02") == 200
    office.restore(b)
    office.sync()
    assert sorted(office.fields(a)["duplicate"]) == [b, c]
    assert office.fields(b)["duplicate"] == [a]
