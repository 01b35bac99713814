"""From evidence to a relation: three small questions, each a logistic curve with a sign.

Is it another document (of the same form, or of none)? If not: does one lie in the other? If not:
was it edited? Each question sees only what bears on it, and a feature can only speak for the
answer that it is evidence of; that is what lets the curves hold for letters they never saw.
The coefficients come from generated cases (benchmarks/fit_relations.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, log1p

from paperless_fingerprint.comparison.changes.mark import SEVEREST
from paperless_fingerprint.comparison.evidence.gather import Evidence

#: Below this share of the smaller text, misread or not, nothing is said at all; on a page of which
#: much is misread the share must be larger: its rubbish says nothing against any letter of its form.
#: The odds that a pair of misread texts starts with (see relation.py); among rivals a claim counts by
#: what it says beyond them.
STARTING_ODDS = 9.0
COVERAGE_FLOOR = 0.6
_FLOOR_MISREAD = 0.74
#: A part must leave at least so many tokens of the whole over.
SMALLEST_REST = 20
#: So many passages replaced, of at least this share of the smaller text, make another document.
#: Half of that is rare in true pairs, but a letter with rewritten clauses has it; what such forms
#: resemble by chance their rivals take back (see grouping/rivals.py).
_REPLACED = ((2, 0.18), (3, 0.10), (4, 0.045))
_FEWEST_TOKENS = 60
#: How much of a reply is the letter that it quotes.
_QUOTING = (0.5, 0.85)
#: From this chance of another document on nothing else is asked.
_SURELY_OTHER = 0.95


def is_filled_in_otherwise(passages: int, share: float, tokens: int) -> bool:
    """Whether passages that were replaced (see alignment.replaced_share) decide by themselves."""
    return tokens >= _FEWEST_TOKENS and any(
        passages >= number and share >= least for number, least in _REPLACED
    )


@dataclass(frozen=True, slots=True)
class Chances:
    """How likely each answer is; they sum up to one."""

    near: float
    version: float
    contains: float
    other: float


# Bias first; the order is that of the functions below. Fitted by benchmarks/fit_relations.py on
# generated letters and three other kinds of pages (its docstring names the sets), l2 0.001. The last
# but three of OTHER was set by hand: generated noise is never as clean as scans of clean pages are.
# The two after it were fitted later, to the same sets and scans of theirs, the others being left as
# they were; the last, which is not seen in true pairs, by hand.
OTHER = (
    -4.22,
    0.73,
    1.9,
    3.02,
    2.85,
    1.94,
    2.03,
    0.95,
    0.43,
    0.7,
    0.72,
    0.96,
    0.43,
    1.5,
    0.33,
    0.55,
    0.89,
    0.55,
    0.87,
    4.0,
    0.62,
    0.26,
    2.0,
)
CONTAINS = (-7.15, 3.07, 2.81, 2.14, 1.83)
VERSION = (-4.58, 1.95, 1.66, 0.69, 1.22, 1.04, 0.41, 1.92, 0.17, 3.7, 3.53)


@dataclass(frozen=True, slots=True)
class _Part:
    coverage: float
    surplus: int
    lost: bool
    sentence: float
    clause: float
    facts_kept: float
    tokens: int


def _parts(e: Evidence, tokens_a: int, tokens_b: int) -> tuple[_Part, _Part]:
    """The better covered text first."""
    a = _Part(
        e.coverage_a, e.surplus_a, e.lost_a, e.sentence_a, e.clause_a, e.facts_kept_a, tokens_a
    )
    b = _Part(
        e.coverage_b, e.surplus_b, e.lost_b, e.sentence_b, e.clause_b, e.facts_kept_b, tokens_b
    )
    return (a, b) if a.coverage >= b.coverage else (b, a)


def features_of_other(e: Evidence, tokens_a: int, tokens_b: int) -> list[float]:
    small, large = _parts(e, tokens_a, tokens_b)
    month, name = e.month_severity / SEVEREST, e.name_severity / SEVEREST
    strangers = e.strangers / SEVEREST
    lost = 1 - max(small.facts_kept, large.facts_kept)
    return [
        1.0,
        e.fact_severity / 10,
        log1p(e.fact_severity),
        month,
        min(2.0, month * month),
        name,
        min(2.0, name * name),
        max(name, strangers),
        strangers,
        lost,
        1 - small.facts_kept,
        -log(max(0.05, small.facts_kept)),
        1 - small.coverage,
        max(0.0, 0.95 - small.coverage) * 10 * max(0.0, 1 - 40 * e.noise),
        log1p(e.amount_severity),
        log1p(100 * e.word_severity / min(tokens_a, tokens_b)) / 2,
        log1p(max(0.0, min(small.sentence, large.sentence) - 3)) * max(0.0, 1 - 40 * e.noise),
        e.numbers_against / 5,
        log1p(e.numbers_against),
        strangers * _trust_in_strangers(e, large),
        10 * e.replaced_share,
        max(0.0, e.passages - 1.0),
        float(e.known_strangers),
    ]


def _trust_in_strangers(e: Evidence, large: _Part) -> float:
    """On clean pages people whom one text alone names are other people. A reply that quotes a letter
    may leave out to whom it went."""
    if _QUOTING[0] < large.coverage < _QUOTING[1]:
        return 0.0
    return max(0.0, 1 - 150 * e.noise)


def features_of_part(e: Evidence, tokens_a: int, tokens_b: int) -> list[float]:
    _, large = _parts(e, tokens_a, tokens_b)
    share = large.surplus / large.tokens
    return [
        1.0,
        float(share > 0.2 and large.surplus >= SMALLEST_REST),
        log1p(large.surplus) / 3,
        share * 3,
        (1 - large.coverage) * 3,
    ]


def features_of_edit(e: Evidence, tokens_a: int, tokens_b: int) -> list[float]:
    small, large = _parts(e, tokens_a, tokens_b)
    tokens = min(tokens_a, tokens_b)
    # In a long text a line gets lost, and in a bad scan several: neither is an edit.
    trust = min(1.0, 600 / tokens) / (1 + 100 * e.noise)
    # What is missing all over the text, besides one passage, a stamp and a footer.
    scattered = (1 - large.coverage) * large.tokens - large.surplus - 40
    return [
        1.0,
        log1p(e.amount_severity),
        e.amount_severity / 10,
        log1p(e.word_severity),
        e.word_severity / 20,
        log1p(100 * e.word_severity / tokens),
        log1p(max(0.0, small.sentence - 3) * trust),
        log1p(max(0.0, large.sentence - 3) * trust),
        max(0.0, 20 * scattered / large.tokens) * max(0.0, 1 - 20 * e.noise),
        log1p(large.clause) / (1 + 20 * e.noise),
        # On a clean page no word turns into another that it does not look like.
        log1p(e.reworded) / (1 + 100 * e.noise),
    ]


def is_enough(
    passages: int, replaced_share: float, facts: float, months: float, names: float
) -> bool:
    """Whether the severity of these alone makes it another document: all else can only add to it."""
    evidence = Evidence(
        0.0, 1.0, 1.0, 0, 0, 1, facts, months, names, 0.0, 0.0, 0,
        passages=passages, replaced_share=replaced_share,
    )  # fmt: skip
    return _curve(OTHER, features_of_other(evidence, 1, 1)) > _SURELY_OTHER


def chances_of(e: Evidence, tokens_a: int, tokens_b: int) -> Chances:
    if max(e.coverage_a, e.coverage_b) < min(_FLOOR_MISREAD, COVERAGE_FLOOR + 4 * e.noise):
        return Chances(0.0, 0.0, 0.0, 1.0)
    other = _curve(OTHER, features_of_other(e, tokens_a, tokens_b))
    _, large = _parts(e, tokens_a, tokens_b)
    part = 0.0
    # A page of which a scan has lost some lines is no part of itself.
    if (1 - large.coverage) * large.tokens >= SMALLEST_REST and not large.lost:
        part = _curve(CONTAINS, features_of_part(e, tokens_a, tokens_b))
    edit = _curve(VERSION, features_of_edit(e, tokens_a, tokens_b))
    same = 1 - other
    return Chances(same * (1 - part) * (1 - edit), same * (1 - part) * edit, same * part, other)


def _curve(coefficients: tuple[float, ...], features: list[float]) -> float:
    total = sum(c * x for c, x in zip(coefficients, features, strict=True))
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
