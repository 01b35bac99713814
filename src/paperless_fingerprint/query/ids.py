"""`<id>_<overlap>_<probability>` behind FINGERPRINT, SIMILAR and WITHIN, in all forms of an id.

    1234_20_80                                        the Paperless id
    123e4567-e89b-12d3-a456-426614174000_20           the document's UUID
    workspace://SpacesStore/<uuid>_20                 a NODEREF
    https://paperless.example/documents/1234/details_20   the document's address in Paperless

As in Alfresco, what has no other form counts as a UUID; an unknown one finds nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import mark
from paperless_fingerprint.model import MAX_DOCUMENT_ID
from paperless_fingerprint.query.tree import Reference

_ADDRESS = re.compile(r"https?://[^\s?#]*?/documents/(\d{1,20})(?:/details)?/?", re.IGNORECASE)
_NODEREF = re.compile(r"(?!https?:)[a-z]+://[a-z0-9]+/([^_/\s]+)", re.IGNORECASE)
_PLAIN = re.compile(r"[^_\s]+")
_SHARE = re.compile(r"\d{1,3}(?:\.\d{1,10})?")
#: Bytes of a command line that are no UTF-8.
_NO_TEXT = re.compile("[\ud800-\udfff]")
_DIGITS = re.compile(r"[0-9]+")


class IdError(ValueError):
    """Says what is wrong, and where: `offset` characters into what was written."""

    def __init__(self, text: str, offset: int, /, **values: object) -> None:
        super().__init__(_(text, **values))
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Asked:
    source: Reference
    #: From 0 to 1.
    overlap: float | None
    probability: float | None


def parse_likeness(text: str) -> Asked:
    reference, end = _reference(text)
    shares: list[float] = []
    names = (mark("overlap"), mark("probability"))
    while end < len(text):
        if len(shares) == len(names):
            raise IdError("after the probability nothing more is understood", end)
        if text[end] != "_":
            raise IdError(
                "after the document's ID comes '_' and a percentage, not '%(found)s'",
                end,
                found=text[end],
            )
        start, end = end + 1, _end_of_part(text, end + 1)
        shares.append(_share(text[start:end], names[len(shares)], start))
    overlap, probability = (*shares, None, None)[:2]
    return Asked(reference, overlap, probability)


def _reference(text: str) -> tuple[Reference, int]:
    wrong = _NO_TEXT.search(text)
    if wrong:
        raise IdError("this is not text in UTF-8", wrong.start())
    if match := _ADDRESS.match(text):
        return _by_id(match[1]), match.end()
    if match := _NODEREF.match(text):
        return Reference(uuid=match[1].lower()), match.end()
    match = _PLAIN.match(text)
    if not match:
        raise IdError("the ID of a document is missing here, such as 1234", 0)
    name = match[0]
    if "://" in name:
        raise IdError(
            "this is not the address of a document; one looks like https://HOST/documents/1234", 0
        )
    if _DIGITS.fullmatch(name):
        return _by_id(name), match.end()
    return Reference(uuid=name.lower()), match.end()


def _by_id(digits: str) -> Reference:
    # A number that Paperless cannot give is no document's id: 0 is looked for, and not found.
    id = int(digits) if len(digits) < 12 else 0
    return Reference(id=id if id <= MAX_DOCUMENT_ID else 0)


def _end_of_part(text: str, start: int) -> int:
    end = text.find("_", start)
    return len(text) if end < 0 else end


def _share(text: str, name: str, offset: int) -> float:
    if not text:
        raise IdError(
            "after '_' the %(what)s is missing, a percentage such as 20", offset, what=_(name)
        )
    if not _SHARE.fullmatch(text) or float(text) > 100:
        raise IdError(
            "the %(what)s is '%(found)s', but it must be a percentage from 0 to 100",
            offset,
            what=_(name),
            found=text,
        )
    return float(text) / 100
