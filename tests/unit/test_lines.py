"""Differences as lines side by side: what faces what, and what is folded."""

from __future__ import annotations

from types import SimpleNamespace

from paperless_fingerprint.comparison.diff import compare
from paperless_fingerprint.comparison.relation import read
from paperless_fingerprint.model import Document
from paperless_fingerprint.review.differences import segments_of
from paperless_fingerprint.review.lines import blocks_of, rows_of, with_facts

LINES = [f"line number {n} of a text that goes on about {n} things\n" for n in range(40)]


def segments(a, b):
    return segments_of(compare(read(Document(1, content=a)), read(Document(2, content=b))).changes)


def sides(row):
    return "".join(s.a for s in row.segments), "".join(s.b for s in row.segments)


def test_a_line_faces_its_like():
    other = [*LINES[:20], "another sentence altogether, as one may see\n", *LINES[21:]]
    rows = list(rows_of(segments("".join(LINES), "".join(other))))
    assert [sides(row) for row in rows] == list(zip(LINES, other, strict=True))
    assert [number for number, row in enumerate(rows) if row.kind == "changed"] == [20]


def test_unchanged_lines_are_folded_and_two_stay_beside_a_difference():
    other = [*LINES[:20], "another sentence altogether, as one may see\n", *LINES[21:]]
    blocks = blocks_of(segments("".join(LINES), "".join(other)))
    assert [(block.folded, block.lines) for block in blocks] == [
        ("same", 18), ("", 5), ("same", 17),
    ]  # fmt: skip
    assert "".join(sides(row)[1] for block in blocks for row in block.rows) == "".join(other)


def test_a_page_that_one_text_has_alone_is_folded_after_its_beginning():
    whole = "".join(LINES)
    blocks = blocks_of(segments("".join(LINES[:5]).rstrip("\n"), whole))
    assert [(block.folded, block.lines) for block in blocks] == [
        ("", 13), ("b", 25), ("", 2),
    ]  # fmt: skip
    assert "".join(sides(row)[1] for block in blocks for row in block.rows) == whole


def test_pages_that_have_nothing_in_common_are_folded_one_after_the_other():
    other = "".join(f"etwas ganz anderes, nämlich Zeile Nummer {n}\n" for n in range(900, 940))
    found = segments("".join(LINES), other)
    blocks = blocks_of(found)
    assert {block.folded for block in blocks} == {"", "a", "b"}
    shown = [sides(row) for block in blocks for row in block.rows]
    assert ["".join(texts) for texts in zip(*shown, strict=True)] == ["".join(LINES), other]


def test_a_paragraph_that_is_broken_otherwise_is_one_row():
    other = "".join(LINES).replace("\n", " ", 3)
    first = next(iter(rows_of(segments("".join(LINES), other))))
    assert [len(text.splitlines()) for text in sides(first)] == [4, 1]


def test_a_text_without_line_ends_is_cut_after_sentences():
    text = " ".join(f"This is sentence number {n}, and it says so." for n in range(200))
    rows = list(rows_of(segments(text, text.replace("number 150,", "number 151,"))))
    assert len(rows) > 10
    assert max(len(sides(row)[0]) for row in rows) < 2500
    assert any(block.folded for block in blocks_of(segments(text, text)))


def test_what_is_the_same_is_kept_once_and_what_moved_says_so():
    pieces = [("a ", "a\n", True, ""), ("x", "", False, "moved"), ("x", "y", False, "word")]
    given = [
        SimpleNamespace(a=a, b=b, same=same, about=about, matters=False)
        for a, b, same, about in pieces
    ]
    found = segments_of(given)
    assert [s.kind for s in found] == ["same", "moved", "changed"]


def test_facts_are_found_within_a_line():
    parts = with_facts("Total due €562.00 by 3 May 2024.")
    assert "".join(text for text, _ in parts) == "Total due €562.00 by 3 May 2024."
    assert [(text, kind) for text, kind in parts if kind] == [
        ("562.00", "total"), ("3 May 2024", "date"),
    ]  # fmt: skip
