"""Texts without a library: the fingerprint of one, and what two are to each other."""

from __future__ import annotations

from dataclasses import replace

from paperless_fingerprint.comparison.diff import Comparison
from paperless_fingerprint.comparison.diff import compare as compare_readings
from paperless_fingerprint.comparison.relation import read
from paperless_fingerprint.fingerprints import fingerprint as fingerprints
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library.budget import within_budget
from paperless_fingerprint.model import Document, Fingerprint


def fingerprint(text: str, spec: FingerprintSpec | None = None) -> Fingerprint:
    """What is kept of a text so that others like it can be found."""
    return fingerprints.fingerprint(text, spec or FingerprintSpec())


def compare(a: str | Document, b: str | Document) -> Comparison:
    """What two texts or documents are to each other, and why.

    In the result the first is number 1 and the second number 2, whatever their own ids are. A
    library knows more: how rare each word is, and who else resembles one of the two. Two texts of
    more than 400,000 characters are compared by their beginnings.
    """
    one, other = within_budget(_numbered(a, 1), _numbered(b, 2))
    return compare_readings(read(one), read(other))


def _numbered(text: str | Document, id: int) -> Document:
    return Document(id, content=text) if isinstance(text, str) else replace(text, id=id)
