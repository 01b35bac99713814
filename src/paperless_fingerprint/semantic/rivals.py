"""Who else could be the translation of a document: in each language it has one, and its copies.

A manual has a page for each function, and each says much the same as its neighbours: in two
languages they are all near one another. So of the documents of one language the best wins, with
those that are the same as the best; what lies behind it is another page of that series.
"""

from __future__ import annotations

from collections.abc import Iterable

from paperless_fingerprint.model import Key
from paperless_fingerprint.semantic.judgement import Verdict

#: Log odds. What says the same as the best may lie this far behind it; a stranger to it, less far.
_BEHIND, _BEHIND_OF_STRANGERS = 1.0, 0.6
#: Facts that speak so clearly are believed in any case.
_FACTS_SAY_OTHERWISE, _OF_STRANGERS = 1.5, 2.2


class Rivals:
    def __init__(self) -> None:
        #: (document, language): the highest total that anything of that language has with it.
        self._best: dict[tuple[int, str], tuple[float, int]] = {}
        self._languages: dict[int, str] = {}
        self._alike: set[Key] = set()

    def add(self, key: Key, languages: tuple[str, str], total: float) -> None:
        """A pair that was found, now or before; they say the same, and each is a rival of others."""
        self._alike.add(key)
        self._languages |= dict(zip(key, languages, strict=True))
        a, b = key
        for one, other in ((a, b), (b, a)):
            place = (one, self._languages[other])
            before = self._best.get(place)
            # The lower id where two are alike, so that the order of coming plays no part.
            if before is None or (total, -other) > (before[0], -before[1]):
                self._best[place] = (total, other)

    def know(self, keys: Iterable[Key]) -> None:
        """Copies, which words have found."""
        self._alike.update(keys)

    def beat(self, key: Key, verdict: Verdict) -> bool:
        a, b = key
        if self._languages[a] == self._languages[b]:
            return False
        return any(
            self._is_better(self._best[one, self._languages[other]], other, verdict)
            for one, other in ((a, b), (b, a))
        )

    def _is_better(self, best: tuple[float, int], other: int, verdict: Verdict) -> bool:
        total, id = best
        if id == other:
            return False
        if (min(id, other), max(id, other)) in self._alike:
            return verdict.total < total - _BEHIND and verdict.of_facts < _FACTS_SAY_OTHERWISE
        return verdict.total < total - _BEHIND_OF_STRANGERS and verdict.of_facts < _OF_STRANGERS
