"""The program as a person or a script uses it."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from documents import damaged, some_text, stored
from paperless_fingerprint.cli import main
from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.stores.sqlite import SqliteStore


class Program:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = f"sqlite:///{folder}/library.db"

    def __call__(self, *arguments: str, input: str | None = None) -> Result:
        return CliRunner().invoke(main, ["--store", self.store, *arguments], input=input)

    def json(self, *arguments: str) -> list[dict]:
        done = self(*arguments, "--json")
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    def file(self, *documents: dict | str) -> str:
        path = self.folder / "documents.jsonl"
        path.write_text("\n".join(d if isinstance(d, str) else json.dumps(d) for d in documents))
        return str(path)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Program(tmp_path)


LETTER = (
    "Stadtwerke Köln, Parkgürtel 24. Rechnung Nr. 2024-117 vom 3. März 2024 an Frau Erika "
    "Sommer, Rosenweg 5. Wir berechnen Ihnen für die Lieferung von Strom im Zeitraum vom 1. Februar "
    "bis 29. Februar 2024 den Betrag von 118,20 Euro. Der Zählerstand betrug 45.213 kWh. Bitte "
    "überweisen Sie bis zum 20. März 2024 auf das Konto DE02 1203 0000 0000 2020 51."
)


def test_from_import_to_pairs_and_groups(program: Program) -> None:
    rescan = LETTER.replace("Köln", "Koln").replace("Rosenweg", "Rosenweq")
    later = (
        LETTER.replace("März", "April").replace("Februar", "März").replace("29.", "31.")
        .replace("2024-117", "2024-188").replace("118,20", "97,35").replace("45.213", "45.518")
    )  # fmt: skip
    file = program.file(
        {"id": 1, "title": "Strom Februar", "content": LETTER, "added": "2024-03-05"},
        {"id": 2, "title": "Scan 7", "content": rescan, "added": "2024-03-09"},
        {"id": 3, "title": "Strom März", "content": later},
        {"id": 4, "title": "Kopie", "content": LETTER.upper()},
        {"id": 5, "title": "leer", "content": ""},
        {"id": 6, "title": "leer", "content": ""},
    )
    assert program("import", file).exit_code == 0
    done = program("analyze")
    assert done.exit_code == 0
    assert "6 documents" in done.stderr
    assert done.stdout == ""
    pairs = {(pair["a"], pair["b"]): pair for pair in program.json("pairs")}
    assert {key: pair["relation"] for key, pair in pairs.items()} == {
        (1, 2): "near",
        (1, 4): "exact",
        (2, 4): "near",
    }
    assert set(pairs[1, 2]) >= {
        "a", "b", "relation", "confidence", "score", "jaccard", "containment_ab", "containment_ba",
        "fuzzy", "metadata", "title", "facts", "semantic",
    }  # fmt: skip
    assert pairs[1, 2]["semantic"] is None
    [group] = program.json("groups")
    assert group["members"] == [1, 2, 4]
    assert group["primary"] == 1
    assert group["relation"] == "near"
    [shown] = program.json("show", "2")
    assert shown["group"]["id"] == group["id"]
    assert len(shown["pairs"]) == 2
    table = program("pairs")
    assert "Strom Februar" in table.stdout
    assert program("show", "2").exit_code == 0
    assert program("groups").exit_code == 0


def test_the_second_import_and_analysis_do_nothing(program: Program) -> None:
    file = program.file(*({"id": id, "content": some_text(60, id)} for id in range(1, 8)))
    assert program.json("import", file)[0]["new"] == 7
    assert program.json("analyze")[0]["documents"] == 7
    assert program.json("import", file)[0] == {
        "new": 0, "changed": 0, "metadata": 0, "unchanged": 7, "renewed": 0, "bad": [],
    }  # fmt: skip
    assert program.json("analyze")[0]["documents"] == 0
    assert program.json("analyze", "--full")[0]["documents"] == 7


def test_bad_lines_are_named_and_the_rest_is_in(program: Program) -> None:
    file = program.file(
        {"id": 1, "content": "eins"},
        "not json",
        {"content": "no id"},
        {"id": 1, "content": "twice"},
        {"id": 2, "content": "zwei"},
    )
    done = program("import", file)
    assert done.exit_code == 6
    for line in ("line 2:", "line 3:", "line 4:"):
        assert line in done.stderr
    assert "3 lines" in done.stderr
    assert program.json("show", "1")[0]["id"] == 1
    assert program.json("show", "2")[0]["id"] == 2
    as_json = program("import", file, "--json")
    assert as_json.exit_code == 6
    assert [bad["line"] for bad in json.loads(as_json.stdout)["bad"]] == [2, 3, 4]


def test_a_change_of_the_spec_fingerprints_anew(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = some_text(80, 1)
    file = program.file({"id": 1, "content": text}, {"id": 2, "content": damaged(text, 0.02, 1)})
    program("import", file)
    program("analyze")
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_FINGERPRINT_SHINGLE_WORDS", "5")
    checked = program("doctor")
    assert checked.exit_code == 5
    assert "makes the fingerprints again" in checked.stdout
    done = program("analyze")
    assert "2 documents are" in done.stderr
    assert program.json("show", "1")[0]["candidates"][0]["id"] == 2
    assert program("doctor").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["frobnicate"], 2, "No such command"),
        (["import"], 2, "Missing argument"),
        (["import", "/nowhere/file.jsonl"], 2, "cannot be read"),
        (["show", "1"], 5, "There is no library at"),
        (["show", "abc"], 2, "not a valid integer"),
        (["pairs"], 5, "import' or 'sync'"),
        (["pairs", "--relation", "template"], 2, "Invalid value"),
        (["--store", "ftp://x", "pairs"], 3, "no address of a store"),
        (["pairs", "--store", "sqlite:///"], 3, "no address of a store"),
        (["--store", "http://[::1", "pairs"], 3, "no address of Elasticsearch"),
        (["--config", "/nowhere.toml", "pairs"], 3, "is not there"),
    ],
)
def test_each_failure_has_its_code_and_says_what_to_do(
    program: Program, arguments: list[str], code: int, words: str
) -> None:
    done = program(*arguments)
    assert done.exit_code == code, done.output
    assert words in done.stderr
    assert "Traceback" not in done.output
    assert done.stdout == ""


@pytest.mark.parametrize("query", ["a\udcff", "SIMILAR:\udcff", "owner:\udcff", '*:"*"'])
def test_a_query_that_no_store_could_take(program: Program, query: str) -> None:
    assert program("import", program.file({"id": 1, "content": LETTER})).exit_code == 0
    for command in ("search", "related"):
        done = program(command, query)
        assert (done.exit_code, done.stdout) == (2, "") or command == "related", done.output
        assert done.exception is None or isinstance(done.exception, SystemExit)


def test_nobody_else_can_read_what_is_kept_of_the_texts(program: Program) -> None:
    before = os.umask(0)
    try:
        assert program("import", program.file({"id": 1, "content": LETTER})).exit_code == 0
        assert program("analyze").exit_code == 0
    finally:
        os.umask(before)
    files = {path.name: path.stat().st_mode & 0o777 for path in program.folder.glob("library.*")}
    assert {"library.db", "library.inbox.db.lock"} <= set(files)
    assert set(files.values()) == {0o600}


def test_doctor_names_files_that_an_earlier_version_left_open(program: Program) -> None:
    assert program("import", program.file({"id": 1, "content": LETTER})).exit_code == 0
    library = program.folder / "library.db"
    assert "FAIL  files" not in program("doctor").stdout
    library.chmod(0o644)
    done = program("doctor")
    assert done.exit_code == 3
    assert f"chmod 600 {library}" in done.stdout


@pytest.mark.parametrize("store", ["htp://u:s3cr3t@h", "http://u:x@s3cr3t@[::1"])
def test_a_password_in_an_address_is_not_repeated(program: Program, store: str) -> None:
    done = program("pairs", "--store", store)
    assert done.exit_code == 3
    assert "s3cr3t" not in done.output


def test_a_file_that_is_no_library_is_left_alone(program: Program, tmp_path: Path) -> None:
    file = program.file({"id": 1, "content": "x"})
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"this is no database" * 100)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE things (x)")
    connection.close()
    newer = tmp_path / "newer.db"
    CliRunner().invoke(main, ["import", file, "--store", f"sqlite:///{newer}"])
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    for path, words in (
        (garbage, "no SQLite database"),
        (foreign, "another program"),
        (newer, "newer paperless-fingerprint"),
    ):
        before = path.read_bytes()
        done = CliRunner().invoke(main, ["import", file, "--store", f"sqlite:///{path}"])
        assert (done.exit_code, words in done.stderr) == (5, True), done.output
        assert path.read_bytes() == before


def test_a_read_only_library_says_so(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "library.db")
    # What SQLite answers for a file without write permission, which root would have anyway.
    store._own().connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="write permission"):
        store.put([stored(1, "text")])
    store.close()


def test_a_full_disk_says_so_and_nothing_is_half_written(program: Program) -> None:
    program("import", program.file({"id": 1, "content": "x"}))
    store = SqliteStore(program.folder / "library.db")
    connection = store._own().connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(StoreError, match="disk is full"):
        store.put([stored(id, some_text(300, id)) for id in range(2, 200)])
    assert store.ids() == [1]
    assert [item.id for item in store.pending()] == [1]
    store.close()


def test_config_show_hides_secrets_and_names_origins(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN", "s3cr3t")
    rows = {row["setting"]: row for row in program.json("config", "show")}
    assert rows["store"]["origin"] == "flag"
    assert rows["paperless.token"]["origin"] == "environment"
    assert rows["near.threshold"]["variable"] == "PAPERLESS_FINGERPRINT_NEAR_THRESHOLD"
    assert "s3cr3t" not in json.dumps(rows)
    assert "s3cr3t" not in program("config", "show").output


def test_doctor_looks_at_the_store(program: Program) -> None:
    missing = program("doctor")
    assert missing.exit_code == 0
    assert "There is no library" in missing.stdout
    program("import", program.file({"id": 1, "content": "x"}))
    found = program("doctor")
    assert found.exit_code == 0
    assert "1 documents" in found.stdout
    assert "analyze" in found.stdout


def test_titles_cannot_speak_to_the_terminal(program: Program) -> None:
    title = "\x1b[31mred\x1b]0;owned\x07 [bold]x[/bold]"
    program(
        "import",
        program.file({"id": 1, "title": title, "content": LETTER}, {"id": 2, "content": LETTER}),
    )
    program("analyze")
    shown = program("pairs").stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[bold]" in shown


def test_what_a_person_says_is_remembered_and_taken_back(program: Program) -> None:
    copy = LETTER.replace("Köln", "Koln")
    program("import", program.file({"id": 1, "content": LETTER}, {"id": 2, "content": copy}))
    program("analyze")
    assert len(program.json("pairs")) == 1
    assert program("dismiss", "2", "1").exit_code == 0
    assert program.json("pairs") == program.json("groups") == []
    assert program("analyze", "--full").exit_code == 0
    assert program.json("pairs") == []
    exported = program("export", "decisions").stdout
    assert program("undo", "1", "2").exit_code == 0
    assert len(program.json("groups")) == 1
    assert program("primary", "2").exit_code == 0
    assert program.json("groups")[0]["primary"] == 2
    assert "primary" in program("undo").stderr
    assert program.json("confirm", "1", "2")[0]["verdict"] == "confirmed"
    assert program.json("pairs")[0]["confidence"] == 1.0
    (program.folder / "said.jsonl").write_text(exported)
    assert program("decisions", str(program.folder / "said.jsonl")).exit_code == 0
    program("analyze")
    assert program.json("pairs") == []
    assert program.json("compare", "1", "2")[0]["relation"] == "near"
    assert program("undo", "1").exit_code == 2


def test_an_export_is_safe_in_a_spreadsheet(program: Program) -> None:
    program(
        "import",
        program.file({"id": 1, "title": "=1+1", "content": LETTER}, {"id": 2, "content": LETTER}),
    )
    program("analyze")
    for what in ("pairs", "groups"):
        assert "'=1+1" in program("export", what).stdout
    assert program.json("tune", "--similarity-threshold", "0.9")[0]["now"]["groups"] == 1


def test_a_library_moves_to_another_store(program: Program) -> None:
    program("import", program.file({"id": 1, "content": LETTER}, {"id": 2, "content": LETTER}))
    program("analyze")
    target = f"sqlite:///{program.folder}/other.db"
    assert program("migrate", target).exit_code == 0
    before, uuid = program.json("pairs"), program.json("show", "1")[0]["uuid"]
    program.store = target
    assert program.json("pairs") == before
    assert program.json("show", "1")[0]["uuid"] == uuid
    assert program.json("analyze")[0]["documents"] == 0
    assert program("migrate", target).exit_code == 2


def test_every_command_has_help(program: Program) -> None:
    def walk(command, path: list[str]) -> None:
        done = CliRunner().invoke(main, [*path, "--help"])
        assert done.exit_code == 0
        assert len(done.output.splitlines()) > 3, path
        if hasattr(command, "list_commands"):
            context = __import__("click").Context(command)
            for name in command.list_commands(context):
                walk(command.get_command(context, name), [*path, name])

    walk(main, [])


def test_help_names_every_command_under_a_heading(program: Program) -> None:
    lines = program("--help").stdout.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert {"First steps:", "See results:", "Decide:", "Write to Paperless:"} <= set(headings)
    named = [line.split()[0] for line in lines[lines.index("First steps:") :] if line[:2] == "  "]
    assert sorted(named) == main.list_commands(click.Context(main))
    assert not any(line.endswith("...") for line in lines[1:])


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [(["aply"], "apply"), (["SERVE"], "serve"), (["config", "shw"], "show"),
     (["inbox", "retyr"], "retry")],
)  # fmt: skip
def test_a_misspelt_command_is_told_what_was_meant(
    program: Program, wrong: list[str], meant: str
) -> None:
    done = program(*wrong)
    assert done.exit_code == 2
    assert f"Did you mean {meant}" in done.stderr


def test_a_command_that_resembles_none(program: Program) -> None:
    done = program("xyzzy\x1b[31m")
    assert done.exit_code == 2
    assert "--help lists the commands" in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def completed(words: str, at: int) -> str:
        monkeypatch.setenv("_PAPERLESS_FINGERPRINT_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv(
            "COMP_CWORD", words.rsplit(maxsplit=1)[-1] if shell == "fish" else str(at)
        )
        with pytest.raises(SystemExit):
            main(prog_name="paperless-fingerprint")
        return capsys.readouterr().out

    told = completed("paperless-fingerprint con", 1)
    assert all(name in told for name in ("config", "confirm", "consume"))
    assert "apply" not in told
    assert "--dry-run" in completed("paperless-fingerprint apply --d", 2)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_completion_is_as_documented(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    assert f"_PAPERLESS_FINGERPRINT_COMPLETE={shell}_source paperless-fingerprint" in docs
    monkeypatch.setenv("_PAPERLESS_FINGERPRINT_COMPLETE", f"{shell}_source")
    with pytest.raises(SystemExit):
        main(prog_name="paperless-fingerprint")
    assert f"{shell}_complete" in capsys.readouterr().out


def test_serve_without_paperless_wants_a_library_and_this_machine_alone(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = program("serve", "--port", "0")
    assert done.exit_code == 3
    assert "The address of Paperless is not set" in done.stderr
    program("import", program.file({"id": 1, "content": "eins"}))
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_SERVICE_SECRET", "long enough")
    done = program("serve", "--port", "0", "--host", "0.0.0.0")
    assert done.exit_code == 3
    assert "nobody can sign in" in done.stderr
    # A token without an address was meant for some Paperless.
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN", "0123456789abcdef")
    assert "The address of Paperless is not set" in program("serve", "--port", "0").stderr


def test_analyze_finds_translations_where_that_is_switched_on(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = Path(__file__).parents[2] / "benchmarks" / "semantic_pairs"
    lines = (pairs / "docs.jsonl").read_text().splitlines()[:14]
    ids = {json.loads(line)["id"] for line in lines}
    truth = json.loads((pairs / "truth.json").read_text())["pairs"]
    meant = {
        (min(p["a"], p["b"]), max(p["a"], p["b"]))
        for p in truth
        if p["label"] == "translation" and {p["a"], p["b"]} <= ids
    }
    assert meant
    program("import", program.file(*lines))
    program("analyze")
    assert program.json("pairs", "--relation", "semantic") == []
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_SEMANTIC_ENABLED", "true")
    assert "Embedded" in program("analyze", "--full").stderr
    found = {(p["a"], p["b"]) for p in program.json("pairs", "--relation", "semantic")}
    assert meant <= found
    program("dismiss", *map(str, min(meant)))
    program("analyze", "--full")
    assert min(meant) not in {(p["a"], p["b"]) for p in program.json("pairs")}
