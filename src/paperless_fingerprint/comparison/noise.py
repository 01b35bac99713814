"""How noisy a pair is: letters and digits that were misread, of those that are aligned."""

from __future__ import annotations

from paperless_fingerprint.comparison.alignment import Alignment
from paperless_fingerprint.comparison.changes.mark import DIGIT_NOISE_FLOOR
from paperless_fingerprint.comparison.differences import Differences
from paperless_fingerprint.comparison.side import Side, Weighing
from paperless_fingerprint.text.letters import is_word

_PRIOR_EDITS, _PRIOR_LETTERS = 0.3, 150.0


def estimate_noise(
    a: Side, b: Side, alignment: Alignment, differences: Differences, weighing: Weighing
) -> float:
    """Letters misread, per letter aligned. Numbers are left out: a changed number is no noise."""
    edits, letters = _PRIOR_EDITS, _PRIOR_LETTERS
    keys_a, keys_b = a.tokens.keys, b.tokens.keys
    letters += a.letters - sum(sum(map(len, keys_a[start:end])) for start, end in alignment.only_a)
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
        if is_word(word) and is_word(reading):
            letters += len(word)
            if not (weighing.known(word) and weighing.known(reading)):
                edits += item.edits
    return min(0.3, edits / letters)


def estimate_digit_noise(
    a: Side, b: Side, noise: float, alignment: Alignment, differences: Differences
) -> float:
    """Digits misread, per digit aligned. Only a digit too many or too few tells: nobody bills
    '4.600,00' one month and '600,00' the next, but a scanner loses the edge of a table."""
    lost = 0
    keys_a, keys_b = a.tokens.keys, b.tokens.keys
    digits = sum(len(keys_a[i]) for i in a.begun_with_digit if alignment.to_b[i] >= 0)
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
