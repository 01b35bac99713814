"""Made-up documents for tests: plain, noisy copies, forms."""

from __future__ import annotations

import random
from dataclasses import replace

from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
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


def misread(text: str, share: float, seed: int) -> str:
    """The text with this share of its letters and digits read as others."""
    rng = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    return "".join(
        rng.choice(letters) if letter.isalnum() and rng.random() < share else letter
        for letter in text
    )


def document(id: int, content: str = "", **more: object) -> Document:
    return replace(Document(id=id, title=f"Document {id}", content=content), **more)  # type: ignore[arg-type]


def stored(id: int, content: str = "", **more: object) -> StoredDocument:
    made = document(id, content, **more)
    return StoredDocument(made, fingerprint(made.content, SPEC))


_REMINDER = (
    "Berlin, {date} {name} Sehr geehrte Damen und Herren, vielen Dank für Ihren Auftrag, den wir "
    "gerne ausgeführt haben. Wir bitten um Überweisung des Betrages von {amount} innerhalb von "
    "vierzehn Tagen auf unser bekanntes Konto. Bitte geben Sie dabei die Rechnungsnummer {number} "
    "an, damit wir Ihre Zahlung zuordnen können. Für Rückfragen steht Ihnen unser Kundendienst "
    "jederzeit gerne zur Verfügung. Wir freuen uns auf die weitere gute Zusammenarbeit und "
    "verbleiben mit freundlichen Grüßen."
)
_MISREAD = {
    "Berlin": "Ber1in", "Zahlung": "Zah1ung", "Kundendienst": "Kvndendienst", "unser": "nnser",
    "freundlichen": "frevndlichen",
}  # fmt: skip


def contested_scan() -> tuple[str, str, str]:
    """A scan of which little can be read, the letter that it is a copy of, and another of its form.

    As long as its original is not in the library, the scan passes for a copy of the other one.
    """
    original = _REMINDER.format(
        date="08.05.2021", name="Frau Anna Winter", amount="381,90 Euro", number="RE-20467"
    )
    other = _REMINDER.format(
        date="08.05.2021", name="Herrn Paul Sommer", amount="127,40 Euro", number="RE-20391"
    )
    scan = _REMINDER.format(date="08.05.2021", name="Frav", amount="~~ Eur0", number="RE-Z0467")
    for right, wrong in _MISREAD.items():
        scan = scan.replace(right, wrong)
    return scan, original, other
