"""What the documents of the sample library are meant to be to each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from paperless_fingerprint.demo.library import catalogue, sample_library
from paperless_fingerprint.model import Document, Relation


def sample_truth() -> dict[tuple[int, int], Relation]:
    """What each pair is meant to be, lower id first.

    A pair that is not named has nothing to do with each other, or holds no text that could say so.
    """
    entries = {entry["id"]: entry for entry in catalogue()["document"]}
    origins = {id: entries[entry.get("like", id)] for id, entry in entries.items()}
    works = {id: origin.get("work", origin["text"]) for id, origin in origins.items()}
    truth: dict[tuple[int, int], Relation] = {}
    for a, b in combinations(sample_library(), 2):
        if works[a.id] == works[b.id]:
            same = a.checksum == b.checksum or _words(a) == _words(b)
            truth[a.id, b.id] = Relation.EXACT if same else Relation.NEAR
        # Works of one text are forms of one kind.
        elif origins[a.id]["text"] and origins[a.id]["text"] == origins[b.id]["text"]:
            truth[a.id, b.id] = Relation.TEMPLATE
    # After the forms, because versions are written as edits of one text and would count as such.
    for pairs, relation in _declared():
        for left, right in pairs:
            for ids in product(works, works):
                if (works[ids[0]], works[ids[1]]) == (left, right):
                    truth[min(ids), max(ids)] = relation
    return dict(sorted(truth.items()))


def _declared() -> Iterator[tuple[Iterable[tuple[str, str]], Relation]]:
    told = catalogue()
    for entry in told["versions"]:
        yield combinations(entry["works"], 2), Relation.VERSION
    for entry in told["contains"]:
        yield [(entry["whole"], part) for part in entry["parts"]], Relation.CONTAINS
    for entry in told["translations"]:
        yield combinations(entry["works"], 2), Relation.SEMANTIC


def _words(document: Document) -> str:
    letters = (c if c.isalnum() else " " for c in document.content.casefold())
    return " ".join("".join(letters).split())
