"""What a query means, and where it is wrong."""

from __future__ import annotations

import contextlib

import pytest

from paperless_fingerprint.query.language import MAX_CLAUSES, QueryError, parse
from paperless_fingerprint.query.tree import (
    Alike,
    And,
    Attribute,
    Between,
    Everything,
    Filled,
    Likeness,
    Not,
    Or,
    Pattern,
    Reference,
    Span,
    TextField,
    Words,
)

NOWHERE = Span(0, 0)
UUID = "123e4567-e89b-12d3-a456-426614174000"


def bare(node):
    """The tree without the places, which would make every expectation unreadable."""
    match node:
        case And(parts):
            return And(tuple(bare(part) for part in parts))
        case Or(parts):
            return Or(tuple(bare(part) for part in parts))
        case Not(part):
            return Not(bare(part))
    fields = {name: getattr(node, name) for name in type(node).__slots__}
    return type(node)(**{**fields, "span": NOWHERE})


def word(*words: str, field: TextField = TextField.ANY, boost: float = 1.0) -> Words:
    return Words(field, words, NOWHERE, boost)


def between(attribute: Attribute, low, high) -> Between:
    return Between(attribute, low, high, NOWHERE)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Rechnung", word("rechnung")),
        ("a b", And((word("a"), word("b")))),
        ("a AND b", And((word("a"), word("b")))),
        ("a OR b AND c", Or((word("a"), And((word("b"), word("c")))))),
        ("(a OR b) c", And((Or((word("a"), word("b"))), word("c")))),
        ("a NOT b", And((word("a"), Not(word("b"))))),
        ("a -b +c", And((word("a"), Not(word("b")), word("c")))),
        ("a OR +b", word("b")),
        ("NOT NOT -a", Not(word("a"))),
        ("(a b) (c d)", And(tuple(word(w) for w in "abcd"))),
        ("a OR b OR -c", And((Not(word("c")), Or((word("a"), word("b")))))),
        ("a OR NOT b", Or((word("a"), Not(word("b"))))),
        ('"große Straße"', word("grosse", "strasse")),
        ("E-Mail", word("e", "mail")),
        ("発票", word("発", "票")),
        ("title:vertrag", word("vertrag", field=TextField.TITLE)),
        ("TITLE:(a b)", And(tuple(word(w, field=TextField.TITLE) for w in "ab"))),
        ("document_type:rechnung", word("rechnung", field=TextField.TYPE)),
        ("a^2", word("a", boost=2)),
        ("(a OR b^3)^2", Or((word("a", boost=2), word("b", boost=6)))),
        ("Rech*", Pattern(TextField.ANY, "rech*", NOWHERE)),
        ("r?ch**ng", Pattern(TextField.ANY, "r?ch*ng", NOWHERE)),
        ("Strasse\\*", word("strasse")),
        ("*", Everything(NOWHERE)),
        ("*:*", Everything(NOWHERE)),
        ("title:*", Filled(TextField.TITLE, NOWHERE)),
        ("asn:*", between(Attribute.SERIAL_NUMBER, None, None)),
        ("id:7", between(Attribute.ID, 7, 8)),
        ("pages:[2 TO 5}", between(Attribute.PAGES, 2, 5)),
        ("pages:>3", between(Attribute.PAGES, 4, None)),
        ("pages:<=3", between(Attribute.PAGES, None, 4)),
        ("id:[-2 TO *]", between(Attribute.ID, -2, None)),
        ("created:2024-03", between(Attribute.CREATED, "2024-03", "2024-03~")),
        ("created:{2023 TO 2024]", between(Attribute.CREATED, "2023~", "2024~")),
        ('added:>="2024-03-01T10:00:00Z"', between(Attribute.ADDED, "2024-03-01T10:00:00Z", None)),
    ],
)
def test_meaning(query: str, expected: object) -> None:
    assert bare(parse(query)) == expected


@pytest.mark.parametrize(
    ("query", "source", "overlap", "probability"),
    [
        ("FINGERPRINT:1234", Reference(id=1234), None, None),
        ("FINGERPRINT:1234_20", Reference(id=1234), 0.2, None),
        ("FINGERPRINT:1234_20_80", Reference(id=1234), 0.2, 0.8),
        ("fingerprint:1234_12.5", Reference(id=1234), 0.125, None),
        ("FINGERPRINT:1234_0", Reference(id=1234), 0.0, None),
        ("FINGERPRINT:1234_100", Reference(id=1234), 1.0, None),
        (f"FINGERPRINT:{UUID.upper()}_20", Reference(uuid=UUID), 0.2, None),
        (f'FINGERPRINT:"workspace://SpacesStore/{UUID}_20_80"', Reference(uuid=UUID), 0.2, 0.8),
        (f'FINGERPRINT:"workspace://SpacesStore/{UUID}"', Reference(uuid=UUID), None, None),
        (
            'FINGERPRINT:"https://my_host:8000/dms/documents/12/details_20"',
            Reference(id=12),
            0.2,
            None,
        ),
        ('FINGERPRINT:"http://host/documents/12/"', Reference(id=12), None, None),
        ('FINGERPRINT:"http://host/api/documents/12/_50"', Reference(id=12), 0.5, None),
        ("FINGERPRINT:99999999999999999999", Reference(id=0), None, None),
        ("FINGERPRINT:nobody", Reference(uuid="nobody"), None, None),
    ],
)
def test_forms_of_an_id(query, source, overlap, probability) -> None:
    node = parse(query)
    assert isinstance(node, Alike)
    assert node.likeness is Likeness.FINGERPRINT
    assert (node.source, node.overlap, node.probability) == (source, overlap, probability)


def test_likeness_stands_wherever_a_term_may() -> None:
    tree = parse("(SIMILAR:1_50 OR NOT WITHIN:2) FINGERPRINT:(3_20 OR 4)^2 -FINGERPRINT:5")
    assert isinstance(tree, And)
    either, group, unwanted = tree.parts
    assert isinstance(either, Or)
    assert [type(part) for part in either.parts] == [Alike, Not]
    assert isinstance(group, Or)
    assert [part.boost for part in group.parts] == [2, 2]
    assert isinstance(unwanted, Not)


@pytest.mark.parametrize(
    ("query", "marked", "says"),
    [
        ("", "", "empty"),
        ("   ", "", "empty"),
        ("invoice AND (march", "", "')' is missing"),
        ("invoice) march", ")", "not expected"),
        ("AND invoice", "A", "not expected"),
        ("invoice AND", "", "ends too early"),
        ("title:", "", "ends too early"),
        ('say "hello', '"', "never closed"),
        ("*voice", "*voice", "cannot begin"),
        ("title:?oice", "?oice", "cannot begin"),
        ("colour:red", "c", "'colour' is not a field"),
        ("titel:red", "t", "did you mean 'title'"),
        ("title:id:3", "i", "a field within"),
        ("12:30", "1", "quotation marks"),
        ("&&", "&&", "write AND"),
        ("a || b", "||", "write OR"),
        ("!a", "!a", "NOT"),
        ("a~", "~", "not supported"),
        ('"a b"~3', "3", "not supported"),
        ("/a.b/", "/", "not supported"),
        ("a^0", "0", "boost"),
        ("a^1.2.3", "^", "not a number"),
        ("e-ma*", "e-ma*", "not one word"),
        ("asn:four", "four", "not a whole number"),
        ("created:03.03.2024", "03", "not a date"),
        ("created:[2024 TO soon]", "[", "not a date"),
        ("[1 TO 3]", "[", "a range needs a field"),
        ("*:foo", "foo", "only understood before"),
        ('*:"*"', '"*"', "only understood before"),
        ("bill \udcff", "", "not text in UTF-8"),
        ("SIMILAR:\udcff", "", "not text in UTF-8"),
        ("FINGERPRINT:12_x", "x", "percentage"),
        ("FINGERPRINT:12_", "", "missing"),
        ("FINGERPRINT:12_101", "101", "0 to 100"),
        ("FINGERPRINT:12_-5", "-5", "0 to 100"),
        ("FINGERPRINT:12_20_200", "200", "probability"),
        ("FINGERPRINT:12_20_80_7", "_7", "nothing more"),
        ("FINGERPRINT:_20", "_20", "missing"),
        ('FINGERPRINT:"https://host/page_20"', "https", "not the address of a document"),
        ("foo AND SIMILAR:12_1e5", "1e5", "percentage"),
        ("(" * 1000 + "a" + ")" * 1000, "(", "nested"),
        ("(a OR (b AND " * 15 + "c" + "))" * 15, "b AND c", "change more than"),
        ("NOT " * 1000 + "a", "NOT", "nested"),
        ("-" * 2000 + "a", "-", "nested"),
        ("a" + "^1" * 2000, "a", "nested"),
        ("a " * (MAX_CLAUSES + 1), "a", "more than"),
        ("(" * 1_000_000, "", "10,000 are read"),
        ("x" * 100_000, "", "10,000 are read"),
        ('"' + "a " * 500 + '"', '"', "phrase"),
    ],
)
def test_what_is_wrong_and_where(query: str, marked: str, says: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(query)
    error = caught.value
    assert says in error.reason
    assert says in str(error)
    assert query[error.position :].startswith(marked)
    shown, mark = str(error).splitlines()[1:]
    at = mark.index("^")
    if marked:
        assert shown[at] == marked[0]


def test_control_characters_are_not_shown_back() -> None:
    with pytest.raises(QueryError) as caught:
        parse('\x1b[31m"')
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    "query",
    ["\x00", "a\x00b", "\ud800", "a\u202eb", "\\", "\\\\", '"\\"', "𝔘", "(" * 49 + ")" * 49],
)
def test_odd_input_is_understood_or_refused(query: str) -> None:
    with contextlib.suppress(QueryError):
        parse(query)
