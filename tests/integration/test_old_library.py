"""A library that an earlier version has written opens and goes on.

Each file was made with the commit in its name, the last one of its format: `import` of 12 documents
(texts of the demo, and damaged copies), `analyze`, `dismiss 8 9`. None is ever made anew; another
format gets another file.
"""

from __future__ import annotations

import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import paperless_fingerprint as pf
from paperless_fingerprint.stores.sqlite import schema

FIXTURES = Path(__file__).parent.parent / "fixtures"
#: By the version of their format.
WRITTEN = {1: "9f30fad", 2: "dd6479a", 3: "4e937d0", 4: "00a9411", 5: "d798b65"}
PAIRS = {(1, 2): "near", (3, 4): "exact", (5, 6): "contains", (7, 11): "version"}
GROUPS = {(1, 2), (3, 4)}


@pytest.fixture(params=WRITTEN)
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "library.db"
    packed = FIXTURES / f"library-{WRITTEN[request.param]}.db.xz"
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (request.param,)
    return f"sqlite:///{path}"


def _pairs(library: pf.Library) -> dict[tuple[int, int], str]:
    return {(pair.a, pair.b): pair.relation.value for pair in library.pairs()}


def test_every_format_that_was_ever_written_is_tried() -> None:
    assert list(WRITTEN) == list(range(1, schema.VERSION + 1))


def test_what_was_found_and_said_is_there(address: str) -> None:
    with pf.Library(address, create=False) as library:
        assert len(library.store.ids()) == 12
        assert _pairs(library) == PAIRS
        assert {group.members for group in library.groups()} == GROUPS
        versions = library.about(7).versions
        assert versions is not None
        assert versions.members == (7, 11)
        assert [said.by for said in library.about(9).decisions] == ["anna"]
        assert [hit.id for hit in library.search("FINGERPRINT:3_90").hits] == [4]
        assert {hit.id for hit in library.search("studio AND lease").hits} <= {7, 11}


def test_the_next_document_is_taken_in_and_all_is_as_in_a_new_library(
    address: str, tmp_path: Path
) -> None:
    """A judgement that has changed since may call a pair something else, but the same in both."""
    with pf.Library(address, create=False) as library, _new(tmp_path, library) as new:
        again = pf.Document(13, title="Tea again", content=library.about(10).document.content)
        for one in (library, new):
            one.add(again)
            one.analyse()
        expected = _pairs(new)
        assert {(1, 2), (3, 4), (10, 13)} <= set(expected)
        assert _pairs(library) == expected
        for full in (False, True):
            report = library.analyse(full=full)
            assert report.documents == (13 if full else 0)
            assert _pairs(library) == expected
        groups = {group.members for group in library.groups()}
        assert groups == {group.members for group in new.groups()}
        assert (8, 9) not in expected
        library.undo(8, 9)
        assert _pairs(library) == expected | {(8, 9): "near"}


def _new(folder: Path, old: pf.Library) -> pf.Library:
    new = pf.Library(f"sqlite:///{folder}/new.db")
    new.add(*(old.about(id).document for id in old.store.ids()))
    new.analyse()
    new.dismiss(8, 9, by="anna")
    return new
