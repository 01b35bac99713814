"""Links in our fields that lead to documents which are no longer there.

Paperless sets the back link of each link itself, does not take it off when the other side goes to
the trash, and refuses from then on every change of that document's custom fields, by anybody. So
what is dead is never sent, and is taken off wherever it is met.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback.labels import LINKS, Labels
from paperless_fingerprint.integration.feedback.ledger import REMOVING, Mark
from paperless_fingerprint.paperless.client import BulkResult, PaperlessClient
from paperless_fingerprint.paperless.refusals import DeniedError, RefusedError

#: (document, field) → where the links lead.
Links = dict[tuple[int, int], list[int]]


def numbers_of(value: Any) -> list[int]:
    return [n for n in value if type(n) is int] if isinstance(value, list) else []


def targets_of(mark: Mark) -> list[int]:
    return numbers_of(json.loads(mark.value or "[]"))


def fields_of(labels: Labels) -> list[int]:
    return [labels.fields[kind] for kind in LINKS if kind in labels.fields]


def dead(
    paperless: PaperlessClient, fields: Collection[int], holders: Collection[int] | None = None
) -> Links:
    """Where a value in these fields leads to something that is gone; with what is left of it."""
    found: Links = {}
    if holders is None:
        for field in fields:
            for id, value in paperless.with_field(field).items():
                found[id, field] = numbers_of(value)
    elif fields:
        for id, (_, values) in paperless.tags_and_fields(holders).items():
            for field in fields:
                found[id, field] = numbers_of(values.get(field))
    gone = paperless.gone_ids({target for value in found.values() for target in value})
    return {
        key: [n for n in value if n not in gone]
        for key, value in found.items()
        if not gone.isdisjoint(value)
    }


def clear(
    place: Workplace, holders: Collection[int] | None = None, labels: Labels | None = None
) -> None:
    """Take off what is dead, on these documents or on all."""
    if not place.settings.paperless.write:
        return
    fields = fields_of(labels or place.labels.get(create=False))
    batches: defaultdict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
    for (id, field), left in dead(place.paperless, fields, holders).items():
        batches[field, tuple(left)].append(id)
    for (field, kept), ids in batches.items():
        if kept:
            place.paperless.modify_custom_fields(ids, values={field: list(kept)})
        else:
            place.paperless.modify_custom_fields(ids, remove=[field])


def clear_empty(paperless: PaperlessClient, field: int, holders: Collection[int]) -> BulkResult:
    """What a link that was taken off has left on its other end."""
    found = paperless.tags_and_fields(holders)
    empty = [id for id, (_, values) in found.items() if field in values and not values[field]]
    return paperless.modify_custom_fields(empty, remove=[field]) if empty else BulkResult()


def let_go(place: Workplace, ids: Collection[int], around: Collection[int]) -> None:
    """These are gone from Paperless: nothing leads to them any more. `around` is what they were
    connected with. Should they come back, their own links are written anew."""
    marks = _to_write_anew(place, ids)
    holders = {*around, *(n for mark in marks for n in targets_of(mark))} - set(ids)
    if holders:
        clear(place, holders)


def _to_write_anew(place: Workplace, ids: Collection[int]) -> list[Mark]:
    rows = [
        (id, kind, written.mark, REMOVING)
        for id, kinds in place.ledger.rows(ids).items()
        for kind, written in kinds.items()
        if kind.startswith("link:")
    ]
    place.ledger.put(rows)
    return [mark for _, _, mark, _ in rows]


def links_of(place: Workplace, id: int) -> dict[int, list[int]]:
    """All links of one document, in our fields and in people's: field → targets."""
    _, values = place.paperless.tags_and_fields([id]).get(id, ((), {}))
    fields = link_fields(place.paperless, values)
    found = {field: numbers_of(value) for field, value in values.items() if field in fields}
    return {field: value for field, value in found.items() if value}


def link_fields(paperless: PaperlessClient, met: Iterable[int]) -> set[int]:
    """All of Paperless, those that were met on documents among them."""
    try:
        known = paperless.fields.known(met)
        return {n for n, field in known.items() if field.data_type == "documentlink"}
    except DeniedError as error:
        if error.status != 403:
            raise
        return set()  # works without: `doctor` says which permission is missing


def of_people(
    place: Workplace, id: int, links: Mapping[int, Sequence[int]]
) -> dict[str, list[int]]:
    """Those of a document's links that are not ours, and would not be written anew by themselves."""
    ours = {
        (written.mark.number, target if holder == id else holder)
        for holder, kinds in place.ledger.rows({id, *_all(links)}).items()
        for kind, written in kinds.items()
        if kind.startswith("link:")
        for target in targets_of(written.mark)
        if id in {holder, target}
    }
    found = {str(f): [n for n in value if (f, n) not in ours] for f, value in links.items()}
    return {field: value for field, value in found.items() if value}


def take_off(place: Workplace, id: int, links: Mapping[int, Sequence[int]]) -> None:
    """Before a document goes to the trash; Paperless takes the back links off with them."""
    _to_write_anew(place, [id])
    if links:
        place.paperless.modify_custom_fields([id], remove=links)
        clear_ends(place, _all(links))


def clear_ends(place: Workplace, holders: Collection[int]) -> None:
    """Where our links led that were taken off: an empty field of ours says nothing."""
    for field in fields_of(place.labels.get()) if holders else ():
        clear_empty(place.paperless, field, holders)


def put_back(place: Workplace, id: int, links: Mapping[str, Sequence[int]]) -> None:
    """After a document came out of the trash; without what is gone since."""
    there = place.paperless.changeable_ids(_all(links))
    values = {int(field): [n for n in value if n in there] for field, value in links.items()}
    values = {field: value for field, value in values.items() if value}
    try:
        _put(place, id, values)
    except RefusedError:  # a field was deleted since it was seen
        place.paperless.fields.forget()
        _put(place, id, values)


def _put(place: Workplace, id: int, values: Mapping[int, Sequence[int]]) -> None:
    known = link_fields(place.paperless, values) if values else ()
    found = {field: value for field, value in values.items() if field in known}
    if found:
        place.paperless.modify_custom_fields([id], values=found)


def _all(links: Mapping[Any, Sequence[int]]) -> set[int]:
    return {n for value in links.values() for n in value}
