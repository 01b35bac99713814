"""The languages that documents are made in: words, labels and sentences, read from data."""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
_SLOT = re.compile(r"\{\w+\}")
_WORDY = ("subjects", "duties", "whens", "letters", "clauses")
_WORD = re.compile(r"[^\W\d_][\w\u0300-\u036f\u0900-\u0dff’'-]*")
_CUT = re.compile(r"[^\W\d_][\w\u0e30-\u0e4e]{1,3}")
_SYLLABLES = ("ba den mor kel ran vis tol ber han sol wick ford au lin gar ten ros mar eck hol "
              "sta vel dor nim pra zu fel ost quin lar").split()  # fmt: skip


def between(rng: random.Random, span: str) -> int:
    low, _, high = span.partition("-")
    return rng.randint(int(low), int(high or low))


@dataclass(frozen=True)
class Language:
    code: str
    data: dict

    @property
    def spaced(self) -> bool:
        return self.data.get("spaced", True)

    def words(self, kind: str) -> list[str]:
        found = self.data[kind]
        return found.split("|") if isinstance(found, str) else found

    def label(self, key: str) -> str:
        return self.data["labels"][key]

    def invented(self, rng: random.Random) -> str:
        """A name that no other document has."""
        if self.data.get("invented"):
            return "".join(rng.sample(self.data["vocabulary"], 2)).capitalize()
        return "".join(rng.sample(_SYLLABLES, rng.choice([2, 2, 3]))).capitalize()

    def person(self, rng: random.Random) -> str:
        first, last = rng.choice(self.words("first")), rng.choice(self.words("last"))
        if self.spaced and rng.random() < 0.5:
            last = self.invented(rng)
        return self.data["person"].format(first=first, last=last)

    def sentence(self, rng: random.Random) -> str:
        """Who does what when, some with facts; and as many that mean nothing.

        A few dozen phrases make thousands of sentences, yet they all share their turns, as letters
        of different people do not: the others have the words in an order of their own.
        """
        if self.data.get("invented") or rng.random() < 0.5:
            return _babble(self.data["vocabulary"], rng, self.spaced, self.data.get("stop", "."))
        who, what, when = (rng.choice(self.words(k)) for k in ("subjects", "duties", "whens"))
        if rng.random() < 0.15:
            who += f" {self.invented(rng)}"
        if rng.random() < 0.25:
            fact = rng.choice(["{d}", "{a}", "{n}", "{c}", "{p}", "{r}"])
            when += rng.choice([f" ({fact})", f", {fact}"])
        parts = [who, what, when] if rng.random() < 0.75 else [who, what]
        if rng.random() < 0.2:
            parts += [rng.choice([",", ";", " –"]), rng.choice(self.words("duties"))]
        gap = " " if self.spaced else ""
        return gap.join(parts).replace(" ,", ",").replace(" ;", ";") + self.data.get("stop", ".")

    def paragraph(self, rng: random.Random, most: int = 4) -> str:
        gap = " " if self.spaced else ""
        return gap.join(self.sentence(rng) for _ in range(rng.randint(1, most)))

    def sentences(self, kind: str, rng: random.Random, count: int) -> list[str]:
        """Written sentences as far as there are any, and made ones besides."""
        pool = self.data.get(kind, [])
        taken = rng.sample(pool, min(len(pool), count, rng.randint(1, 12)))
        made = [self.paragraph(rng, 2) for _ in range(count - len(taken))]
        return rng.sample(taken + made, count)


def _babble(vocabulary: list[str], rng: random.Random, spaced: bool, stop: str) -> str:
    weights = _zipf(len(vocabulary))
    words = rng.choices(vocabulary, cum_weights=weights, k=rng.randint(5, 19))
    if rng.random() < 0.25:
        words.insert(rng.randrange(1, len(words)), rng.choice(["{d}", "{a}", "{n}", "{c}", "{p}"]))
    if rng.random() < 0.4:
        words[len(words) // 2] += ","
    text = (" " if spaced else "").join(words)
    return text[0].title() + text[1:] + stop


@cache
def _zipf(count: int) -> tuple[float, ...]:
    total, sums = 0.0, []
    for rank in range(1, count + 1):
        total += 1 / (rank + 3)
        sums.append(total)
    return tuple(sums)


def languages() -> list[str]:
    """The written languages, in a stable order; those of scripts.toml are invented besides."""
    return sorted(path.stem for path in (FOLDER / "languages").glob("*.toml"))


@cache
def scripts() -> dict[str, dict]:
    return tomllib.loads((FOLDER / "scripts.toml").read_text("utf-8"))


@cache
def language(code: str) -> Language:
    """'de', or 'georgian-7': the seventh tongue invented in that script."""
    path = FOLDER / "languages" / f"{code}.toml"
    if path.exists():
        data = tomllib.loads(path.read_text("utf-8"))
        return Language(code, {**data, "vocabulary": _vocabulary(code, data)})
    return Language(code, _tongue(code, scripts()[code.partition("-")[0]]))


def _vocabulary(code: str, data: dict) -> list[str]:
    """All words of the language's data; without spaces, what stands between two cuts."""
    texts = [t for kind in _WORDY for t in data[kind]]
    texts += [data["items"], data["entries"], *data["labels"].values()]
    text = _SLOT.sub(" ", " ".join(texts))
    found = _WORD.findall(text) if data.get("spaced", True) else _CUT.findall(text)
    words = sorted({word.lower() for word in found})
    random.Random(f"vocabulary {code}").shuffle(words)
    return words


def _tongue(code: str, script: dict) -> dict:
    rng = random.Random(f"tongue {code}")
    spaced = script.get("spaced", True)

    def word() -> str:
        syllables = rng.choices([1, 2, 3, 4, 5], [2, 6, 6, 3, 1])[0]
        return "".join(
            rng.choice(script["consonants"])
            + rng.choice(script["vowels"])
            + (rng.choice(script["consonants"]) if rng.random() < 0.3 else "")
            for _ in range(syllables)
        )

    vocabulary = [word() for _ in range(700)]

    def phrase(low: int, high: int) -> str:
        some = (" " if spaced else "").join(rng.sample(vocabulary, rng.randint(low, high)))
        return some.capitalize() if script.get("capitals") else some

    english = language("en").data
    phrases = {
        "months": (12, 1, 1), "first": (12, 1, 1), "last": (12, 1, 1), "places": (16, 1, 1),
        "streets": (10, 1, 2), "trades": (6, 1, 1), "items": (18, 1, 3), "entries": (18, 1, 3),
    }  # fmt: skip
    return {
        **{
            kind: "|".join(phrase(low, high) for _ in range(count))
            for kind, (count, low, high) in phrases.items()
        },
        "vocabulary": vocabulary,
        "invented": True,
        "spaced": spaced,
        "decimal": rng.choice([",", "."]),
        "currency": [rng.choice(["€", "EUR", "$", "₾", "֏", "৳", "kr", "₸"])],
        "dates": [
            *rng.sample(english["dates"], 2),
            "{day:02}.{m:02}.{year}",
            "{year}. {month} {day}",
        ],
        "stamps": f"{phrase(1, 1).upper()} {{d}}|{phrase(1, 2)}",
        "greeting": f"{phrase(1, 1)} {{p}},",
        "closing": phrase(2, 3),
        "wrote": f"{{d}} {{p}} {phrase(1, 1)}:",
        "person": rng.choice(["{first} {last}", "{last} {first}"]),
        "labels": {key: phrase(1, 2) for key in english["labels"]},
    }
