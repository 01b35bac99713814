"""What speaks for and against two texts being one: aligned differences, weighed against noise.

A page that was scanned badly has many differences that mean nothing; a clean page has one that
means everything. So every difference is asked how improbable it is as noise of THIS pair, and the
few most improbable ones decide, together with how much of the facts was kept and how much of
each text the other covers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import exp, log

from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.alignment import Alignment, align
from paperless_fingerprint.differences import Differences, find_differences
from paperless_fingerprint.known_words import Vocabulary
from paperless_fingerprint.marks import DIGIT_NOISE_FLOOR, SEVEREST, Kind, Mark, mark_of
from paperless_fingerprint.tokens import DIGIT, Tokens
from paperless_fingerprint.weighing import Side, Weighing

_PRIOR_EDITS, _PRIOR_LETTERS = 0.3, 150.0
# A quotation is one block of its reply: most of the matches, with no longer gap than a line.
_BLOCK_GAP = 15
_BLOCK_SHARE = 0.75
#: Runs that only one text has are read as sentences from this many tokens on.
_SENTENCE = 5
_FEWEST_KNOWN = 4
_SETTLED = 20.0
_REPEATED = frozenset({Kind.FACT, Kind.MONTH, Kind.NAME})
#: What a run counts that is whole lines without being whole sentences: a scanner skipped them.
_LOST_LINE = 0.25
#: What is covered less than this is more than the other text with a few additions.
_PART = 0.7
_END_OF_SENTENCE = frozenset(".!?:;。")


@dataclass(frozen=True, slots=True)
class Evidence:
    noise: float
    #: Share of the tokens of a (of b) that the other text holds, misread or not.
    coverage_a: float
    coverage_b: float
    #: Longest run that only one text has, in tokens.
    surplus_a: int
    surplus_b: int
    #: Most known words in a run that only one text has; less where whole lines are missing.
    sentence_a: float
    sentence_b: float
    #: The same of runs that are whole sentences.
    clause_a: float
    clause_b: float
    #: How much the names are others that only one of the texts has, wherever they stand.
    strangers: float
    #: Share of the facts kept, rare ones counting more; amounts left out.
    facts_kept_a: float
    facts_kept_b: float
    #: Tokens with digits on the side that has fewer.
    numbers: int
    #: How severe the distinct changes of numbers and dates, months, names, amounts and words are.
    fact_severity: float
    month_severity: float
    name_severity: float
    amount_severity: float
    word_severity: float
    #: How often the most frequent change of the same character was made in numbers.
    same_change: int
    moved: int
    marks: tuple[Mark, ...] = ()
    alignment: Alignment = field(default_factory=lambda: Alignment([], [], 0))


def weigh(a: Side, b: Side, vocabulary: Vocabulary) -> Evidence:
    keys_a, keys_b = a.tokens.keys, b.tokens.keys
    alignment = align(keys_a, keys_b)
    differences = find_differences(keys_a, keys_b, alignment)
    weighing = Weighing(a, b, vocabulary)
    noise = estimate_noise(a, b, alignment, differences, weighing)
    digit_noise = estimate_digit_noise(a, b, noise, alignment, differences)
    # The more there is to compare, the more often chance alone looks like a change.
    chances = log(max(1.0, min(len(keys_a), len(keys_b)) / 300))
    marks = [
        mark_of(item, a, b, noise, digit_noise, chances, weighing) for item in differences.items
    ]
    coverage_a = _coverage(keys_a, alignment.to_b, differences, 0)
    coverage_b = _coverage(keys_b, alignment.to_a, differences, 1)
    kept_a = _facts_kept(a, alignment.to_b, differences.strays_a, marks, 0, weighing)
    kept_b = _facts_kept(b, alignment.to_a, differences.strays_b, marks, 1, weighing)
    marks = _within_block(marks, alignment, coverage_a, coverage_b)
    severities = _distinct_severities(marks, keys_a, keys_b)
    only_a, only_b = _one_sided(differences, 0), _one_sided(differences, 1)
    # Where the facts tell two documents apart, nobody asks for edited sentences any more.
    apart = sum(severities[Kind.FACT]) + sum(severities[Kind.MONTH]) + sum(severities[Kind.NAME])
    ask = apart < _SETTLED
    sentence_a, clause_a = _longest_sentence(only_a, a, weighing) if ask else (0.0, 0.0)
    sentence_b, clause_b = _longest_sentence(only_b, b, weighing) if ask else (0.0, 0.0)
    return Evidence(
        noise=noise,
        coverage_a=coverage_a,
        coverage_b=coverage_b,
        surplus_a=max((end - start for start, end in only_a), default=0),
        surplus_b=max((end - start for start, end in only_b), default=0),
        sentence_a=sentence_a,
        sentence_b=sentence_b,
        clause_a=clause_a,
        clause_b=clause_b,
        strangers=_strangers(a, b, alignment, differences, noise, coverage_a, coverage_b, weighing),
        facts_kept_a=kept_a,
        facts_kept_b=kept_b,
        numbers=min(a.numbers, b.numbers),
        # One number cannot carry a refusal: scanners misread them on the cleanest page.
        fact_severity=sum(severities[Kind.FACT][:8]) - 0.5 * max(severities[Kind.FACT], default=0),
        month_severity=sum(severities[Kind.MONTH][:3]),
        name_severity=sum(severities[Kind.NAME][:5]),
        amount_severity=sum(severities[Kind.AMOUNT][:8]),
        word_severity=sum(severities[Kind.WORD][:30]),
        same_change=_same_change(a, b, differences),
        moved=alignment.moved + len(differences.strays_a),
        marks=tuple(marks),
        alignment=alignment,
    )


def _within_block(
    marks: list[Mark], alignment: Alignment, coverage_a: float, coverage_b: float
) -> list[Mark]:
    """Leaves out what lies outside the part of a much longer text that holds the shorter.

    The header of a reply aligns with the header of the letter that it quotes: the names agree,
    the dates do not, and neither says anything about the quotation.
    """
    in_a = coverage_a < coverage_b
    matches = alignment.to_b if in_a else alignment.to_a
    if min(coverage_a, coverage_b) > 0.85:
        return marks
    start = end = best_start = best_end = -1
    held = best = 0
    for position, match in enumerate(matches):
        if match < 0:
            continue
        if start < 0 or position - end > _BLOCK_GAP:
            start, held = position, 0
        end, held = position, held + 1
        if held > best:
            best, best_start, best_end = held, start, end
    if best < _BLOCK_SHARE * sum(match >= 0 for match in matches):
        return marks

    def inside(mark: Mark) -> bool:
        item = mark.difference
        first, last = (item.start_a, item.end_a) if in_a else (item.start_b, item.end_b)
        return first == last or (last > best_start - 4 and first <= best_end + 4)

    return [mark for mark in marks if inside(mark)]


def estimate_noise(
    a: Side, b: Side, alignment: Alignment, differences: Differences, weighing: Weighing
) -> float:
    """Letters misread, per letter aligned. Numbers are left out: a changed number is no noise."""
    edits, letters = _PRIOR_EDITS, _PRIOR_LETTERS
    keys_a, keys_b = a.tokens.keys, b.tokens.keys
    letters += sum(
        len(key) for key, match in zip(keys_a, alignment.to_b, strict=True) if match >= 0
    )
    for item in differences.items:
        one = keys_a[item.start_a : item.end_a]
        other = keys_b[item.start_b : item.end_b]
        if item.edits is None:
            # One Chinese character for another: their look-alikes share no letters.
            if len(one) == len(other) == 1 and len(one[0]) == len(other[0]) == 1:
                edits += 1
                letters += 1
            continue
        word, reading = "".join(one), "".join(other)
        if word.isalpha() and reading.isalpha():
            letters += len(word)
            if not (weighing.known(word) and weighing.known(reading)):
                edits += item.edits
    return min(0.3, edits / letters)


def estimate_digit_noise(
    a: Side, b: Side, noise: float, alignment: Alignment, differences: Differences
) -> float:
    """Digits misread, per digit aligned. Only a digit too many or too few tells: nobody bills
    '4.600,00' one month and '600,00' the next, but a scanner loses the edge of a table."""
    lost = digits = 0
    keys_a, keys_b = a.tokens.keys, b.tokens.keys
    for key, match in zip(keys_a, alignment.to_b, strict=True):
        if match >= 0 and key[0].isdigit():
            digits += len(key)
    for item in differences.items:
        if item.edits is None or item.edits > 2:
            continue
        one = "".join(keys_a[item.start_a : item.end_a])
        other = "".join(keys_b[item.start_b : item.end_b])
        if len(one) >= 4 and len(other) >= 4 and one[-1].isdigit() and other[-1].isdigit():
            digits += max(len(one), len(other))
            # Nor does the beginning of a long number change while its end stays.
            half = len(one) // 2
            lost += len(one) != len(other) or (
                len(one) >= 6 and one[:half] != other[:half] and one[half:] == other[half:]
            )
    return min(0.2, max(noise, DIGIT_NOISE_FLOOR) + 1.5 * lost / (digits + 100))


def _distinct_severities(
    marks: list[Mark], keys_a: tuple[str, ...], keys_b: tuple[str, ...]
) -> dict[Kind, list[float]]:
    """The severities by kind, worst first.

    A word that is misread the same way ten times was misread once. But what has nothing in
    common with its counterpart and comes again with the same counterpart is no misreading.
    """
    changes: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Mark]] = {}
    for mark in marks:
        if mark.severity > 0:
            item = mark.difference
            change = keys_a[item.start_a : item.end_a], keys_b[item.start_b : item.end_b]
            changes.setdefault(change, []).append(mark)
    severities: dict[Kind, list[float]] = {kind: [] for kind in Kind}
    for found_marks in changes.values():
        worst = max(found_marks, key=lambda mark: mark.severity)
        severity = worst.severity
        edits = worst.difference.edits
        if len(found_marks) > 1 and worst.kind in _REPEATED and (edits is None or edits >= 2):
            severity = min(1.5 * SEVEREST, 1.5 * severity)
        severities[worst.kind].append(severity)
    for found in severities.values():
        found.sort(reverse=True)
    return severities


def _coverage(
    keys: tuple[str, ...], matches: list[int], differences: Differences, side: int
) -> float:
    if not keys:
        return 0.0
    strays = differences.strays_b if side else differences.strays_a
    covered = float(sum(match >= 0 for match in matches))
    # 'the' finds itself in any text; a number or a long word does not.
    covered += sum(1 for i in strays if len(keys[i]) >= 4 or keys[i].isdigit())
    for item in differences.items:
        if item.edits is not None:
            covered += item.end_b - item.start_b if side else item.end_a - item.start_a
    return min(1.0, covered / len(keys))


def _one_sided(differences: Differences, side: int) -> list[tuple[int, int]]:
    """Runs that one text alone has, those that are torn apart by a stray token joined."""
    ranges = sorted(
        (item.start_b, item.end_b) if side else (item.start_a, item.end_a)
        for item in differences.items
        if item.edits is None
    )
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if start == end:
            continue
        if joined and start - joined[-1][1] <= 2:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _longest_sentence(
    runs: list[tuple[int, int]], side: Side, weighing: Weighing
) -> tuple[float, float]:
    """Most known words in small letters in one run, and in one that is a sentence by itself.

    A stamp has none, a new clause has many. A run from the start of a line to the end of one is
    what a scanner skips; it counts less.
    """
    lengths = []
    for start, end in runs:
        if end - start < _SENTENCE:
            continue
        known = words = 0
        for i in range(start, min(end, start + 200)):
            spelling = side.tokens.spellings[i]
            if spelling.islower() and spelling.isalpha():
                known += weighing.known(side.tokens.keys[i])
                words += len(spelling) > 3
        if known >= _FEWEST_KNOWN:
            # A small library knows few words, but rubbish has none at all beside them.
            lengths.append((max(known, min(words, 2 * known)), start, end))
    longest = clause = 0.0
    if not lengths:
        return longest, clause
    spans = side.tokens.spans()
    for known, start, end in lengths:
        lines = _is_whole_lines(side.tokens, start, end)
        if _is_sentence(side.tokens.text, spans, start, end):
            clause = max(clause, 0.7 * known if lines else float(known))
        else:
            longest = max(longest, known * _LOST_LINE if lines else float(known))
    return longest, clause


def _is_sentence(text: str, spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """From the end of a sentence to the next, give or take a word that happens to be equal."""

    def ends_after(token: int) -> bool:
        return token < 0 or text[spans[token][1] : spans[token][1] + 1] in _END_OF_SENTENCE

    begins_line = text[: spans[start][0]].rstrip(" \t§0123456789.)").endswith("\n")
    first = begins_line and text[spans[start][0]].isupper()
    first = first or any(ends_after(i - 1) for i in (start - 1, start, start + 1))
    return first and any(ends_after(i - 1) for i in (end - 1, end, end + 1) if i <= len(spans))


def _is_whole_lines(tokens: Tokens, start: int, end: int) -> bool:
    return start in tokens.line_starts and (end == len(tokens) or end in tokens.line_starts)


def _strangers(
    a: Side,
    b: Side,
    alignment: Alignment,
    differences: Differences,
    noise: float,
    coverage_a: float,
    coverage_b: float,
    weighing: Weighing,
) -> float:
    """Names of two words that only one text has: other people, wherever they stand.

    Both texts must have such names, unless one is a part: all names of a part stand in the whole.
    """
    only_a = _names_without_like(a, b, alignment.to_b, differences.strays_a, weighing)
    only_b = _names_without_like(b, a, alignment.to_a, differences.strays_b, weighing)
    if min(coverage_a, coverage_b) < _PART:
        part = only_a if coverage_a > coverage_b else only_b
        return SEVEREST * min(2, len(part)) / 2 * max(0.2, 0.9 - 10 * noise)
    # What is left of a name has some of its letters.
    apart = [
        name
        for name in only_a
        if all(Levenshtein.normalized_distance(name, other) > 0.5 for other in only_b)
    ]
    return SEVEREST * min(2, len(apart), len(only_b)) / 2 * max(0.2, 1 - 10 * noise)


def _names_without_like(
    side: Side,
    other: Side,
    matches: list[int],
    strays: frozenset[int],
    weighing: Weighing,
) -> list[str]:
    found: list[str] = []
    spellings = side.tokens.spellings
    # Facts stand in ascending order; a name is two title-case words in a row, neither of them common.
    for i, _ in side.facts:
        if matches[i] >= 0 or i in strays or not spellings[i].istitle() or len(spellings[i]) < 4:
            continue
        if not weighing.is_name(side, i) or not weighing.has_name_beside(side, i):
            continue
        key = side.tokens.keys[i]
        if key not in found and not other.holds_like(key):
            found.append(key)
            if len(found) >= 6:
                break
    return found


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
    keys, spellings = side.tokens.keys, side.tokens.spellings
    for i, notes in side.facts:
        key = keys[i]
        if not notes & DIGIT and not weighing.rare(key):
            continue
        weight = weighing.weight(key, spellings[i], notes)
        total += weight
        if matches[i] >= 0 or i in strays:
            kept += weight
        else:
            kept += weight * credit.get(i, 0.0)
    # Without facts nothing was kept and nothing lost.
    return (kept + 0.5) / (total + 0.5) if total else 1.0


def _same_change(a: Side, b: Side, differences: Differences) -> int:
    """Each of July for June, 14.07 for 14.06 and 7 for 6 may be noise; all of them are not."""
    changes: Counter[tuple[str, str]] = Counter()
    for item in differences.items:
        if item.edits is None or not 0 < item.edits <= 2:
            continue
        one = "".join(a.tokens.keys[item.start_a : item.end_a])
        other = "".join(b.tokens.keys[item.start_b : item.end_b])
        if len(one) != len(other) or not (one.isdigit() and other.isdigit()):
            continue
        changes.update({(x, y) for x, y in zip(one, other, strict=True) if x != y})
    return max(changes.values(), default=0)
