"""Two texts as they are: what is shown as a difference, what as misread, what as the same."""

from __future__ import annotations

import pytest

from paperless_fingerprint.comparison.diff import compare
from paperless_fingerprint.comparison.relation import read
from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.model import Document

LETTER = """Kestrel Type Foundry Ltd
Unit 9, The Maltings, Norwich NR3 5ZZ

INVOICE KTF-20418
Date of issue: 17 April 2024

Hollin Serif, complete family      3     €84.00    €252.00
Custom ligatures, as agreed        1    €310.00    €310.00
Total due                                          €562.00

Payment is due within thirty days by bank transfer; please quote the invoice number. The licence
covers three named users in one studio and renews itself unless it is can-
celled four weeks before the end of the term. Thank you for setting your work in our type.
"""


def changes(a, b):
    found = compare(read(Document(1, content=a)), read(Document(2, content=b))).changes
    assert ("".join(c.a for c in found), "".join(c.b for c in found)) == (a, b)
    return [c for c in found if not c.same]


def told(a, b):
    """(what a has, what b has, in colour)"""
    return [(c.a.strip(), c.b.strip(), c.matters) for c in changes(a, b)]


@pytest.mark.parametrize(
    ("old", "new", "shown", "about"),
    [
        ("     3     ", "     2     ", ("3", "2"), "number"),
        ("€562.00", "€526.00", ("562.00", "526.00"), "amount"),
        ("€562.00", "-€562.00", ("€", "-€"), "amount"),
        ("€562.00", "$562.00", ("€", "$"), "amount"),
        ("17 April", "18 April", ("17", "18"), "date"),
        ("17 April 2024", "17 April 2025", ("2024", "2025"), "date"),
        ("KTF-20418", "KTF-20418 (corrected on 24 April)",
         ("", "(corrected on 24 April)"), "date"),
        ("three named users", "three users", ("named", ""), "added"),
        ("thirty days", "sixty days", ("thirty", "sixty"), "word"),
    ],
)  # fmt: skip
def test_what_somebody_changed_is_in_colour(old, new, shown, about):
    [change] = changes(LETTER, LETTER.replace(old, new))
    assert ((change.a.strip(), change.b.strip()), change.about) == (shown, about)
    assert change.matters


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("number", "nurnber"), ("Payment", "Payrnent"), ("84.00", "84.O0"),
        ("the term", "theterm"), ("Total due", "TOTAL DUE"), ("transfer;", "transfer,"),
        ("Maltings, ", "Maltings "), ("studio and", "studio ~ and"),
    ],
)  # fmt: skip
def test_what_was_misread_or_only_written_otherwise_is_grey(old, new):
    found = told(LETTER, LETTER.replace(old, new))
    assert found
    assert not any(matters for _, _, matters in found)


@pytest.mark.parametrize(
    "other",
    [
        LETTER.replace("\n", "\n\n"),
        LETTER.replace("can-\ncelled", "cancelled"),
        LETTER.replace("     ", "\t"),
        " ".join(LETTER.replace("can-\ncelled", "cancelled").split()),
    ],
)
def test_line_ends_and_spaces_are_no_difference(other):
    assert told(LETTER, other) == []


def test_a_misread_scan_shows_its_stamp_and_nothing_else_in_colour():
    documents = {document.id: document.content for document in sample_library()}
    found = told(documents[1], documents[2])
    assert [b for _, b, matters in found if matters] == ["EINGEGANGEN 14. Feb. 2024"]
    assert ("79104", "79l04", False) in found


def test_what_stands_elsewhere_is_moved_and_neither_missing_nor_new():
    lines = LETTER.splitlines(keepends=True)
    other = "".join([*lines[5:9], *lines[:5], *lines[9:]])
    found = changes(LETTER, other)
    assert {change.about for change in found} == {"moved"}
    assert "".join(c.a for c in found if c.a).split() == "".join(c.b for c in found if c.b).split()


def test_signs_of_other_alphabets_are_shown_as_they_are():
    a = LETTER.replace("Foundry", "Foundry ﬁne Mu\u0308ller co\u00adop")
    assert told(a, a) == []
    assert told(a, a.replace("ﬁne", "fine").replace("u\u0308", "ü")) == []
