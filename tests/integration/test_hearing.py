"""What a person says in Paperless is heard, and nothing that nobody said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner
from paperless_work import LETTER, OTHER, RESCAN, Office

from paperless_fingerprint.cli import main
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.integration import sync as syncing
from paperless_fingerprint.integration.feedback import listen
from paperless_fingerprint.integration.feedback.ledger import ADDING, REMOVING, Mark
from paperless_fingerprint.library import decisions as decisions_made
from paperless_fingerprint.model import Relation, Verdict
from paperless_fingerprint.review.apply import do
from paperless_fingerprint.review.journal import DecisionStep

NEAR, EXACT, PRIMARY = "Duplicate (near)", "Duplicate (exact)", "Has duplicates"
NOT = "Not a duplicate"


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def decisions(office: Office) -> set[tuple]:
    with office.open() as place:
        assert all(d.by == "Paperless" for d in place.store.decisions())
        return {(d.a, d.b, d.verdict, d.relation) for d in place.store.decisions()}


DISMISSED = Verdict.DISMISSED


def test_a_tag_taken_off_dismisses_and_the_pair_never_comes_back(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    office.take_off(b, NEAR)
    assert office.sync(reconcile=False).heard == 1
    assert decisions(office) == {
        (a, b, DISMISSED, Relation.EXACT),
        (a, b, DISMISSED, Relation.NEAR),
    }
    assert office.groups() == []
    assert office.tags(a) == office.tags(b) == set()
    assert office.fields(a) == office.fields(b) == {}
    office.consume(a, b)
    from paperless_fingerprint.library.analysis import analyse
    from paperless_fingerprint.progress import Silent

    with office.open() as place:
        analyse(place.store, place.settings, Silent(), full=True)
    office.apply()
    assert office.groups() == []
    assert office.tags(b) == set()


def test_present_members_only_and_not_through_a_third(office):
    a, b, c = office.add(LETTER), office.add(RESCAN), office.add(LETTER)
    office.consume(a, b, c)
    assert office.groups() == [(a, b, c)]
    office.take_off(b, NEAR)
    office.sync()
    assert office.groups() == [(a, c)]
    later = office.add(RESCAN)
    office.consume(later)
    # It is a copy of b as well as of the others; they stay apart all the same.
    assert {later, b} <= set(next(g for g in office.groups() if later in g)) or (
        office.groups() == [(a, c, later)]
    )
    assert not any({a, b} <= set(group) or {b, c} <= set(group) for group in office.groups())


def test_the_tag_not_a_duplicate_dismisses_every_relation(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    office.put_on(b, NOT)
    office.sync(reconcile=False)
    assert decisions(office) == {(a, b, DISMISSED, None)}
    assert office.groups() == []
    assert office.tags(b) == {NOT}
    assert office.tags(a) == set()


def test_not_a_duplicate_is_heard_once_each_time_it_is_put_on(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    office.put_on(b, NOT)
    office.sync()
    c = office.add(RESCAN)
    office.consume(c)
    assert office.groups() == [(a, c)] or office.groups() == [(b, c)]
    office.sync()
    assert len(decisions(office)) == 1
    office.take_off(b, NOT)
    office.sync()
    office.put_on(b, NOT)
    office.sync()
    assert all(b not in group for group in office.groups())


def test_not_a_duplicate_on_a_document_that_has_just_come(office):
    a = office.add(LETTER)
    office.consume(a)
    b = office.add(RESCAN, tags=[office.tag_id(NOT)])
    office.consume(b)
    assert office.groups() == []
    assert office.tags(b) == {NOT}
    assert office.tags(a) == set()


def test_the_primary_s_tag_speaks_of_its_group(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    office.take_off(a, PRIMARY)
    office.sync()
    assert office.groups() == []
    assert office.tags(b) == set()


def test_apply_hears_before_it_writes(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    office.take_off(b, NEAR)
    office.apply()
    assert office.tags(b) == set()
    assert len(decisions(office)) == 2


def test_consuming_hears_too(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    office.take_off(b, NEAR)
    office.consume(b)
    assert office.groups() == []


@pytest.mark.parametrize("state", [ADDING, REMOVING])
def test_a_write_that_was_cut_off_is_nobody_s_answer(office, state):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    with office.open() as place:
        place.ledger.put([(b, "tag:near", Mark(office.tag_id(NEAR)), state)])
    office.take_off(b, NEAR)
    office.sync()
    assert decisions(office) == set()
    office.apply()
    assert office.tags(b) == {NEAR}


def test_what_was_read_before_we_wrote_is_nobody_s_answer(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a)
    with office.open() as place:
        old = {b: ()}  # read before the tag was there
        office.consume(b)
        with place.lock.held():
            assert listen.hear(place, old) == []
    assert decisions(office) == set()
    assert office.tags(b) == {NEAR}


def test_a_restored_document_said_nothing(office):
    from paperless_fingerprint.demo.stand_in.documents import trash_document

    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    library = office.paperless.library
    trash_document(library, library.documents[b])
    office.apply()
    office.sync()
    library.documents[b] = library.trash.pop(b)
    library.touch(library.documents[b])
    office.sync()
    assert decisions(office) == set()
    assert office.groups() == [(a, b)]


def test_a_changed_text_takes_our_tag_off_and_says_nothing(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    library = office.paperless.library
    with library.lock:
        library.documents[b].content = OTHER
        library.touch(library.documents[b])
    office.sync()
    office.sync()
    assert decisions(office) == set()


def test_an_earlier_confirmation_gives_way(office):
    from paperless_fingerprint.model import Decision

    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    with office.open() as place:
        place.store.put_decision(Decision(a, b, Verdict.CONFIRMED, "2026-01-01", by="Paperless"))
    office.take_off(b, NEAR)
    office.sync()
    office.consume(a, b)
    assert office.groups() == []


def test_killed_between_hearing_and_the_rest_it_is_heard_again(office, monkeypatch):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    office.take_off(b, NEAR)

    class Killed(BaseException):
        pass

    def die(*_args, **_named):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(decisions_made.regroup, "refresh", die)
        with pytest.raises(Killed), office.open() as place:
            syncing.sync(place)
    office.sync()
    assert office.groups() == []
    assert office.tags(a) == office.tags(b) == set()
    assert len(decisions(office)) == 2


def by_page(office, a, b):
    with office.open() as place:
        do(place.store, place.settings, DecisionStep("dismiss", a, (b,)), "Erika")


def by_command(office, a, b):
    done = CliRunner().invoke(main, ["dismiss", str(a), str(b)], env=office.environment)
    assert done.exit_code == 0, done.output


def by_tag(office, a, b):
    office.put_on(b, NOT)
    office.sync(reconcile=False)


def test_a_dismissal_is_the_same_whichever_way_it_came(tmp_path, stand_in):
    offices = {}
    a, b = stand_in.library.add(LETTER).id, stand_in.library.add(RESCAN).id
    for way in (by_command, by_page, by_tag):
        (tmp_path / way.__name__).mkdir()
        office = offices[way] = Office(tmp_path / way.__name__, stand_in)
        office.consume(a, b)
        with office.open() as place:
            decisions_made.confirm(place.store, place.settings, a, b, by="Otto")
    found = []
    for way, office in offices.items():
        way(office, a, b)
        with office.open() as place:
            said = [replace(d, at="", by="") for d in place.store.decisions()]
            found.append((said, office.pairs(), office.groups(), sorted(place.ledger.owed())))
    decision = found[0][0][0]
    assert decision.facts_a
    assert decision.facts_b
    assert [each[:3] for each in found] == [([decision], {}, [])] * 3
    # Paperless is told by the next that runs, also of what was said on the command line.
    assert found[0][3] == [a, b]
