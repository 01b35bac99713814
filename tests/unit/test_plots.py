"""The pictures of the benchmarks (benchmarks/plots.py), run as `make bench` runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

PLOTS = Path(__file__).parents[2] / "benchmarks" / "plots.py"
SVG = "{http://www.w3.org/2000/svg}"


def row(store: str, documents: int, seconds: float) -> dict[str, Any]:
    return {"store": store, "documents": documents, "import, CPU s": seconds}


def drawn(folder: Path, *more: str) -> list[str]:
    subprocess.run([sys.executable, PLOTS, folder, *more], check=True, capture_output=True)
    return sorted(path.name for path in folder.glob("*.svg"))


def picture(path: Path) -> ET.Element:
    return ET.fromstring(path.read_text())


def texts(path: Path) -> list[str]:
    return [element.text or "" for element in picture(path).iter(f"{SVG}text")]


def test_growth_has_a_line_for_each_store_and_names_the_machine(tmp_path: Path) -> None:
    rows = [row("sqlite", n, n / 1000) for n in (10_000, 30_000)] + [row("9.2.0", 10_000, 20)]
    (tmp_path / "analysis.json").write_text(json.dumps(rows))
    (tmp_path / "machine.json").write_text(json.dumps({"processor": "Z80 <8 bit>"}))
    assert drawn(tmp_path) == ["growth.svg"]
    shown = texts(tmp_path / "growth.svg")
    assert "SQLite, import" in shown
    assert "Elasticsearch 9.2.0, import" in shown
    assert "processor Z80 <8 bit>" in shown
    # Nothing was measured of the memory, so there is no empty panel of it.
    assert not [text for text in shown if text.startswith("Memory")]


def test_a_point_from_elsewhere_comes_in_and_replaces_one_of_its_size(tmp_path: Path) -> None:
    (tmp_path / "analysis.json").write_text(json.dumps([row("sqlite", 10_000, 4)]))
    drawn(tmp_path, "--add", json.dumps(row("sqlite", 1_000_000, 400)))
    assert "1,000,000" in texts(tmp_path / "growth.svg")
    drawn(tmp_path, "--add", json.dumps(row("sqlite", 1_000_000, 300)))
    told = json.loads((tmp_path / "analysis.json").read_text())
    assert [(each["documents"], each["import, CPU s"]) for each in told] == [
        (10_000, 4),
        (1_000_000, 300),
    ]


def test_a_picture_has_its_colours_for_light_and_for_dark(tmp_path: Path) -> None:
    (tmp_path / "analysis.json").write_text(json.dumps([row("sqlite", 10_000, 4)]))
    drawn(tmp_path)
    whole = picture(tmp_path / "growth.svg")
    light, dark = "".join(whole.find(f"{SVG}style").itertext()).split("@media")  # type: ignore[union-attr]
    assert "prefers-color-scheme:dark" in dark
    classes = {name for each in whole.iter() for name in each.get("class", "").split()}
    for name in classes - {"f", "s"}:
        assert f".{name}{{--c:" in light
        assert f".{name}{{--c:" in dark


def test_a_search_says_what_is_found_and_what_is_wrong(tmp_path: Path) -> None:
    way = {"store": "sqlite", "documents": 5_000, "p50 ms": 3.0, "p95 ms": 9.0}
    rows = [
        {**way, "way": "plain"},
        {**way, "way": "_20, whole", "right": 9, "possible": 10, "wrong": 0},
        {**way, "way": "LSHEnsemble", "right": 5, "possible": 10, "wrong": 7},
        {**way, "way": "any overlap, whole"},
    ]
    (tmp_path / "search.json").write_text(json.dumps(rows))
    assert drawn(tmp_path) == ["search.svg"]
    shown = " ".join(texts(tmp_path / "search.svg"))
    assert "FINGERPRINT _20: 0 of those shown are wrong" in shown
    assert "LSHEnsemble: 7 of those shown are wrong" in shown
    assert "any overlap" not in shown


def test_what_takes_too_little_to_be_measured_has_a_bar_too(tmp_path: Path) -> None:
    way = {"documents": 20, "duplicates": 9, "made documents": 300, "found": 0.5}
    rows = [
        {**way, "way": name, "right of those called duplicate": 1.0, "CPU s": seconds}
        for name, seconds in (("same text", 0.0), ("paperless-fingerprint", 0.3))
    ]
    (tmp_path / "peers.json").write_text(json.dumps(rows))
    assert drawn(tmp_path) == ["others.svg"]
    assert texts(tmp_path / "others.svg").count("same text") == 3


def test_what_is_found_and_how_sure_it_is_are_drawn_as_shares(tmp_path: Path) -> None:
    found = [
        {"by": by, "in common": at / 10, "pairs": 9, "found": at / 10}
        for by in ("this program", "another")
        for at in range(10)
    ]
    (tmp_path / "levels.json").write_text(json.dumps(found))
    row = {"said": "version", "pairs": 9, "on average": 0.8, "related": 0.75, "so": 0.5}
    (tmp_path / "sure.json").write_text(json.dumps([row]))
    assert drawn(tmp_path) == ["levels.svg", "sure.svg"]
    assert {"this program", "another"} < set(texts(tmp_path / "levels.svg"))
    related, so = picture(tmp_path / "sure.svg").iter(f"{SVG}circle")
    # Upwards is less.
    assert float(related.get("cy", 0)) < float(so.get("cy", 0))


def test_without_figures_nothing_is_drawn(tmp_path: Path) -> None:
    assert drawn(tmp_path) == []
