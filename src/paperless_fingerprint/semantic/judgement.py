"""The relation `semantic`: from likeness, facts and languages to how sure it is, and why.

Meaning alone cannot tell next month's bill from this one's translation. So the log odds of the
likeness are the beginning, and the facts are added to them: the same amounts, dates and numbers
speak for the pair, others against it, and much louder. Where neither text states any, the likeness
must be that of a duplicate by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.semantic.agreement import Agreement, Agreements
from paperless_fingerprint.semantic.calibration import DUPLICATE, likeness_of
from paperless_fingerprint.semantic.statements import Kind

#: Facts of this weight in both texts (three amounts, say) speak with their full voice.
_ENOUGH = 6.0
#: The share of the facts that is kept, and the log odds that it is worth.
_KEPT = (0.0, 0.4, 0.65, 0.8, 0.95, 1.0)
_KEPT_EVIDENCE = (-6.0, -5.0, -1.0, 1.0, 2.0, 2.0)
#: A text of which the other repeats only a little is no translation of it; a summary keeps half.
_COVERED = (0.0, 0.1, 0.3, 0.5)
_COVERED_EVIDENCE = (-4.0, -3.0, -1.0, 0.0)
_SIZES = (0.0, 0.02, 0.1, 0.25, 0.5)
_SIZES_EVIDENCE = (-5.0, -4.0, -2.0, -0.5, 0.0)
_SILENCE = -1.5
#: Two texts of one language that say little of their own are as a rule of one series, and a
#: re-typed one keeps more of the facts than a series shares.
_SILENCE_OF_ONE_LANGUAGE = -2.0
_COVERED_OF_ONE_LANGUAGE = 2.0
#: Whoever types a letter anew finds other words. Two texts of one language that share so much of
#: their wording (jaccard), and still are not the near tier's, are two pages of one form.
_WORDING = (0.05, 0.2)
_WORDING_EVIDENCE = (0.0, -4.0)
_CONFLICT = -3.0
_NAMES, _NAMES_FROM = 0.5, 0.7
_NO_NAMES, _NO_NAMES_TO = -1.0, 0.1
#: The most that facts can add to the likeness; what lies further below a threshold is not read.
MOST_EVIDENCE = _KEPT_EVIDENCE[-1] + _NAMES

#: From this share of the shorter text's shingles on, two texts of one language are the near
#: tier's, which has aligned them word by word.
OVERLAP_OF_NEAR = 0.35

_KINDS = {
    Kind.DATE: "dates",
    Kind.AMOUNT: "amounts",
    Kind.REFERENCE: "references",
    Kind.NUMBER: "numbers",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    confidence: float
    #: Log odds: of likeness and facts together, and of the facts alone.
    total: float
    of_facts: float
    reasons: tuple[Reason, ...]


def judge(
    evidence: float, facts: Agreement, languages: tuple[str, str], wording: float = 0.0
) -> Verdict:
    """`evidence` is that of the likeness alone (Scale.evidence), `wording` the jaccard of the words
    where both are of one language."""
    of_facts = evidence_of_facts(facts, one_language=_one_language(languages))
    total = evidence + of_facts + float(np.interp(wording, _WORDING, _WORDING_EVIDENCE))
    confidence = likeness_of(total)
    reasons = _reasons(likeness_of(evidence), confidence, facts, languages)
    return Verdict(confidence, total, of_facts, reasons)


def evidence_of_facts(facts: Agreement, *, one_language: bool) -> float:
    """The log odds that the facts add."""
    voice = min(1.0, facts.least / _ENOUGH)
    covered = float(np.interp(facts.covered, _COVERED, _COVERED_EVIDENCE))
    silence = _SILENCE
    if one_language:
        covered *= _COVERED_OF_ONE_LANGUAGE
        silence += _SILENCE_OF_ONE_LANGUAGE
    said = float(np.interp(facts.kept, _KEPT, _KEPT_EVIDENCE)) + covered
    said += _CONFLICT * facts.conflict
    total = voice * said + (1 - voice) * silence
    total += float(np.interp(facts.size_ratio, _SIZES, _SIZES_EVIDENCE))
    if facts.names is not None and facts.names >= _NAMES_FROM:
        total += _NAMES
    elif facts.names is not None and facts.names <= _NO_NAMES_TO:
        total += _NO_NAMES
    return total


def _one_language(languages: tuple[str, str]) -> bool:
    """Where one is unknown, the careful answer."""
    return languages[0] == languages[1] or not all(languages)


def most_evidence(facts: Agreements) -> npt.NDArray[np.float64]:
    """What the facts of many pairs can add at most, before conflicts and names are looked at."""
    voice = np.minimum(1.0, facts.least / _ENOUGH)
    said = np.interp(facts.kept, _KEPT, _KEPT_EVIDENCE)
    said += np.interp(facts.covered, _COVERED, _COVERED_EVIDENCE)
    most: npt.NDArray[np.float64] = voice * said + (1 - voice) * _SILENCE + _NAMES
    most += np.interp(facts.size_ratio, _SIZES, _SIZES_EVIDENCE)
    return most


def _reasons(
    likeness: float, confidence: float, facts: Agreement, languages: tuple[str, str]
) -> tuple[Reason, ...]:
    one, other = languages
    said = []
    if one and other and one != other:
        said.append(Reason("translation", {"one": one, "other": other}))
    elif one and one == other:
        said.append(Reason("reworded", {"language": one}))
    else:
        said.append(Reason("reworded_or_translated"))
    shared = [_KINDS[kind] for kind in (Kind.AMOUNT, Kind.DATE, Kind.REFERENCE, Kind.NUMBER)
              if kind in facts.shared_kinds and kind not in facts.conflicting_kinds]  # fmt: skip
    if shared:
        said.append(Reason("same_kinds", {"kinds": shared}))
    differing = [_KINDS[kind] for kind in facts.conflicting_kinds]
    if differing:
        said.append(Reason("kinds_differ", {"kinds": differing}))
    if not facts.least:
        said.append(Reason("no_facts"))
    if facts.names is not None and facts.names >= _NAMES_FROM:
        said.append(Reason("same_names"))
    strength = "same_meaning" if confidence >= DUPLICATE else "similar_meaning"
    said.append(Reason(strength, {"likeness": round(likeness, 4)}))
    return tuple(said)
