"""A library with the semantic tier, for tests: letters in two languages, a toy of a model."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from documents import SPEC
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.model import Document, StoredDocument
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.semantic.embedders.base import EmbedderError, TextRefusedError
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.text.normalise import words

LETTER_DE = (
    "Stuttgart, den 5. März 2024\nSehr geehrte Frau Montavon,\nwir bestätigen Ihnen den Eingang Ihrer "
    "Kündigung der Mitgliedschaft Nr. 48211 in unserem Sportverein. Der Vertrag endet am 30. Juni "
    "2024. Den zu viel bezahlten Beitrag von 84,50 € überweisen wir auf Ihr Konto.\n"
    "Mit freundlichen Grüßen"
)
LETTER_EN = (
    "Stuttgart, 5 March 2024\nDear Mrs Montavon,\nwe confirm that we have received the cancellation of "
    "your membership no. 48211 in our sports club. The contract ends on 30 June 2024. We will "
    "transfer the overpaid fee of €84.50 to your account.\nYours sincerely"
)
NEXT_EN = (
    "Stuttgart, 9 July 2024\nDear Mr Becker,\nwe confirm that we have received the cancellation of "
    "your membership no. 51907 in our sports club. The contract ends on 31 October 2024. We will "
    "transfer the overpaid fee of €112.00 to your account.\nYours sincerely"
)
RECIPE = (
    "Für den Apfelkuchen rühren wir Butter, Zucker und Eier schaumig, geben Mehl dazu und belegen "
    "den Teig mit geschälten Äpfeln. Bei mittlerer Hitze backt der Kuchen eine Stunde im Ofen."
)


class Toy:
    """A bag of words in 16 dimensions: quick, and blind to everything else."""

    languages = None

    def __init__(self, name="toy", dimensions=16) -> None:
        self.name = name
        self.calls = 0
        self.fail_after = 10**9
        self.refused = ""
        self.dimensions = dimensions

    def embed(self, texts):
        self.calls += 1
        if self.calls > self.fail_after:
            raise EmbedderError("The embedder is down.")
        if self.refused and any(self.refused in text for text in texts):
            raise TextRefusedError("It refuses a text.")
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text):
                row[crc32(word.encode()) % self.dimensions] += 1
        return rows + 1e-3

    def close(self) -> None:
        pass


class Listening(Silent):
    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, message: str) -> None:
        self.said.append(message)


def settings(**more):
    return load({f"semantic.{name}": value for name, value in more.items()}, {})


def put(store, texts: dict[int, str], **more) -> None:
    store.put(
        [
            StoredDocument(Document(id, f"Title {id}", text, **more), fingerprint(text, SPEC))
            for id, text in texts.items()
        ]
    )


def filler(count: int, start: int = 1) -> dict[int, str]:
    return {
        id: f"the letter {chr(97 + id % 26)} is about thing number {id} and some more of it"
        for id in range(start, start + count)
    }
