"""An import in batches: what is written whole, and which lines are told."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library import intake
from paperless_fingerprint.library.import_file import ImportReport, import_file
from paperless_fingerprint.model import StoredDocument
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.stores.base import WriteReport
from paperless_fingerprint.stores.sqlite import SqliteStore

SPEC = FingerprintSpec()
LETTERS = [f"Brief Nummer {n}, wie besprochen, mit freundlichen Grüßen" for n in range(1, 7)]


class Told(Silent):
    def __init__(self) -> None:
        self.messages: list[str] = []

    def say(self, message: str) -> None:
        self.messages.append(message)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    monkeypatch.setattr(intake, "BATCH_DOCUMENTS", 2)
    return SqliteStore(tmp_path / "library.db")


def lines(*values: object) -> io.BytesIO:
    return io.BytesIO("".join(f"{json.dumps(value)}\n" for value in values).encode())


def letters() -> io.BytesIO:
    return lines(*({"id": n, "content": text} for n, text in enumerate(LETTERS, 1)))


def imported(store: SqliteStore, file: io.BytesIO, told: Told | None = None) -> ImportReport:
    return import_file(store, file, SPEC, told or Told())


def test_what_is_stopped_leaves_whole_batches(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = store.put

    def stopped(records: Sequence[StoredDocument]) -> WriteReport:
        if records[0].document.id == 3:
            raise KeyboardInterrupt
        return put(records)

    with monkeypatch.context() as patch:
        patch.setattr(store, "put", stopped)
        with pytest.raises(KeyboardInterrupt):
            imported(store, letters())
    assert store.ids() == [1, 2]
    again = imported(store, letters()).intake
    assert (again.new, again.unchanged) == (4, 2)


def test_each_line_that_is_left_out_is_told_by_its_number(store: SqliteStore) -> None:
    uuid = "7a5f9a5e-3c4b-4e7d-9a52-3f3f6f0c2b11"
    told = Told()
    report = imported(
        store,
        lines(
            {"id": 1, "content": "eins", "uuid": uuid},
            "no document",
            {"id": 2, "content": "zwei"},
            {"id": 9, "content": "drei"},
            {"id": 4, "content": "vier", "uuid": uuid},
            {"id": 2, "content": "fünf"},
            {"id": 6, "content": "sechs", "uuid": uuid},
        ),
        told,
    )
    assert [bad.line for bad in report.bad] == [2, 5, 6, 7]
    assert sorted(told.messages) == [f"line {bad.line}: {bad.reason}" for bad in report.bad]
    assert store.ids() == [1, 2, 9]


def test_what_other_settings_fingerprint_anew_keeps_its_text(store: SqliteStore) -> None:
    imported(store, letters())
    other = FingerprintSpec(shingle_words=2)
    assert import_file(store, lines(), other, Told()).renewed == len(LETTERS)
    assert [record.document.content for record in store.documents()] == LETTERS
    assert {row.fingerprint.spec for row in store.fingerprints()} == {other.id}
