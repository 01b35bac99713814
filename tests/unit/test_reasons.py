"""Reasons: codes with values, and their sentences."""

from __future__ import annotations

import ast
import json
import sqlite3
from pathlib import Path

import orjson
import pytest

import paperless_fingerprint
from paperless_fingerprint.files.sqlite import SqliteFile
from paperless_fingerprint.languages import SPOKEN, speaking
from paperless_fingerprint.languages.reasons import KINDS, TEXTS, Reason
from paperless_fingerprint.model import Pair, Relation
from paperless_fingerprint.stores.elasticsearch import rows as elasticsearch_rows
from paperless_fingerprint.stores.elasticsearch.failures import _ANSWERS, _BLOCKS, Failures
from paperless_fingerprint.stores.sqlite import rows as sqlite_rows

ROOT = Path(paperless_fingerprint.__file__).parent
PAIR = Pair(
    1,
    2,
    Relation.NEAR,
    0.9,
    reasons=(
        Reason("same_fact", {"kind": "invoice number", "value": "2024-117"}),
        Reason("share", {"share": 0.9831}),
        Reason("same_kinds", {"kinds": ["amounts", "dates"]}),
        Reason("same_file"),
    ),
)
SENTENCES = ["same invoice number 2024-117", "98 % of the text matches", "the same amounts and dates",
             "the files are identical"]  # fmt: skip


def _codes_in_the_source() -> set[str]:
    """Reason("code", …), store_error("code", …), and tables and choices of codes beside them."""
    found = set()
    for path in ROOT.rglob("*.py"):
        text = path.read_text("utf-8")
        if (
            ("Reason" in text or "store_error(" in text)
            and path.name != "__init__.py"
            and path.parent.name != "languages"
        ):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.add(node.value)
    return found


def test_every_code_is_given_somewhere() -> None:
    assert sorted(TEXTS.keys() - _codes_in_the_source()) == []


def test_every_code_that_is_given_has_its_text() -> None:
    given = set()
    rooms = ("comparison", "semantic", "stores", "files", "paperless", "integration")
    for path in (path for room in rooms for path in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"Reason", "_share"}:
                given |= {arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant)}
    assert len(given) > 10
    assert sorted(given - TEXTS.keys()) == []


def test_why_a_store_cannot_be_used_is_said_in_the_language_of_whoever_reads(tmp_path) -> None:
    said = {}
    for text in ("disk is full", "attempt to write a readonly database", "database is locked",
                 "file is not a database", "unable to open database file", "no such table"):  # fmt: skip
        error = SqliteFile(tmp_path / "library.db")._explained(sqlite3.OperationalError(text))
        said[text] = (str(error), _german(error))
    server = Failures("http://one:9200")
    for reason, _, _ in _BLOCKS:
        said[reason] = (str(server.blocked(reason)), _german(server.blocked(reason)))
    for code in {*_ANSWERS.values(), "silent", "too_slow", "untrusted", "no_elasticsearch"}:
        error = server.store_error(code, said="4711", status=500)
        said[code] = (str(error), _german(error))
    for english, german in said.values():
        # No code is shown as such, and no half of a sentence stays English.
        assert english.split(": ", 1)[1] != german.split(": ", 1)[1]
        assert " " in english.split("used: ", 1)[1]
        assert "cannot be used" in english
        assert "kann nicht benutzt werden" in german
    assert said["disk is full"][0].endswith(
        "Make room and run the command again; nothing was half written."
    )
    assert "4711" in said["silent"][0]
    # What a server says besides is passed on as it is.
    assert str(server.store_error("100 % wrong")).endswith("cannot be used: 100 % wrong.")


def _german(error: Exception) -> str:
    with speaking("de"):
        return str(error)


def test_sentences_are_made_when_they_are_read() -> None:
    assert list(map(str, PAIR.reasons)) == SENTENCES
    with speaking("de"):
        assert str(PAIR.reasons[1]) != SENTENCES[1]
    with speaking("fr"):
        assert "98" in str(PAIR.reasons[1])
    # 99.6 % is not all of it.
    assert str(Reason("share", {"share": 0.996})) == "99 % of the text matches"


@pytest.mark.parametrize("store", ["sqlite", "elasticsearch"])
def test_stores_give_back_what_was_put_in(store: str) -> None:
    if store == "sqlite":
        found = sqlite_rows.pair_from(sqlite_rows.pair_row(PAIR))
    else:
        found = elasticsearch_rows.pair_from(json.loads(elasticsearch_rows.pair_body(PAIR)))
    assert found == PAIR


def test_sentences_of_an_earlier_version_are_shown_as_they_are() -> None:
    old = ["98 % of the text", "confirmed by anna"]
    row = list(sqlite_rows.pair_row(PAIR))
    row[6] = orjson.dumps(old)
    body = json.loads(elasticsearch_rows.pair_body(PAIR)) | {"reasons": old}
    for found in (sqlite_rows.pair_from(tuple(row)), elasticsearch_rows.pair_from(body)):
        assert list(map(str, found.reasons)) == old
    assert str(Reason.of({"code": "of a later version", "values": {}})) == "of a later version"


def test_languages_are_named_in_the_readers_language() -> None:
    reason = Reason("translation", {"one": "it", "other": "de"})
    assert str(reason) == "a translation: Italian and German"
    with speaking("de"):
        assert "Italienisch" in str(reason)
    with speaking("fr"):
        assert all(str(Reason("reworded", {"language": code})) for code in SPOKEN)


def test_every_kind_of_fact_has_a_name() -> None:
    from paperless_fingerprint.comparison.facts import labels
    from paperless_fingerprint.semantic import judgement

    named = {*labels(), "total", "date", *judgement._KINDS.values()}
    assert named <= KINDS.keys()
