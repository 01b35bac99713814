"""The front door: what `import paperless_fingerprint` offers."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import paperless_fingerprint as pf
from documents import damaged, some_text

ROOT = Path(__file__).parent.parent.parent
TEXT = some_text(200, 1)


@pytest.fixture(autouse=True)
def _no_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def test_every_name_is_there_and_known_to_type_checkers() -> None:
    tree = ast.parse((ROOT / "src" / "paperless_fingerprint" / "__init__.py").read_text())
    typed = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != "typing" and node.level == 0
        for alias in node.names
        if node.module.startswith("paperless_fingerprint")
    }
    assert typed | {"__version__"} == set(pf.__all__) == set(dir(pf))
    assert all(getattr(pf, name) is not None for name in pf.__all__)
    with pytest.raises(AttributeError, match="Libary"):
        pf.Libary  # noqa: B018


def test_the_examples_of_the_docs_run(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "python.md").read_text()
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "docs/python.md", "exec"), names)
    shown = capsys.readouterr().out
    assert "near 0.9" in shown
    assert "keep 1 of (1, 2)" in shown


def test_two_texts_are_compared_in_their_order() -> None:
    whole = f"{some_text(150, 2)} {TEXT}"
    for documents in ((TEXT, whole), (pf.Document(9, content=TEXT), pf.Document(3, content=whole))):
        found = pf.compare(*documents)
        assert found.relation is pf.Relation.CONTAINS
        assert (found.pair.a, found.pair.b, found.pair.leader) == (1, 2, 2)
        assert found.confidence == found.pair.confidence


def test_a_library_is_filled_looked_at_and_decided_on() -> None:
    with pf.Library("sqlite:///a.db") as library:
        report = library.add(pf.Document(1, content=TEXT), pf.Document(2, content=TEXT))
        assert report.new == 2
        assert library.add(pf.Document(1, content=TEXT)).unchanged == 1
        assert dict(library.analyse().found) == {"exact": 1}
        assert [pair.relation for pair in library.pairs(relation="exact")] == ["exact"]
        assert not list(library.pairs(relation="near"))
        assert library.choose_primary(2).a == 2
        assert [group.primary for group in library.groups()] == [2]
        assert library.about(1).group == next(library.groups())
        assert [hit.id for hit in library.search("FINGERPRINT:1").hits] == [2]
        assert [link.id for link in library.related("1").links] == [2]
        library.dismiss(1, 2, by="anna")
        assert not list(library.pairs())
        assert [said.by for said in library.undo(2, 1)] == ["anna"]
        assert list(library.pairs())


def test_settings_are_named_as_in_the_environment() -> None:
    with pf.Library("sqlite:///a.db", near_threshold=0.9, min_words=30) as library:
        assert (library.settings.near.threshold, library.settings.min_words) == (0.9, 30)
        settings = library.settings
    with pf.Library(settings=settings, create=False) as library:
        assert library.settings.near.threshold == 0.9
    with pytest.raises(pf.ConfigurationError, match="'near' is no setting"):
        pf.Library("sqlite:///a.db", near=0.9)
    with pytest.raises(pf.UsageError, match="either"):
        pf.Library("sqlite:///a.db", settings=settings)


@pytest.mark.parametrize(
    ("id", "content"), [(0, "words"), (2**40, "words"), (True, "words"), (2, {"no": "text"})]
)
def test_what_is_no_document_is_refused_before_anything_is_written(
    id: int, content: object
) -> None:
    with pf.Library("sqlite:///a.db") as library:
        with pytest.raises(pf.UsageError, match="cannot be taken in"):
            library.add(pf.Document(1, content=TEXT), pf.Document(id, content=content))  # type: ignore[arg-type]
        assert library.store.ids() == []


def test_what_no_store_keeps_is_mended() -> None:
    with pf.Library("sqlite:///a.db") as library:
        library.add(pf.Document(1, title="a\0b", content="half \ud800 a pair", tags=("x\0",)))
        kept = library.about(1).document
        assert (kept.title, kept.content, kept.tags) == (
            "a\ufffdb",
            "half \ufffd a pair",
            ("x\ufffd",),
        )


def test_wrong_names_are_told() -> None:
    with pf.Library("sqlite:///a.db") as library:
        for call in (
            lambda: library.pairs(relation="twin"),
            lambda: library.undo(1),
            lambda: library.related("12_40"),
            lambda: library.about(12),
            lambda: pf.interop.signature(library, 12),
        ):
            with pytest.raises(pf.UsageError):
                call()
    with pytest.raises(pf.StoreError):
        pf.Library("sqlite:///b.db", create=False)


def test_paperless_is_told_of_every_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    owed: list[set[int]] = []
    monkeypatch.setattr(
        "paperless_fingerprint.integration.context.owe", lambda _, ids: owed.append(set(ids))
    )
    with pf.Library("sqlite:///a.db", paperless_url="http://localhost:1") as library:
        library.add(pf.Document(1, content=TEXT), pf.Document(2, content=TEXT))
        library.analyse()
        library.dismiss(1, 2)
        library.undo()
        library.confirm(1, 2)
    assert owed == [{1, 2}] * 3


def test_datasketch_estimates_as_we_do() -> None:
    """Whoever shares a band with us shares one in datasketch, and the estimates are the same."""
    import datasketch
    import numpy as np

    from paperless_fingerprint.fingerprints.fingerprint import fingerprint
    from paperless_fingerprint.fingerprints.shingles import overlap, shingle_hashes
    from paperless_fingerprint.fingerprints.sketch import band_keys, minhash
    from paperless_fingerprint.text.normalise import normalise

    texts = {1: TEXT, **{n: damaged(TEXT, n / 60, seed=n) for n in range(2, 15)}}
    with pf.Library("sqlite:///a.db") as library:
        library.add(*(pf.Document(id, content=text) for id, text in texts.items()))
        library.add(pf.Document(99, content="too short"))
        spec = library.settings.spec()
        found = dict(pf.interop.signatures(library))
        assert pf.interop.signature(library, 3) == found[3] == pf.interop.signature_of(texts[3])
    assert sorted(found) == sorted(texts)

    hashes = {n: shingle_hashes(normalise(text), spec.shingle_words) for n, text in texts.items()}
    ours = {n: minhash(each, spec.permutations) for n, each in hashes.items()}
    keys = {n: set(enumerate(band_keys(fingerprint(t, spec)).tolist())) for n, t in texts.items()}
    index = datasketch.MinHashLSH(num_perm=spec.permutations, params=(spec.bands, spec.rows))
    forest = datasketch.MinHashLSHForest(num_perm=spec.permutations)
    for id, signature in found.items():
        index.insert(id, signature)
        forest.add(id, signature)
    forest.index()
    for a in texts:
        assert set(index.query(found[a])) == {b for b in texts if keys[a] & keys[b]}
        assert a in forest.query(found[a], 3)
        for b in texts:
            estimate = found[a].jaccard(found[b])
            assert estimate == np.mean(ours[a] == ours[b])
            assert abs(estimate - overlap(hashes[a], hashes[b]).jaccard) < 0.15
    with pytest.raises(ValueError, match="seed"):
        found[1].jaccard(datasketch.MinHash(num_perm=spec.permutations))
    other = pf.interop.signature_of(TEXT, pf.FingerprintSpec(shingle_words=2))
    with pytest.raises(ValueError, match="seed"):
        found[1].jaccard(other)


def test_exported_signatures_are_read_by_datasketch(tmp_path: Path) -> None:
    import datasketch
    from click.testing import CliRunner

    from paperless_fingerprint.cli import main

    with pf.Library("sqlite:///a.db") as library:
        library.add(pf.Document(1, content=TEXT), pf.Document(2, content=damaged(TEXT, 0.1, 3)))
        found = dict(pf.interop.signatures(library))
    done = CliRunner().invoke(main, ["--store", "sqlite:///a.db", "export", "signatures"])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row.pop("id") for row in rows] == [1, 2]
    read = [datasketch.LeanMinHash(**row, scheme="affine32") for row in rows]
    assert read == [found[1], found[2]]
