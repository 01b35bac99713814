"""A page of hits that a term of likeness ranks.

Its candidates come from the store by estimate, best first, in blocks; a block's texts are compared
with the source's, what falls short is dropped, the rest is put in exact order. So ten hits cost
one block of texts, however many candidates there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

from paperless_fingerprint.query.cursor import Cursor
from paperless_fingerprint.query.likeness import (
    VERIFIED_AT_MOST,
    Comparer,
    Term,
    Verified,
    share,
)
from paperless_fingerprint.query.request import Hit, Page, Request, hit_of
from paperless_fingerprint.query.searcher import Found, Place, Searcher
from paperless_fingerprint.query.sorting import in_order, is_behind
from paperless_fingerprint.query.tree import Node

#: Verified at once for a short page; within a block the order is exact. The smallest that is a
#: fifth larger than the page, or the largest.
BLOCKS = (12, 32, 64)
#: Texts read for one short page. Where so many candidates fall short, or all of a block after some
#: hits, the page ends before it is full and the next one goes on from there. A query with a
#: probability asks for speed, so fewer are read for it.
PAGE_CHARACTERS = 150_000
QUICK_PAGE_CHARACTERS = 60_000


def ranked_page(
    searcher: Searcher,
    comparer: Comparer,
    term: Term,
    rest: Node | None,
    request: Request,
    deadline: float,
) -> Page:
    size = _block_size(request)
    is_short = size in BLOCKS

    def candidates(after: Place | None, until: Place | None = None) -> Iterator[Found]:
        step = size if is_short else None
        return searcher.candidates(
            term.query, rest, request.scope, after=after, until=until, step=step
        )

    cursor = Cursor.read(request.after, request.query, request.sort)
    start, end, last = cursor.start, cursor.end, cursor.last
    examined, skip = cursor.examined, request.offset
    page = Page([], total=cursor.hits)
    budget = _budget(request, term) if is_short else math.inf
    coming = candidates(start, end)
    while True:
        found = list(coming) if end is not None else list(islice(coming, size))
        verified, characters = comparer.verified(term, found, request.scope, deadline)
        block = in_order(verified, term, request.sort)
        budget -= characters
        page.total += len(block)
        shown = [one for one in block if last is None or is_behind(one[0], last, request.sort)]
        hidden, skip = shown[:skip], max(0, skip - len(shown))
        shown = shown[len(hidden) :]
        room = None if request.limit is None else request.limit - len(page.hits)
        taken = shown if room is None else shown[:room]
        page.hits += [_hit(one, term) for _, one in taken]
        # A resumed block ends where it ended before, and what was written since joins it.
        stop = end or (found[-1].place if found else start)
        was_last = end is None and (size is None or len(found) < size)
        final = was_last or (end is not None and cursor.final)
        if len(taken) < len(shown):
            place = taken[-1][0] if taken else last
            counted = page.total - len(block)
            page.cursor = Cursor(start, stop, place, examined, counted, final)
            page.complete = final
            return page
        examined += len(found)
        if end is not None:
            coming = candidates(stop)
        start, end, last = stop, None, None
        if was_last:
            return page
        if not request.verify_all and examined >= VERIFIED_AT_MOST:
            page.complete, page.capped = False, True
            return page
        is_vain = is_short and page.hits and not block and not request.verify_all
        if (room is not None and len(taken) >= room) or budget <= 0 or is_vain:
            page.cursor = Cursor(start, None, None, examined, page.total)
            page.complete = False
            return page


def _block_size(request: Request) -> int | None:
    if request.verify_all and (request.limit is None or request.sort != "best"):
        return None
    wanted = None if request.limit is None else request.offset + request.limit
    if request.sort != "best" or wanted is None or wanted > BLOCKS[-1]:
        return VERIFIED_AT_MOST
    return next(size for size in BLOCKS if wanted * 6 <= size * 5 or size == BLOCKS[-1])


def _budget(request: Request, term: Term) -> float:
    if request.verify_all:
        return math.inf
    return PAGE_CHARACTERS if term.alike.probability is None else QUICK_PAGE_CHARACTERS


def _hit(one: Verified, term: Term) -> Hit:
    score = share(one.figures, term.alike.likeness) * term.alike.boost
    return hit_of(one.row, one.figures, round(score, 6))
