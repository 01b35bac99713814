"""From the text of a query to its tree. luqum knows the grammar; what it means is decided here.

What could hurt is refused before luqum sees it: its parser is quick, but the trees it builds are
walked recursively.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import whole
from paperless_fingerprint.query.ids import IdError, parse_likeness
from paperless_fingerprint.query.tree import (
    DATES,
    NUMBERS,
    Alike,
    And,
    Attribute,
    Between,
    Everything,
    Filled,
    Likeness,
    Meaning,
    Node,
    Not,
    Or,
    Pattern,
    Span,
    TextField,
    Words,
    boosted,
    height,
)
from paperless_fingerprint.text import normalise as texts

if TYPE_CHECKING:
    from luqum.tree import Item

MAX_CHARACTERS = 10_000
MAX_NESTING = 50
#: Changes between AND, OR and NOT on the way to one word. Elasticsearch stops at 30 levels, of
#: which some are ours.
MAX_HEIGHT = 20
#: Leaves of the tree. Elasticsearch counts clauses too, and stops at a few thousand.
MAX_CLAUSES = 500
#: Of one phrase.
MAX_WORDS = 100

_TEXT_FIELDS = {field.value: field for field in TextField if field is not TextField.ANY} | {
    "document_type": TextField.TYPE,
    "tags": TextField.TAG,
    "text": TextField.CONTENT,
}
_ATTRIBUTES = {attribute.value: attribute for attribute in Attribute} | {
    "archive_serial_number": Attribute.SERIAL_NUMBER,
    "page_count": Attribute.PAGES,
}
_LIKENESSES = {likeness.value.lower(): likeness for likeness in Likeness}
_MEANING = "semantic"
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d{1,9})?)?)?(Z|[+-]\d\d:\d\d)?)?)?)?")
_NUMBER = re.compile(r"-?[0-9]{1,18}")
#: Sorts behind every character of an ISO date: '2024-03~' is the end of March.
_AFTER = "~"


class QueryError(UsageError):
    """A query that is not understood, and the place in it."""

    def __init__(self, message: str, query: str, position: int) -> None:
        self.position = min(max(position, 0), len(query))
        self.reason = message
        super().__init__(
            f"The query is not understood at character {self.position + 1}: {message}.\n"
            + _marked(query, self.position)
        )


def parse(query: str) -> Node:
    """The tree of a query; QueryError points at what is wrong with it."""
    _check_size(query)
    if not query.strip():
        raise QueryError(_("it is empty; '*' finds everything"), query, 0)
    tree = _Reader(query).node(_parsed(query), None, 0)
    if height(tree) > MAX_HEIGHT:
        raise QueryError(
            _(
                "AND, OR and NOT change more than %(most)s times from bracket to bracket",
                most=MAX_HEIGHT,
            ),
            query,
            _deepest(tree).start,
        )
    return tree


def _marked(query: str, position: int) -> str:
    """The part of the query around the place, and a mark below it."""
    start = max(0, position - 40)
    shown = query[start : position + 40]
    shown = "".join(c if c.isprintable() else " " for c in shown)
    before = "…" if start else ""
    after = "…" if position + 40 < len(query) else ""
    return f"  {before}{shown}{after}\n  {' ' * (len(before) + position - start)}^"


def _check_size(query: str) -> None:
    if len(query) > MAX_CHARACTERS:
        raise QueryError(
            _(
                "it has %(count)s characters, and %(most)s are read at most",
                count=whole(len(query)),
                most=whole(MAX_CHARACTERS),
            ),
            query,
            MAX_CHARACTERS,
        )
    wrong = next((place for place, c in enumerate(query) if "\ud800" <= c <= "\udfff"), None)
    if wrong is not None:
        raise QueryError(_("this is not text in UTF-8"), query, wrong)
    depth = 0
    quoted = False
    skip = False
    opened = 0
    for place, character in enumerate(query):
        if skip:
            skip = False
        elif character == "\\":
            skip = True
        elif character == '"':
            quoted = not quoted
            opened = place
        elif quoted:
            continue
        elif character == "(":
            depth += 1
            if depth > MAX_NESTING:
                raise QueryError(
                    _("brackets are nested more than %(most)s deep", most=MAX_NESTING), query, place
                )
        elif character == ")":
            depth -= 1
    if quoted:
        raise QueryError(_("this quotation mark is never closed"), query, opened)


def _parsed(query: str) -> Item:
    from luqum.exceptions import ParseError
    from luqum.thread import parse as luqum_parse

    try:
        return luqum_parse(query)
    except ParseError as error:
        found = re.search(r"position (\d+)", str(error))
        if found is None:
            raise QueryError(_what_is_missing(query), query, len(query.rstrip())) from None
        position = int(found[1])
        wrong = query[position : position + 1]
        raise QueryError(
            _("'%(found)s' is not expected here", found=wrong), query, position
        ) from None
    except (ValueError, ArithmeticError, AttributeError, TypeError):
        # Numbers such as '^1.2.3' or '~.': luqum leaves them to the conversion.
        place = re.search(r"[~^][0-9.]*", query)
        position = place.start() if place else 0
        raise QueryError(_("this is not a number"), query, position) from None


def _what_is_missing(query: str) -> str:
    if query.count("(") > query.count(")"):
        return _("a closing bracket ')' is missing")
    return _("it ends too early; a word is missing")


class _Reader:
    """Turns luqum's items into our nodes, counting clauses on the way."""

    def __init__(self, query: str) -> None:
        self._query = query
        self._clauses = 0

    def node(self, item: Item, field: str | None, depth: int) -> Node:
        from luqum import tree

        if depth > 4 * MAX_NESTING:
            raise self._error(item, "this is nested too deep")
        inner = depth + 1
        match item:
            case tree.Group() | tree.FieldGroup():
                return self.node(item.expr, field, inner)
            case tree.SearchField():
                if field is not None:
                    raise self._error(item, "a field within the field '%(name)s'", name=field)
                return self.node(item.expr, self._field(item), inner)
            case tree.Not() | tree.Prohibit():
                denied = self.node(item.a, field, inner)
                return denied.part if isinstance(denied, Not) else Not(denied)
            case tree.Plus():
                return self.node(item.a, field, inner)
            case tree.Boost():
                return boosted(self.node(item.expr, field, inner), self._boost(item))
            case tree.OrOperation() | tree.AndOperation() | tree.UnknownOperation():
                return self._operation(item, field, inner)
            case tree.Word() | tree.Phrase():
                return self._leaf(item, field)
            case tree.Range() | tree.From() | tree.To():
                return self._range(item, field)
            case tree.Fuzzy() | tree.Proximity():
                raise self._error(
                    item, "'~' is not supported; '*' stands for any letters", at_end=True
                )
            case tree.Regex():
                raise self._error(item, "/…/ is not supported; put the words in quotation marks")
        raise self._error(item, "%(what)s is not supported", what=type(item).__name__)

    def _operation(self, item: Item, field: str | None, depth: int) -> Node:
        from luqum import tree

        if not isinstance(item, tree.OrOperation):
            return _joined(And, [self.node(part, field, depth) for part in item.children])
        # As in Lucene: '+' in a group says that a part must be there, '-' that it must not,
        # whatever else the group allows. NOT is plain logic.
        required: list[Node] = []
        optional: list[Node] = []
        for part in item.children:
            strict = isinstance(part, tree.Plus | tree.Prohibit)
            (required if strict else optional).append(self.node(part, field, depth))
        if not required:
            return _joined(Or, optional)
        if optional and not any(isinstance(part, tree.Plus) for part in item.children):
            required.append(_joined(Or, optional))
        return _joined(And, required)

    def _field(self, item: Item) -> str:
        name = str(item.name).replace("\\", "")
        key = name.lower()
        if key == "*" or key in {*_TEXT_FIELDS, *_ATTRIBUTES, *_LIKENESSES, _MEANING}:
            return key
        known = [*_TEXT_FIELDS, *_ATTRIBUTES, *_LIKENESSES, _MEANING]
        if near := get_close_matches(key, known, 1):
            raise self._error(
                item,
                "'%(name)s' is not a field; did you mean '%(near)s'? Put a word with ':' in "
                "quotation marks",
                name=name,
                near=near[0],
            )
        raise self._error(
            item,
            "'%(name)s' is not a field; there are %(known)s. Put a word with ':' in quotation "
            "marks",
            name=name,
            known=", ".join(_shown_fields()),
        )

    def _boost(self, item: Item) -> float:
        force = 1.0 if item.implicit_force else float(item.force)
        if not 0 < force <= 1000:
            raise self._error(item, "a boost is a number above 0, up to 1000", at_end=True)
        return force

    def _leaf(self, item: Item, field: str | None) -> Node:
        from luqum import tree

        self._clauses += 1
        if self._clauses > MAX_CLAUSES:
            raise self._error(item, "more than %(most)s words and terms", most=MAX_CLAUSES)
        span = self._span(item)
        quoted = isinstance(item, tree.Phrase)
        raw = str(item.value)[1:-1] if quoted else str(item.value)
        if field in _LIKENESSES:
            return self._alike(raw, _LIKENESSES[field], span, quoted=quoted)
        if field == _MEANING:
            asked = self._alike(raw, Likeness.SIMILAR, span, quoted=quoted)
            if asked.probability is not None:
                raise self._error(item, "SEMANTIC takes one percentage, the likeness", at_end=True)
            return Meaning(asked.source, asked.overlap, span)
        wild = not quoted and bool(re.search(r"(?<!\\)(?:\\\\)*[*?]", raw))
        if field == "*" and (quoted or raw != "*"):
            raise self._error(item, "'*:' is only understood before '*', which finds everything")
        if wild and not raw.strip("*"):
            return self._all(field, span)
        if field in _ATTRIBUTES:
            low, high = self._bounds(_ATTRIBUTES[field], _unescaped(raw), item)
            return Between(_ATTRIBUTES[field], low, high, span)
        text_field = _TEXT_FIELDS[field] if field else TextField.ANY
        if wild:
            return Pattern(text_field, self._pattern(raw, item), span)
        if not quoted and raw.startswith("!"):
            raise self._error(item, "'!' is not understood; write NOT or '-' before the word")
        words = tuple(texts.words(_unescaped(raw)))
        if not words:
            instead = {"&&": "AND", "||": "OR"}.get(raw)
            if instead:
                raise self._error(
                    item, "'%(found)s' is not understood; write %(word)s", found=raw, word=instead
                )
            raise self._error(
                item, "'%(found)s' has no letter or digit to look for", found=raw[:20]
            )
        if len(words) > MAX_WORDS:
            raise self._error(item, "a phrase of more than %(most)s words", most=MAX_WORDS)
        return Words(text_field, words, span)

    def _all(self, field: str | None, span: Span) -> Node:
        if field in _ATTRIBUTES:
            return Between(_ATTRIBUTES[field], None, None, span)
        if field in _TEXT_FIELDS:
            return Filled(_TEXT_FIELDS[field], span)
        return Everything(span)

    def _pattern(self, raw: str, item: Item) -> str:
        pattern = ""
        for piece in re.split(r"(\\.|[*?])", raw):
            if piece in {"*", "?"}:
                if not pattern:
                    raise self._error(
                        item, "a word cannot begin with '*' or '?': all words would be read"
                    )
                if not (piece == "*" and pattern.endswith("*")):
                    pattern += piece
            elif piece:
                # In its place within a word: a letter on both sides.
                words = texts.words(f"x{_unescaped(piece)}x")
                if len(words) != 1 or words[0][0] != "x" or words[0][-1] != "x":
                    raise self._error(
                        item,
                        "'%(found)s' is not one word; only one word can have '*' or '?' in it",
                        found=raw,
                    )
                pattern += words[0][1:-1]
        return pattern

    def _alike(self, raw: str, likeness: Likeness, span: Span, *, quoted: bool) -> Alike:
        try:
            asked = parse_likeness(_unescaped(raw) if quoted else raw)
        except IdError as error:
            place = span.start + int(quoted) + error.offset
            raise QueryError(str(error), self._query, place) from None
        return Alike(likeness, asked.source, asked.overlap, asked.probability, span)

    def _range(self, item: Item, field: str | None) -> Node:
        from luqum import tree

        self._clauses += 1
        if field not in _ATTRIBUTES:
            listed = ", ".join(attribute.value for attribute in Attribute)
            raise self._error(
                item, "a range needs a field before it, one of %(known)s", known=listed
            )
        attribute = _ATTRIBUTES[field]
        low: str | int | None = None
        high: str | int | None = None
        if isinstance(item, tree.Range):
            if (text := _bound(item.low)) != "*":
                low = self._bounds(attribute, text, item)[0 if item.include_low else 1]
            if (text := _bound(item.high)) != "*":
                high = self._bounds(attribute, text, item)[1 if item.include_high else 0]
        else:
            start, end = self._bounds(attribute, _bound(item.a), item)
            if isinstance(item, tree.From):
                low = start if item.include else end
            else:
                high = end if item.include else start
        return Between(attribute, low, high, self._span(item))

    def _bounds(self, attribute: Attribute, text: str, item: Item) -> tuple[str | int, str | int]:
        """The half-open range that one value stands for: '2024-03' is a month."""
        if attribute in NUMBERS:
            if not _NUMBER.fullmatch(text):
                raise self._error(
                    item,
                    "'%(found)s' is not a whole number, which %(field)s needs",
                    found=text[:40],
                    field=attribute,
                )
            return int(text), int(text) + 1
        if attribute in DATES:
            if not _DATE.fullmatch(text):
                raise self._error(
                    item,
                    "'%(found)s' is not a date; write 2024, 2024-03 or 2024-03-31",
                    found=text[:40],
                )
            return text, text + _AFTER
        return text, text + "\0"

    def _span(self, item: Item) -> Span:
        start, end = item.span()
        return Span(start or 0, end or 0)

    def _error(
        self, item: Item, text: str, /, *, at_end: bool = False, **values: object
    ) -> QueryError:
        span = self._span(item)
        place = span.end - 1 if at_end else span.start
        return QueryError(_(text, **values), self._query, place)


def _deepest(node: Node) -> Span:
    while isinstance(node, And | Or | Not):
        node = node.part if isinstance(node, Not) else max(node.parts, key=height)
    return node.span


def _joined(operation: type[And | Or], parts: list[Node]) -> Node:
    """Flat: what is joined the same way within needs no level of its own."""
    flat: list[Node] = []
    for part in parts:
        flat += part.parts if isinstance(part, operation) else (part,)
    return flat[0] if len(flat) == 1 else operation(tuple(flat))


def _shown_fields() -> list[str]:
    return [
        *(field.value for field in TextField if field is not TextField.ANY),
        *(attribute.value for attribute in Attribute),
        *(likeness.value for likeness in Likeness),
        _MEANING.upper(),
    ]


def _bound(item: Any) -> str:
    """One end of a range; luqum wraps a negative one."""
    from luqum import tree

    if isinstance(item, tree.Prohibit):
        return "-" + _bound(item.a)
    if isinstance(item, tree.Phrase):
        return _unescaped(str(item.value)[1:-1])
    return _unescaped(str(item.value))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
