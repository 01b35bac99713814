"""What was promised, played against a real Paperless-ngx (see conftest.py)."""

from __future__ import annotations

from click.testing import CliRunner
from paperless_work import LETTER, OTHER, RESCAN
from real_office import RealOffice
from test_worker import serving
from waiting import until

from paperless_fingerprint.checkup import paperless as checkup_paperless
from paperless_fingerprint.cli import main


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


def test_what_a_better_token_sees_later_is_no_news(office):
    office.real.user("anna")
    a, b = office.add(LETTER, by="anna"), office.add(RESCAN, by="anna")
    said = [f.message for f in checkup_paperless.examine(office.settings)[0]]
    assert any("sees no document" in message for message in said)
    office.sync()
    assert office.groups() == []
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = office.real.token("anna")
    office.sync()
    office.sync()
    assert office.groups() == [(a, b)]
    assert office.tags(a) == office.tags(b) == set()
    c = office.add(RESCAN, by="anna")
    office.sync()
    assert office.tags(c) == {"near"}


def test_what_was_taken_back_stays_away_beside_a_running_service(office, monkeypatch):
    a, b = told(office)
    with serving(office, paperless_sync_seconds="1", paperless_reconcile_seconds="1") as served:
        until(lambda: served.metric("syncs_total") >= 1, "a sync")
        for name, value in office.environment.items():
            monkeypatch.setenv(name, value)
        done = CliRunner().invoke(main, ["apply", "--remove-all"])
        assert done.exit_code == 0, done.output
        syncs = served.metric("syncs_total")
        until(lambda: served.metric("syncs_total") >= syncs + 3, "three more syncs")
    assert office.tags(a) == office.tags(b) == set()
    assert office.fields(a) == office.fields(b) == {}
    for kind in ("tags", "custom_fields", "saved_views"):
        assert not any(office.real.mark in name for name in office.real.names(kind).values())
