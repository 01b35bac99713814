"""Documents that may be like a source, from the posting lists of its hashes."""

from __future__ import annotations

import sqlite3

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.candidates.rules import shared_hashes
from paperless_fingerprint.query.plan import SketchQuery
from paperless_fingerprint.query.searcher import Found
from paperless_fingerprint.stores.sqlite import postings
from paperless_fingerprint.stores.sqlite.postings import Ids

Floats = npt.NDArray[np.float64]

#: How far posting lists are read at first; each further round reads four times as far.
_FIRST_READ = 128


def scored(query: SketchQuery, rows: list[tuple[int, int, int, bytes]]) -> list[Found]:
    """Counted again on the whole hashes: a posting holds 31 bits of each."""
    found: list[Found] = []
    for group in query.groups:
        own = [row for row in rows if row[1] in group.levels]
        counts = shared_hashes(query.hashes[: group.asked], [row[3] for row in own])
        for (id, _level, shingles, _sketch), matches in zip(own, counts, strict=True):
            score = matches * group.weight / (max(shingles, 1) if query.per_shingle else 1)
            if matches >= group.minimum and score >= group.least_score:
                found.append(Found(id, score, score=score))
    return found


def likely(connection: sqlite3.Connection, query: SketchQuery) -> tuple[Ids, Floats]:
    """Documents that may have the minimum of matches of one of the groups, best first.

    And how high the score of each can be at most: which group it belongs to is not known yet.
    """
    lists, whole = _read(connection, query, (query.hashes >> np.uint64(33)).tolist())
    found: list[Ids] = []
    scores: list[Floats] = []
    for group in query.groups:
        read = [ids for ids, w in zip(lists, whole[: group.asked], strict=False) if w]
        if not read:
            continue
        unread = group.asked - len(read)
        ids, times = np.unique(np.concatenate(read), return_counts=True)
        enough = times >= group.minimum - unread
        found.append(ids[enough])
        scores.append((times[enough] + unread).astype(np.float64) * group.weight)
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    ids, bounds = np.concatenate(found), np.concatenate(scores)
    order = np.lexsort((ids, -bounds))
    ids, bounds = ids[order], bounds[order]
    _, first = np.unique(ids, return_index=True)
    first.sort()
    return ids[first], bounds[first]


def _read(
    connection: sqlite3.Connection, query: SketchQuery, prefixes: list[int]
) -> tuple[list[Ids], npt.NDArray[np.bool_]]:
    """The posting lists, and which of them are whole.

    Whoever has m of k matches stands in one of any k - m + 1 lists. So the longest need not be
    read, and they are most of the work. Up to three quarters of the minimum are left out: with more
    of them a document met in one list alone would have to be looked at.
    """
    lists = [np.empty(0, np.int64)] * len(prefixes)
    whole = np.zeros(len(prefixes), np.bool_)
    limit = _FIRST_READ
    while not whole.all():
        places = np.flatnonzero(~whole).tolist()
        read = postings.lists(connection, "posting", [prefixes[place] for place in places], limit)
        for place, ids in zip(places, read, strict=True):
            lists[place] = np.array(ids, np.int64)
            whole[place] = len(ids) < limit
        if all(
            group.asked - np.count_nonzero(whole[: group.asked]) <= (group.minimum - 1) * 3 // 4
            for group in query.groups
        ):
            break
        limit *= 4
    return lists, whole


def number_of_documents(connection: sqlite3.Connection) -> int:
    """From FTS5's own record, where it stands first: counting rows would read all of them."""
    found = connection.execute("SELECT block FROM words_data WHERE id = 1").fetchone()
    number = 0
    for octet in found[0] if found else b"":
        number = number << 7 | octet & 0x7F
        if octet < 0x80:
            break
    return number
