"""What speaks for and against two texts being one: aligned differences, weighed against noise.

A page that was scanned badly has many differences that mean nothing; a clean page has one that
means everything. So every difference is asked how improbable it is as noise of THIS pair, and the
few most improbable ones decide, together with how much of the facts was kept and how much of
each text the other covers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from math import exp, log
from typing import TypeAlias

from paperless_fingerprint.comparison.alignment import Alignment, align
from paperless_fingerprint.comparison.changes.distinct import OTHER_DOCUMENT, distinct_severities
from paperless_fingerprint.comparison.changes.explain import mark_of
from paperless_fingerprint.comparison.changes.mark import CLEAN, SEVEREST, UNREADABLE, Kind, Mark
from paperless_fingerprint.comparison.differences import Differences, find_differences
from paperless_fingerprint.comparison.differences_joined import (
    with_glued_months,
    with_joined_characters,
    with_lone_amounts,
)
from paperless_fingerprint.comparison.evidence.numbers import numbers_against
from paperless_fingerprint.comparison.evidence.passages import (
    Smear,
    hidden_runs,
    is_hidden,
    is_rubbish,
    longest_sentence,
    one_sided,
    smears,
)
from paperless_fingerprint.comparison.evidence.people import known_strangers, strangers
from paperless_fingerprint.comparison.noise import estimate_digit_noise, estimate_noise
from paperless_fingerprint.comparison.side import Side, Weighing
from paperless_fingerprint.comparison.stretch import shifted, stretch_of_part, within_block
from paperless_fingerprint.text.lexicon import Vocabulary

_SETTLED = 20.0
#: So much is lost at most of a page that goes on for so many matches before and after it.
_LONGEST_STRIP = 60
_GOES_ON = 12


@dataclass(frozen=True, slots=True)
class Evidence:
    noise: float
    #: Share of the tokens of a (of b) that the other text holds, misread or not.
    coverage_a: float
    coverage_b: float
    #: Longest run that only one text has, in tokens.
    surplus_a: int
    surplus_b: int
    #: Tokens with digits on the side that has fewer.
    numbers: int
    #: How severe the distinct changes of numbers and dates, months, names, amounts and words are.
    fact_severity: float
    month_severity: float
    name_severity: float
    amount_severity: float
    word_severity: float
    moved: int
    #: Whether a scan has lost that longest run: under rubbish, or as a strip of a page.
    lost_a: bool = False
    lost_b: bool = False
    #: How severe it is that words stand in place of others that they do not look like.
    reworded: float = 0.0
    #: Most known words in a run that only one text has; less where whole lines are missing.
    sentence_a: float = 0.0
    sentence_b: float = 0.0
    #: The same of runs that are whole sentences.
    clause_a: float = 0.0
    clause_b: float = 0.0
    #: How much the names are others that only one of the texts has, wherever they stand.
    strangers: float = 0.0
    #: Each text names somebody whom the library knows and the other does not name.
    known_strangers: bool = False
    #: How much more likely the numbers are those of another document (a logarithm; 0 and more).
    numbers_against: float = 0.0
    #: Share of the facts kept, rare ones counting more; amounts left out.
    facts_kept_a: float = 1.0
    facts_kept_b: float = 1.0
    #: Passages that stand in place of others, and their share of the smaller text.
    passages: int = 0
    replaced_share: float = 0.0
    marks: tuple[Mark, ...] = ()
    alignment: Alignment = field(default_factory=lambda: Alignment([], [], 0))


#: Asked with the severity of the changed facts, months and names: whether they decide alone.
Enough: TypeAlias = Callable[[float, float, float], bool]


def weigh(a: Side, b: Side, vocabulary: Vocabulary, enough: Enough | None = None) -> Evidence:
    """Of a part and a whole only the stretch is weighed where the part lies.

    Where the facts are `enough`, what is dear is not found out: nothing in it could speak for the
    two, so that it is left as if nothing spoke against them.
    """
    stretch = stretch_of_part(a.tokens.keys, b.tokens.keys)
    if stretch is None:
        return _weigh(a, b, vocabulary, enough)
    start, end = stretch
    in_a = len(a.tokens) > len(b.tokens)
    whole = a if in_a else b
    cut = whole.cut(start, end)
    one, other = (cut, b) if in_a else (a, cut)
    found = _weigh(one, other, vocabulary, enough, cut=True)
    length = len(whole.tokens)
    marks, alignment = shifted(found.marks, found.alignment, start, length, in_a=in_a)
    found = replace(found, marks=marks, alignment=alignment)
    share, outside = (end - start) / length, max(start, length - end)
    rest = (0, start) if start == outside else (end, length)
    rubbish = outside <= _LONGEST_STRIP and is_rubbish(*rest, whole, Weighing(a, b, vocabulary))
    if in_a:
        return replace(
            found,
            coverage_a=found.coverage_a * share,
            surplus_a=max(found.surplus_a, outside),
            lost_a=rubbish or (found.lost_a and found.surplus_a >= outside),
            facts_kept_a=found.facts_kept_a * share,
        )
    return replace(
        found,
        coverage_b=found.coverage_b * share,
        surplus_b=max(found.surplus_b, outside),
        lost_b=rubbish or (found.lost_b and found.surplus_b >= outside),
        facts_kept_b=found.facts_kept_b * share,
    )


def _weigh(
    a: Side, b: Side, vocabulary: Vocabulary, enough: Enough | None, *, cut: bool = False
) -> Evidence:
    keys_a, keys_b = a.tokens.keys, b.tokens.keys
    alignment = align(keys_a, keys_b)
    differences = find_differences(keys_a, keys_b, alignment)
    if a.has_characters and b.has_characters:
        differences = with_joined_characters(differences, keys_a, alignment)
    differences = with_glued_months(differences, a.tokens, b.tokens)
    weighing = Weighing(a, b, vocabulary)
    noise = estimate_noise(a, b, alignment, differences, weighing)
    digit_noise = estimate_digit_noise(a, b, noise, alignment, differences)
    if noise <= CLEAN:
        differences = with_lone_amounts(differences, a.tokens, b.tokens)
    # The more there is to compare, the more often chance alone looks like a change.
    chances = log(max(1.0, min(len(keys_a), len(keys_b)) / 300))
    marks = [
        mark_of(item, a, b, noise, digit_noise, chances, weighing) for item in differences.items
    ]
    smeared = smears(differences, a, b, weighing)
    coverage_a = _coverage(keys_a, alignment.only_a, differences, 0, smeared)
    coverage_b = _coverage(keys_b, alignment.only_b, differences, 1, smeared)
    within = marks if cut else within_block(marks, alignment, coverage_a, coverage_b)
    severities = distinct_severities(within, a.tokens, b.tokens)
    only_a, only_b = one_sided(differences, 0), one_sided(differences, 1)
    longest_a, longest_b = (
        max(runs, key=lambda run: run[1] - run[0], default=(0, 0)) for runs in (only_a, only_b)
    )
    # One number cannot carry a refusal: scanners misread them on the cleanest page.
    worst = max(severities[Kind.FACT], default=0)
    facts = sum(severities[Kind.FACT][:8]) - (0.5 if worst < SEVEREST else 0.0) * worst
    months = sum(severities[Kind.MONTH][:3])
    names = sum(severities[Kind.NAME][:5])
    found = Evidence(
        noise=noise,
        coverage_a=coverage_a,
        coverage_b=coverage_b,
        surplus_a=longest_a[1] - longest_a[0],
        surplus_b=longest_b[1] - longest_b[0],
        numbers=min(a.numbers, b.numbers),
        fact_severity=facts,
        month_severity=months,
        name_severity=names,
        amount_severity=sum(severities[Kind.AMOUNT][:8]),
        word_severity=sum(severities[Kind.WORD][:30]),
        moved=alignment.moved + len(differences.strays_a),
        reworded=sum(
            mark.severity
            for mark in within
            if mark.kind is Kind.WORD
            and mark.difference.edits is None
            and mark.severity > UNREADABLE
        ),
        marks=tuple(within),
        alignment=alignment,
    )
    if enough is not None and enough(facts, months, names):
        return found
    hidden_a, hidden_b = hidden_runs(smeared)
    # Where the facts tell two documents apart, nobody asks for edited sentences any more.
    ask = sum(map(sum, (severities[kind] for kind in OTHER_DOCUMENT))) < _SETTLED
    sentence_a = clause_a = sentence_b = clause_b = 0.0
    if ask:
        to_b, to_a = alignment.to_b, alignment.to_a
        sentence_a, clause_a = longest_sentence(only_a, hidden_a, a, b, to_b, weighing)
        sentence_b, clause_b = longest_sentence(only_b, hidden_b, b, a, to_a, weighing)
    return replace(
        found,
        lost_a=_is_lost(longest_a, hidden_a, a, alignment.to_b, weighing),
        lost_b=_is_lost(longest_b, hidden_b, b, alignment.to_a, weighing),
        sentence_a=sentence_a,
        sentence_b=sentence_b,
        clause_a=clause_a,
        clause_b=clause_b,
        strangers=strangers(a, b, alignment, differences, noise, coverage_a, coverage_b),
        known_strangers=known_strangers(a, b, alignment, differences, weighing),
        numbers_against=numbers_against(a, b, alignment, differences, digit_noise, weighing),
        facts_kept_a=_facts_kept(a, alignment.to_b, differences.strays_a, marks, 0, weighing),
        facts_kept_b=_facts_kept(b, alignment.to_a, differences.strays_b, marks, 1, weighing),
    )


def _is_lost(
    run: tuple[int, int],
    hidden: frozenset[int],
    side: Side,
    matches: list[int],
    weighing: Weighing,
) -> bool:
    """Whether a scan has lost what only one text has there; rubbish is all that one has of it."""
    return is_hidden(*run, hidden) or _is_strip(run, matches) or is_rubbish(*run, side, weighing)


def _is_strip(run: tuple[int, int], matches: list[int]) -> bool:
    """Whether the page goes on before it and after it in the other text."""
    start, end = run
    return end - start <= _LONGEST_STRIP and all(
        next(islice(matched, _GOES_ON - 1, None), None) is not None
        for matched in (
            (i for i in range(start - 1, -1, -1) if matches[i] >= 0),
            (i for i in range(end, len(matches)) if matches[i] >= 0),
        )
    )


def _coverage(
    keys: tuple[str, ...],
    unmatched: list[tuple[int, int]],
    differences: Differences,
    side: int,
    smeared: list[Smear],
) -> float:
    if not keys:
        return 0.0
    strays = differences.strays_b if side else differences.strays_a
    covered = float(len(keys) - sum(end - start for start, end in unmatched))
    # 'the' finds itself in any text; a number or a long word does not.
    covered += sum(1 for i in strays if len(keys[i]) >= 4 or keys[i].isdigit())
    items = [item for item in differences.items if item.edits is not None]
    # What cannot be read in one of the texts may well be what stands in the other.
    items += [smear.item for smear in smeared]
    covered += sum(i.end_b - i.start_b if side else i.end_a - i.start_a for i in items)
    return min(1.0, covered / len(keys))


def _facts_kept(
    side: Side,
    matches: list[int],
    strays: frozenset[int],
    marks: list[Mark],
    which: int,
    weighing: Weighing,
) -> float:
    """The share of numbers and rare names that stand in the other text, too; amounts left out."""
    credit: dict[int, float] = {}
    for mark in marks:
        item = mark.difference
        if item.edits is not None:
            kept = exp(-mark.severity)
            if which:
                credit.update(dict.fromkeys(range(item.start_b, item.end_b), kept))
            else:
                credit.update(dict.fromkeys(range(item.start_a, item.end_a), kept))
    kept = total = 0.0
    for fact in side.facts:
        weight = weighing.weight(fact)
        if not weight:
            continue
        total += weight
        if matches[fact.place] >= 0 or fact.place in strays:
            kept += weight
        else:
            kept += weight * credit.get(fact.place, 0.0)
    # Without facts nothing was kept and nothing lost.
    return (kept + 0.5) / (total + 0.5) if total else 1.0
