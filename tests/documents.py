"""Made-up documents for tests: plain, noisy copies, forms."""

from __future__ import annotations

import random
from dataclasses import replace

from paperless_fingerprint.fingerprint import FingerprintSpec, fingerprint
from paperless_fingerprint.model import Document, StoredDocument

SPEC = FingerprintSpec()

_SYLLABLES = "ba do ke li mu na po ra si tu ve wo ze gra ster lin mond tal".split()


def some_words(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(count)]


def some_text(count: int, seed: int) -> str:
    return " ".join(some_words(count, seed))


def damaged(text: str, share: float, seed: int) -> str:
    """The text with this share of its words replaced by words of no other text."""
    rng = random.Random(seed)
    return " ".join(
        f"x{rng.getrandbits(40):x}" if rng.random() < share else word for word in text.split()
    )


def document(id: int, content: str = "", **more: object) -> Document:
    return replace(Document(id=id, title=f"Document {id}", content=content), **more)  # type: ignore[arg-type]


def stored(id: int, content: str = "", **more: object) -> StoredDocument:
    made = document(id, content, **more)
    return StoredDocument(made, fingerprint(made.content, SPEC))
