"""Makes docs.jsonl and truth.json from the texts beside it: `python benchmarks/semantic_pairs/make.py`.

Each file in texts/ is one document written by hand in three languages, once more in other words,
and in some cases as a summary. What it states stands in slots, with two sets of values: the first
makes the pairs that say the same, the second the same form about something else. How a date or
an amount is written is up to the language, and differs again in the re-typed text, as it does
when somebody types a letter anew.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

HERE = Path(__file__).parent
LANGUAGES = ("de", "en", "es", "fr", "it", "nl")

MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "en": "January February March April May June July August September October November December",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
TYPES = {
    "letter": {"de": "Brief", "en": "Letter", "es": "Carta", "fr": "Lettre", "it": "Lettera", "nl": "Brief"},
    "invoice": {"de": "Rechnung", "en": "Invoice", "es": "Factura", "fr": "Facture", "it": "Fattura", "nl": "Factuur"},
    "manual": {"de": "Anleitung", "en": "Manual", "es": "Manual", "fr": "Notice", "it": "Istruzioni", "nl": "Handleiding"},
}  # fmt: skip


@dataclass(frozen=True)
class Text:
    language: str
    #: 'full', 'paraphrase' or 'summary'
    variant: str
    title: str
    body: str


@dataclass(frozen=True)
class Base:
    name: str
    kind: str
    #: What tells the second set of values from the first: 'next-month', 'other-parties', …
    differs: str
    facts: dict[str, tuple[str, str]]
    texts: tuple[Text, ...]


@dataclass(frozen=True)
class Made:
    id: int
    base: Base
    text: Text
    #: Which set of values it states: 0 or 1.
    values: int


def read_base(path: Path) -> Base:
    head, *sections = re.split(r"^\[", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    described = dict(re.findall(r"^(kind|type): (.+)$", head, re.MULTILINE))
    facts = {
        name: (first.strip(), second.strip())
        for name, first, second in re.findall(r"^  (\w+) *= (.+?) \| (.+)$", head, re.MULTILINE)
    }
    texts = []
    for section in sections:
        heading, _, body = section.partition("\n")
        marks, _, title = heading.partition("] ")
        language, _, variant = marks.partition(" ")
        texts.append(Text(language, variant or "full", title, body.strip()))
    return Base(path.stem, described["kind"], described["type"], facts, tuple(texts))


def read_bases() -> list[Base]:
    return [read_base(path) for path in sorted((HERE / "texts").glob("*.txt"))]


def write_value(value: str, language: str, *, short: bool, retyped: bool) -> str:
    months = MONTHS[language].split()
    if date := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", value):
        year, month, day = date.groups()
        if short:
            return {"de": ".", "nl": "-"}.get(language, "/").join((day, month, year))
        written = [
            f"{int(day)}." if language == "de" else str(int(day)),
            months[int(month) - 1],
            year,
        ]
        return (" de " if language == "es" else " ").join(written)
    if month_only := re.fullmatch(r"(\d{4})-(\d\d)", value):
        year, month = month_only.groups()
        return f"{months[int(month) - 1]}{' de ' if language == 'es' else ' '}{year}"
    if value.endswith(" dec"):
        number = value.removesuffix(" dec")
        return number if language == "en" else number.replace(".", ",")
    if value.endswith(" EUR"):
        return write_amount(value.removesuffix(" EUR"), language, retyped=retyped)
    return value


def write_amount(number: str, language: str, *, retyped: bool) -> str:
    amount = f"{float(number):,.2f}"
    if language != "en":
        # The French set a no-break space between thousands, the others a point.
        thousands = "\u00a0" if language == "fr" else "."
        amount = amount.replace(",", "_").replace(".", ",").replace("_", thousands)
    if retyped:
        word = {
            "de": "EUR",
            "en": "euros",
            "es": "euros",
            "fr": "euros",
            "it": "euro",
            "nl": "euro",
        }
        return f"{amount} {word[language]}"
    if language == "en":
        return f"€{amount}"
    return f"€ {amount}" if language == "nl" else f"{amount} €"


def fill(template: str, base: Base, text: Text, values: int) -> str:
    def write(slot: re.Match[str]) -> str:
        return write_value(
            base.facts[slot[1]][values],
            text.language,
            short=slot[2] is not None,
            retyped=text.variant != "full",
        )

    return re.sub(r"\{(\w+)(\.short)?\}", write, template)


def make_documents(bases: list[Base]) -> list[Made]:
    made = []
    for number, base in enumerate(bases):
        first_id = 1000 + 20 * number
        full = [text for text in base.texts if text.variant == "full"]
        # The other values in two of the languages, in turn, so that all languages get their share.
        others = [full[number % len(full)], full[(number + 1) % len(full)]]
        planned = [(text, 0) for text in base.texts] + [(text, 1) for text in others]
        made += [Made(first_id + i, base, text, values) for i, (text, values) in enumerate(planned)]
    return made


def describe(document: Made) -> dict[str, object]:
    base, text = document.base, document.text
    content = fill(text.body, base, text, document.values)
    sender = None if base.kind == "manual" or text.variant == "summary" else content.split("\n")[0]
    return {
        "id": document.id,
        "title": fill(text.title, base, text, document.values),
        "content": content,
        # A re-typed letter begins with sender and date in one line; its sender is left to the text.
        "correspondent": sender if text.variant == "full" else None,
        "document_type": TYPES[base.kind][text.language] if text.variant == "full" else None,
        "created": base.facts["date"][document.values] if "date" in base.facts else None,
        "tags": [],
        "original_filename": f"{base.name}_{text.language}_{document.id}.pdf",
        "page_count": 1,
        # The import ignores what follows; the tests and the calibration read it.
        "language": text.language,
        "base": base.name,
        "variant": text.variant,
    }


def judge(a: Made, b: Made) -> dict[str, object] | None:
    """What a pair is, or None where it is not worth a line: it counts as unrelated all the same."""
    same_language = a.text.language == b.text.language
    pair: dict[str, object] = {"a": a.id, "b": b.id}
    if a.base.name != b.base.name:
        return None
    if a.values != b.values:
        relation = "template" if same_language else "template-translated"
        pair |= {"relation": relation, "label": "neg", "differs": a.base.differs}
    elif "summary" in (a.text.variant, b.text.variant):
        relation = "summary" if same_language else "summary-translated"
        pair |= {"relation": relation, "label": "summary"}
    elif "paraphrase" in (a.text.variant, b.text.variant):
        relation = "retyped" if same_language else "retyped-translated"
        pair |= {"relation": relation, "label": "paraphrase"}
    else:
        pair |= {"relation": "translation", "label": "translation"}
    return pair | {"languages": [a.text.language, b.text.language]}


def pick_strangers(made: list[Made]) -> list[dict[str, object]]:
    """One pair for any two bases: of the same kind (the hard ones), or of two kinds.

    They differ in language where that is possible, because that is where the facts must decide.
    """
    by_base: dict[str, list[Made]] = {}
    for document in made:
        if document.text.variant == "full" and document.values == 0:
            by_base.setdefault(document.base.name, []).append(document)
    pairs: list[dict[str, object]] = []
    for number, (left, right) in enumerate(combinations(by_base.values(), 2)):
        a = left[number % len(left)]
        b = next((d for d in right if d.text.language != a.text.language), right[0])
        relation = "same-kind" if a.base.kind == b.base.kind else "unrelated"
        languages = [a.text.language, b.text.language]
        pairs.append(
            {"a": a.id, "b": b.id, "relation": relation, "label": "neg", "languages": languages}
        )
    return pairs


def make() -> tuple[str, str]:
    """docs.jsonl and truth.json as text."""
    made = make_documents(read_bases())
    documents = "".join(json.dumps(describe(d), ensure_ascii=False) + "\n" for d in made)
    judged = [judge(a, b) for a, b in combinations(made, 2)]
    pairs = [pair for pair in judged if pair is not None] + pick_strangers(made)
    counts = Counter(f"{pair['label']} {pair['relation']}" for pair in pairs)
    head = {
        "documents": len(made),
        "note": "translation, paraphrase and summary say the same and should be found as semantic; "
        "neg, and every pair that is not listed, should not",
        "counts": dict(sorted(counts.items())),
    }
    lines = ",\n".join(json.dumps(pair, ensure_ascii=False) for pair in pairs)
    truth = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
    return documents, f'{truth},\n "pairs": [\n{lines}\n]}}\n'


def main() -> None:
    documents, truth = make()
    (HERE / "docs.jsonl").write_text(documents, encoding="utf-8")
    (HERE / "truth.json").write_text(truth, encoding="utf-8")
    print(json.dumps(json.loads(truth)["counts"], indent=1))


if __name__ == "__main__":
    main()
