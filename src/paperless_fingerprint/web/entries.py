"""Entries of the list as pages write them: kept, since a page of them takes longer than all around it.

All of an entry is made anew with the entry itself, as soon as anything has changed that hangs
together with it (catalogue.patched). So what was written about the very same object still holds,
and for everybody who sees that one; of whom a part is hidden, that person sees another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from markupsafe import Markup, escape
from starlette.requests import Request

from paperless_fingerprint.languages import locale
from paperless_fingerprint.review.queue import concerning, item_of
from paperless_fingerprint.review.queue_entry import QueueEntry
from paperless_fingerprint.review.visible import Sight
from paperless_fingerprint.web.rendering import filled, pages, part, percent, words
from paperless_fingerprint.web.sign_in import Visit

#: Documents of each; there are more only on the page of the entry itself.
_CARDS = 4
#: In what is kept; they are in no text, because those are escaped.
_QUERY, _NEXT = Markup("<?"), "<!>"


def written(
    request: Request, visit: Visit, sight: Sight, entries: Sequence[QueueEntry], how: str,
    query: str = "",
) -> Markup:  # fmt: skip
    """`how`: as which of the templates list_*.html; `query`: for the links of the entries."""
    review, may_decide = visit.review, visit.person.may_decide
    waiting = review.journal.waiting_about()
    readers = how, may_decide, locale(), str(request.scope.get("root_path", ""))

    def kept(entry: QueueEntry) -> str | None:
        of, text = review.rows.get((id(entry), readers)) or (None, None)
        return text if of is entry and not concerning(waiting, entry) else None

    texts = [kept(entry) for entry in entries]
    places = [place for place, text in enumerate(texts) if text is None]
    items = [
        item_of(review.mirror, sight, entries[place], waiting, cards=_CARDS) for place in places
    ]
    if items:
        made = filled(
            request, f"list_{how}.html", items=items, may_decide=may_decide,
            # Of two hundred rows most say the same in these.
            badge=cache(part("relation")), size_of=cache(_size), pages_of=cache(pages),
            percent_of=cache(percent),
        ).split(_NEXT)  # fmt: skip
        for place, item, text in zip(places, items, made, strict=False):
            texts[place] = text
            if not item.waiting:
                review.rows.put((id(entries[place]), readers), (entries[place], text))
    return Markup("".join(map(str, texts))).replace(_QUERY, escape(query))  # noqa: S704


def _size(kind: str, size: int) -> str:
    """Where it says more than the badge does."""
    return words().n(f"item.size.{kind}", size) if kind in {"group", "versions"} else ""
