"""A merge that dies between any two requests is gone on with or taken back; and what a plan says of
documents, made of values alone."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from paperless_work import LETTER, OTHER, RESCAN, Office

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.demo.stand_in.fields import create_field, delete_field, set_value
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.integration import undo
from paperless_fingerprint.integration.feedback.tell import tell
from paperless_fingerprint.integration.merging import carry_out
from paperless_fingerprint.integration.merging.plan import (
    Change,
    Choice,
    Loss,
    MergePlan,
    Stay,
    Surroundings,
    Taken,
    make,
)
from paperless_fingerprint.integration.merging.words import Names, in_words
from paperless_fingerprint.paperless.connection import Connection
from paperless_fingerprint.paperless.records import HELD_VALUES, Holding

# --- the plan -------------------------------------------------------------------------------------


def held(id: int, **more: Any) -> Holding:
    values = {name: more.pop(name, None) for name in HELD_VALUES}
    values["title"] = values["title"] or f"letter {id}"
    return Holding(id, values, **more)


def planned(*holdings: Holding, around: Surroundings | None = None, **more: Any) -> MergePlan:
    ids = tuple(each.id for each in holdings)
    more.setdefault("keep", ids[:1])
    trash = tuple(id for id in ids if id not in more["keep"])
    choice = Choice(trash=trash, **more)
    return make({each.id: each for each in holdings}, choice, around or Surroundings())


def test_the_fuller_value_wins_and_nothing_is_overwritten() -> None:
    plan = planned(
        held(1, correspondent=7, tags=(1,)),
        held(2, correspondent=8, document_type=3, created="2024-01-01", tags=(2, 1)),
        held(3, document_type=4, storage_path=5, tags=(3,)),
    )
    assert {(c.key, c.becomes, c.source) for c in plan.changes} == {
        ("document_type", 3, 2), ("created", "2024-01-01", 2), ("storage_path", 5, 3),
    }  # fmt: skip
    assert plan.tags == (2, 3)
    assert Loss(2, "correspondent", 8) in plan.losses
    assert Loss(3, "document_type", 4) in plan.losses


def test_that_nobody_owns_it_is_a_value() -> None:
    assert planned(held(1), held(2, owner=4)).changes == ()
    plan = planned(held(1), held(2, owner=4), take=(Taken("owner", 2),))
    assert plan.changes == (Change("owner", None, 4, 2),)


def test_a_serial_number_moves_only_with_the_document_that_goes() -> None:
    one, other = held(1), held(2, archive_serial_number=0)
    assert planned(one, other).changes == (Change("archive_serial_number", None, 0, 2),)
    stays = Surroundings(edited={2: ("this", "that")})
    plan = planned(one, other, around=stays, take=(Taken("archive_serial_number", 2),))
    assert (plan.changes, plan.trash) == ((), ())
    assert plan.stay == (Stay(2, "edited", "this", "that"),)


def test_links_are_joined_without_what_goes_or_is_gone() -> None:
    around = Surroundings(link_fields=frozenset({5}), linkable=frozenset({8, 9}))
    one, other = held(1, fields={5: [2, 8]}), held(2, fields={5: [1, 8, 9, 77]})
    [change] = planned(one, other, around=around).changes
    assert (change.was, change.becomes, change.had) == ([8], [8, 9], True)
    # Only what led to the one that goes is left: nothing that the other would have to get back.
    [change] = planned(held(1, fields={5: [2]}), other, around=around).changes
    assert (change.was, change.becomes, change.had) == ([], [8, 9], False)


def test_what_is_ours_is_neither_carried_over_nor_part_of_what_was_seen() -> None:
    around = Surroundings(own_tags=frozenset({50}), own_fields=frozenset({60}))
    one = held(1, title="letter")
    ours = {"tags": (50,), "fields": {60: 0.99}, "notes": ("paperless-fingerprint: x",)}
    other = held(2, title="letter", **ours)
    plan = planned(one, other, around=around)
    assert not plan.gives
    assert plan.losses == ()
    bare = {"title": "letter"}
    assert plan.seen == planned(one, held(2, **bare), around=around).seen
    assert plan.seen != planned(one, held(2, tags=(51,), **bare), around=around).seen
    assert plan.seen != planned(one, held(2, content="x", **bare), around=around).seen


def test_what_is_kept_beside_the_first_gives_and_gets_nothing() -> None:
    plan = planned(held(1), held(2, correspondent=4), held(3, tags=(9,)), keep=(1, 2))
    assert (plan.trash, plan.tags, plan.changes) == ((3,), (9,), ())


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"keep": ()}, "must be kept"),
        ({"keep": (1, 1)}, "named twice"),
        ({"take": (Taken("colour", 1),)}, "nothing that a document has"),
        ({"take": (Taken("title", 9),)}, "not among"),
        ({"take": (Taken("tags", 2),)}, "alone"),
        ({"take": (Taken("title", 1), Taken("title", 2))}, "two documents"),
    ],
)
def test_a_choice_that_makes_no_sense(choice, said) -> None:
    with pytest.raises(UsageError, match=said):
        planned(held(1), held(2), **choice)


def test_a_plan_survives_the_audit_log() -> None:
    import json

    around = Surroundings(link_fields=frozenset({5}), linkable=frozenset({9}))
    plan = planned(
        held(1, title="a"), held(2, title="b", fields={5: [9], 6: "x"}, tags=(3,), notes=("n",)),
        around=around,
    )  # fmt: skip
    assert MergePlan.of_json(json.loads(json.dumps(plan.as_json()))) == plan


# --- at any line ----------------------------------------------------------------------------------


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


#: 1 kills at every single request, which takes three minutes.
STRIDE = 3


class KilledError(BaseException):
    """As by kill -9: nothing catches it."""


class Reaper:
    """Kills before or after the n-th request that writes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = -1
        self.after = False
        send = Connection.send

        def sent(connection, method, *told, **named):
            self.left -= 1
            if self.left == 0 and not self.after:
                raise KilledError
            answer = send(connection, method, *told, **named)
            if self.left == 0 and self.after:
                raise KilledError
            return answer

        monkeypatch.setattr(Connection, "send", sent)


def everything(office: Office) -> dict[int, Any]:
    library = office.paperless.library
    with library.lock:
        return {
            row.id: (
                row.title, row.correspondent, row.archive_serial_number, sorted(row.tags),
                sorted(note["note"] for note in row.notes),
                sorted((n, sorted(v) if isinstance(v, list) else v)
                       for n, v in row.custom_fields.items()),
            )
            for row in library.documents.values()
        }  # fmt: skip


def filled(office: Office) -> tuple[int, int, int]:
    """Told about, and with all that people give to documents."""
    library = office.paperless.library
    office.sync()
    other, a = office.add(OTHER), office.add(LETTER)
    b = office.add(RESCAN, title="scan", archive_serial_number=17,
                   tags=[library.add_label("tags", "Steuer").id],
                   correspondent=library.add_label("correspondents", "Werke").id)  # fmt: skip
    see = create_field(library, {"name": "Siehe", "data_type": "documentlink"}).id
    account = create_field(library, {"name": "Konto", "data_type": "string"}).id
    rows = library.documents
    rows[a].custom_fields[account] = None
    rows[b].custom_fields[account] = "DE02"
    with library.lock:
        set_value(library, rows[b], see, [other, a])
    rows[b].notes.append({"id": 1, "note": "Paid.", "created": "2026-01-01", "user": None})
    office.consume(other, a, b)
    office.sync()
    return other, a, b


def worker(office: Office) -> None:
    """What `serve` does by itself: look for changes, and tell what is owed."""
    office.sync()
    with office.open() as place, place.lock.held():
        tell(place, widely=True)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_merge_that_dies_at_any_request_is_finished_and_undone(office, monkeypatch, after):
    _, a, b = filled(office)
    before = everything(office)
    reaper, kills, finished = Reaper(monkeypatch), 0, None
    for number in range(1 + after, 60, STRIDE):
        with office.open() as place, place.lock.held():
            plan = carry_out.preview(place, [a], [b])
            reaper.left, reaper.after = number, after
            try:
                carry_out.merge(place, plan, "test")
            except KilledError:
                kills += 1
        died, reaper.left = reaper.left == 0, -1
        with office.open() as place:
            with place.lock.held():
                carry_out.finish(place)
            assert place.audit.unfinished() == []
        now = everything(office)
        if died and b in now:
            assert now == before  # it died before anything was begun
            continue
        assert now[a][1:3] != (None, None)
        finished = finished or now
        assert now == finished, f"killed at request {number}"
        with office.open() as place:
            undo.undo_last(place)
        worker(office)
        assert everything(office) == before, f"killed at request {number}"
        if not died:
            break
    assert kills > 5


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_merge_that_dies_at_any_request_is_taken_back(office, monkeypatch, after):
    _, a, b = filled(office)
    before = everything(office)
    reaper = Reaper(monkeypatch)
    for number in range(3 + after, 60, STRIDE):
        with office.open() as place, place.lock.held():
            plan = carry_out.preview(place, [a], [b])
            reaper.left, reaper.after = number, after
            with contextlib.suppress(KilledError):
                carry_out.merge(place, plan, "test")
        died, reaper.left = reaper.left == 0, -1
        # Nor does it matter where the taking back dies.
        with office.open() as place:
            reaper.left = number
            with contextlib.suppress(KilledError):
                undo.undo_last(place)
        reaper.left = -1
        with office.open() as place:
            undo.undo_last(place)
            assert place.audit.standing() == []
        worker(office)
        assert everything(office) == before, f"killed at request {number}"
        if not died:
            break
    assert number > 20


def test_what_somebody_changed_since_stays_as_they_made_it(office):
    _, a, b = filled(office)
    library = office.paperless.library
    with office.open() as place, place.lock.held():
        carry_out.merge(place, carry_out.preview(place, [a], [b]), "test")
    row = library.documents[a]
    mine = library.add_label("correspondents", "Mine").id
    row.correspondent = mine
    row.notes.append({"id": 99, "note": "Mine.", "created": "2026-01-01", "user": None})
    with office.open() as place:
        undo.undo_last(place)
    assert row.correspondent == mine
    assert [note["note"] for note in row.notes] == ["Mine."]
    assert row.archive_serial_number is None
    assert library.documents[b].archive_serial_number == 17


def lists_asked_for(office: Office) -> int:
    asked = office.paperless.requests["GET", "/api/custom_fields/"]
    office.paperless.requests.clear()
    return asked


def test_the_list_of_fields_is_asked_for_once_for_many_merges(office):
    _, a, b = filled(office)
    c, d = office.add(LETTER + " Anlage."), office.add(LETTER + " Anlage.")
    office.consume(c, d)
    with office.open() as place, place.lock.held():
        lists_asked_for(office)
        for keep, copy, asked in ((a, b, 1), (c, d, 0)):
            carry_out.merge(place, carry_out.preview(place, [keep], [copy]), "test")
            assert lists_asked_for(office) == asked
    assert {b, d} <= office.paperless.library.trash.keys()


def test_the_list_of_tags_is_asked_for_once(office):
    """For our own labels, and for the names of what is carried over."""
    _, a, b = filled(office)
    with office.open() as place, place.lock.held():
        office.paperless.requests.clear()
        plan = carry_out.preview(place, [a], [b])
        assert any("'Steuer'" in line for line in in_words(plan, Names(place.paperless)))
        carry_out.merge(place, plan, "test")
        assert office.paperless.requests["GET", "/api/tags/"] == 1


def test_what_comes_back_is_not_looked_for_among_all_that_lies_in_the_trash(office):
    """Of thousands that lists all texts, for each document once more."""
    _, a, b = filled(office)
    with office.open() as place, place.lock.held():
        act = carry_out.merge(place, carry_out.preview(place, [a], [b]), "test").number
        office.paperless.requests.clear()
        [done] = (each for each in place.audit.standing() if each.number == act)
        assert carry_out.take_back(place, done, "test") == ((b,), ())
        assert office.paperless.requests["GET", "/api/trash/"] == 0
        # What does not lie there is named, and the others come back.
        library = office.paperless.library
        c = office.add(LETTER)
        trash_document(library, library.documents[c])
        found = place.paperless.restore([c, 999])
    assert (found.done, [each.id for each in found.refused]) == ((c,), [999])
    assert c in library.documents


def test_fields_that_come_and_go_during_many_merges_lose_nothing(office):
    other, a, b = filled(office)
    library = office.paperless.library
    [see] = (n for n, field in library.fields.items() if field.name == "Siehe")
    with office.open() as place:
        place.paperless.fields.known()
        # A field that is younger than the list: its links are taken off, and come back.
        younger = create_field(library, {"name": "Akte", "data_type": "documentlink"}).id
        with library.lock:
            set_value(library, library.documents[b], younger, [other])
        with place.lock.held():
            carry_out.merge(place, carry_out.preview(place, [a], [b]), "test")
        assert b not in library.documents[other].custom_fields[younger]
        # One that is deleted before it is undone: the links in the other one come back all the same.
        place.paperless.fields.known()
        with library.lock:
            delete_field(library, younger)
        undo.undo_last(place)
    assert sorted(library.documents[b].custom_fields[see]) == sorted([other, a])
