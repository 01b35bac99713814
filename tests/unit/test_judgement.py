"""What was learned is read from one file, and a file that is not one is never used."""

from __future__ import annotations

import json
from importlib import resources

import numpy as np
import pytest

from paperless_fingerprint import comparison
from paperless_fingerprint.comparison import shared
from paperless_fingerprint.comparison.evidence import NAMES
from paperless_fingerprint.comparison.judgement import FILE, Curve, JudgementSpec, learned
from paperless_fingerprint.errors import ConfigurationError

DATA = (resources.files(comparison) / FILE).read_bytes()


def changed(**values: object) -> bytes:
    return json.dumps({**json.loads(DATA), **values}).encode()


def test_the_id_is_that_of_the_file() -> None:
    spec = JudgementSpec.read(DATA)
    assert spec.id == learned().id
    assert JudgementSpec.read(DATA + b"\n").id != spec.id
    assert spec.provenance["sources"]


def test_the_file_is_small() -> None:
    assert len(DATA) < 1_000_000


def test_chances_sum_up_to_one_for_any_figures() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(300, len(NAMES))) * 10
    for one in learned().chances(rows):
        assert min(one.near, one.version, one.contains, one.other) >= 0
        assert one.near + one.version + one.contains + one.other == pytest.approx(1)


def test_many_pairs_are_told_what_each_is_told_alone() -> None:
    rows = np.random.default_rng(2).random((20, len(NAMES)))
    together = learned().chances(rows)
    assert together == [learned().chances(row)[0] for row in rows]
    looks = rows[:, : len(shared.NAMES)]
    assert learned().hopeless(looks) == [learned().hopeless(look)[0] for look in looks]


def test_a_tree_is_walked_to_its_leaf() -> None:
    curve = Curve.of(
        {
            "feature": [0, 0, 1, 0, 0],
            "threshold": [0.5, 0.0, 2.0, 0.0, 0.0],
            "left": [1, 1, 3, 3, 4],
            "right": [2, 1, 4, 3, 4],
            "value": [0.0, -1.0, 0.0, 2.0, 5.0],
            "roots": [0],
            "depth": 2,
        },
        2,
    )
    said = curve.chances(np.array([[0.5, 9.0], [0.6, 2.0], [0.6, 2.1]]))
    assert said == pytest.approx([1 / (1 + np.exp(-total)) for total in (-1.0, 2.0, 5.0)])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        DATA[: len(DATA) // 2],
        changed(format=2),
        changed(features=["length"]),
        changed(curves={}),
        changed(calibration={"said": [0.0, 0.0], "right": [0.0, 1.0]}),
        changed(hope_from="much"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(ConfigurationError, match=r"judgement\.json.*(make fit|anew)"):
        JudgementSpec.read(data)


def test_a_number_that_points_nowhere_is_refused() -> None:
    content = json.loads(DATA)
    content["curves"]["part"]["left"][0] = 10**9
    with pytest.raises(ConfigurationError, match="points nowhere"):
        JudgementSpec.read(json.dumps(content).encode())
