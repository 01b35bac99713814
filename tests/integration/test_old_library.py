"""A library that an earlier version has written opens and goes on.

The file was made with the commit in its name: `import` of 12 documents (texts of the demo, and
damaged copies), `analyze`, `dismiss 8 9`. It is never made anew; another version gets another file.
"""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

import paperless_fingerprint as pf

WRITTEN = Path(__file__).parent.parent / "fixtures" / "library-00a9411.db.xz"
PAIRS = {(1, 2): "near", (3, 4): "exact", (5, 6): "contains", (7, 11): "version"}
GROUPS = {(1, 2), (3, 4)}


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "library.db").write_bytes(lzma.decompress(WRITTEN.read_bytes()))
    return f"sqlite:///{tmp_path}/library.db"


def _pairs(library: pf.Library) -> dict[tuple[int, int], str]:
    return {(pair.a, pair.b): pair.relation.value for pair in library.pairs()}


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


def test_the_next_document_is_taken_in_and_nothing_is_lost(address: str) -> None:
    with pf.Library(address, create=False) as library:
        text = library.about(10).document.content
        library.add(pf.Document(13, title="Tea again", content=text))
        library.analyse()
        expected = PAIRS | {(10, 13): "exact"}
        assert _pairs(library) == expected
        assert {group.members for group in library.groups()} == GROUPS | {(10, 13)}
        for full in (False, True):
            report = library.analyse(full=full)
            assert report.documents == (13 if full else 0)
            assert _pairs(library) == expected
        library.undo(8, 9)
        assert _pairs(library) == expected | {(8, 9): "near"}
