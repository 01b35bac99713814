"""`search` and `related` as a person or a script uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from documents import some_words, stored
from paperless_fingerprint.cli.context import Context
from paperless_fingerprint.cli.search import related, search
from paperless_fingerprint.errors import ExitCode, FingerprintError
from paperless_fingerprint.model import VersionChain
from paperless_fingerprint.stores.base import document_uuid
from paperless_fingerprint.stores.sqlite import SqliteStore

TOKENS = some_words(2000, seed=42)


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    store = SqliteStore(tmp_path / "library.db")
    store.put(
        [
            stored(id, " ".join(TOKENS[:count]), title=f"Doc\x1b[31m {id}")
            for id, count in {1: 2000, 2: 1000, 3: 1500, 4: 750}.items()
        ]
    )
    store.replace_chains([2, 4], [VersionChain("v2", (4, 2))])
    namespace = store.namespace
    store.close()

    def call(command, *arguments: str):
        context = Context(flags={"store": f"sqlite:///{tmp_path}/library.db"})
        return CliRunner().invoke(command, arguments, obj=context)

    call.uuid = lambda id: document_uuid(namespace, id)
    return call


def rows(done) -> list[dict]:
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_json_has_the_keys_that_scripts_rely_on(ask) -> None:
    found = rows(ask(search, "FINGERPRINT:1_20_80", "--json"))
    assert [row["id"] for row in found] == [3, 2]
    assert list(found[0]) == [
        "id", "uuid", "title", "jaccard", "containment", "reverse_containment", "distance",
        "is_latest", "score",
    ]  # fmt: skip
    assert found[0]["uuid"] == ask.uuid(3)
    words = rows(ask(search, "doc", "--json", "--limit", "1"))
    assert words[0]["jaccard"] is None


def test_history_is_shown_when_asked_for(ask) -> None:
    found = rows(ask(search, "FINGERPRINT:1", "--json", "--include-history"))
    assert {row["id"]: row["is_latest"] for row in found} == {3: True, 2: True, 4: False}


def test_a_table_for_people(ask) -> None:
    done = ask(search, "FINGERPRINT:1", "--limit", "1")
    assert "75%" in done.stdout
    assert "\x1b[31m" not in done.output
    assert "1 of 2 found" in done.stderr
    token = done.stderr.split("--after ")[1].split()[0]
    assert "50%" in ask(search, "FINGERPRINT:1", "--after", token).stdout


def test_what_was_found_is_shown_where_it_stands(ask) -> None:
    word = TOKENS[700]
    [first, *_] = ask(search, word, "--passages", "--json").stdout.splitlines()
    [passage] = json.loads(first)["passages"]["found"]
    assert [piece["text"] for piece in passage["pieces"] if piece["found"]] == [word]
    assert "«" in ask(search, word, "--passages").stdout
    assert "passages" not in json.loads(ask(search, word, "--json").stdout.splitlines()[0])


def test_a_miss_names_words_that_may_have_been_meant(ask) -> None:
    word = max(TOKENS[:700], key=len)
    done = ask(search, word[:-1])
    assert done.exit_code == 0
    assert f"No document has '{word[:-1]}'" in done.stderr
    assert word in done.stderr


def test_an_error_points_at_the_character(ask) -> None:
    done = ask(search, "doc AND FINGERPRINT:1_200")
    assert isinstance(done.exception, FingerprintError)
    assert done.exception.exit_code == ExitCode.USAGE
    assert str(done.exception).splitlines()[2].index("^") == 2 + len("doc AND FINGERPRINT:1_")


def test_an_unknown_document_is_a_note(ask) -> None:
    done = ask(search, "FINGERPRINT:99", "--json")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "There is no document 99" in done.stderr


def test_the_plan(ask) -> None:
    done = ask(search, "FINGERPRINT:1_20_80 AND doc", "--explain")
    assert "at least" in done.stdout
    assert "a hit with 20 % is found with 8" in done.stdout
    assert "SELECT" in done.stdout
    [plan] = rows(ask(search, "FINGERPRINT:1_20_80", "--explain", "--json"))
    assert plan["terms"][0]["groups"]


def test_related_walks_the_graph(ask) -> None:
    near = rows(ask(related, "1", "--depth", "1", "--max-distance", "0.3", "--json"))
    assert [(row["id"], row["depth"], row["via"]) for row in near] == [(3, 1, 1)]
    far = rows(ask(related, ask.uuid(1), "--max-distance", "0.4", "--json"))
    assert [(row["id"], row["depth"], row["via"]) for row in far] == [(3, 1, 1), (2, 2, 3)]
    assert far[0]["distance"] == pytest.approx(1 - far[0]["jaccard"], abs=1e-6)
    done = ask(related, "1", "--limit", "1")
    assert "there are more" in done.stderr


@pytest.mark.parametrize(
    "arguments", [("1_20",), ("1", "--depth", "99"), ("1", "--max-distance", "2")]
)
def test_related_says_what_is_wrong(ask, arguments) -> None:
    done = ask(related, *arguments)
    code = getattr(done.exception, "exit_code", done.exit_code)
    assert code == ExitCode.USAGE
