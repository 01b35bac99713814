"""From evidence to a relation: what was learned, kept in one file and read by a few lines.

judgement.json holds four curves, each a sum of small trees over named figures (evidence.NAMES):
whether a first look leaves any hope, how likely two documents have anything to do with each other,
how likely one is a part of the other then, and how likely it was edited. `make fit` writes the file; it says itself what it was
learned from. Its id is its hash, which every library keeps beside what was judged by it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.comparison import shared
from paperless_fingerprint.comparison.evidence import NAMES
from paperless_fingerprint.errors import ConfigurationError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FORMAT = 1
CURVES = ("hope", "related", "part", "version")
FILE = "judgement.json"
_REPAIR = "Install paperless-fingerprint anew, or make the file with `make fit`."


@dataclass(frozen=True, slots=True)
class Chances:
    """How likely each answer is; they sum up to one."""

    near: float
    version: float
    contains: float
    other: float

    @property
    def related(self) -> float:
        return 1 - self.other


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A sum of trees. A leaf leads to itself, so that all trees are walked for the same number of steps."""

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    roots: Ints
    depth: int

    @classmethod
    def of(cls, written: Mapping[str, Any], features: int) -> Curve:
        feature, left, right, roots = (
            np.array(written[name], np.int64) for name in ("feature", "left", "right", "roots")
        )
        threshold, value = (np.array(written[name], np.float64) for name in ("threshold", "value"))
        nodes = len(feature)
        lengths = {len(column) for column in (left, right, threshold, value)}
        if lengths != {nodes} or not len(roots):
            raise ValueError("its columns are of different lengths")
        for column, limit in ((feature, features), (left, nodes), (right, nodes), (roots, nodes)):
            if len(column) and (column.min() < 0 or column.max() >= limit):
                raise ValueError("a number in it points nowhere")
        depth = int(written["depth"])
        if not 0 <= depth <= nodes:
            raise ValueError("its trees are deeper than they have nodes")
        if not (np.isfinite(threshold).all() and np.isfinite(value).all()):
            raise ValueError("a number in it is none")
        return cls(feature, threshold, left, right, value, roots, depth)

    def chances(self, rows: Floats) -> Floats:
        """Of each row."""
        node = np.repeat(self.roots[None, :], len(rows), axis=0)
        each = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            goes_left = rows[each, self.feature[node]] <= self.threshold[node]
            node = np.where(goes_left, self.left[node], self.right[node])
        total = self.value[node].sum(axis=1)
        chances: Floats = 1 / (1 + np.exp(-np.clip(total, -30, 30)))
        return chances


@dataclass(frozen=True, slots=True, eq=False)
class JudgementSpec:
    """What was learned. Pairs that were judged by two of them are not to be mixed."""

    id: str
    curves: Mapping[str, Curve]
    #: What leaves less hope at a first look is not looked at again.
    hope_from: float
    #: By what `related` says, how many in a hundred are related indeed; both ascend.
    said: Floats
    right: Floats
    provenance: Mapping[str, Any]

    @classmethod
    def read(cls, data: bytes, name: str = FILE) -> JudgementSpec:
        try:
            written = json.loads(data)
            if written["format"] != FORMAT:
                raise ConfigurationError(
                    f"{name} is written in format {written['format']}, and this version reads "
                    f"format {FORMAT}. {_REPAIR}"
                )
            names = tuple(written["features"])
            if names != NAMES:
                unknown = sorted(set(names) ^ set(NAMES))[:3] or ["their order"]
                raise ConfigurationError(
                    f"{name} was learned from other figures than this version computes "
                    f"({', '.join(unknown)}). {_REPAIR}"
                )
            figures = {"hope": len(shared.NAMES)}
            curves = {
                curve: Curve.of(written["curves"][curve], figures.get(curve, len(NAMES)))
                for curve in CURVES
            }
            said, right = (
                np.array(written["calibration"][key], float) for key in ("said", "right")
            )
            if len(said) != len(right) or len(said) < 2 or (np.diff(said) <= 0).any():
                raise ValueError("its calibration does not ascend")  # noqa: TRY301
            return cls(
                hashlib.blake2b(data, digest_size=6).hexdigest(),
                curves,
                float(written["hope_from"]),
                said,
                right,
                written["provenance"],
            )
        except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"{name}, by which pairs are judged, is damaged ({error}). {_REPAIR}"
            ) from error

    def hopeless(self, looks: npt.ArrayLike) -> list[bool]:
        """Of pairs, by the figures of a first look."""
        table = np.atleast_2d(np.asarray(looks, np.float64))
        found: list[bool] = (self.curves["hope"].chances(table) < self.hope_from).tolist()
        return found

    def chances(self, rows: npt.ArrayLike) -> list[Chances]:
        """Of pairs, by their features."""
        table = np.atleast_2d(np.asarray(rows, np.float64))
        related, part, version = (self.curves[name].chances(table) for name in CURVES[1:])
        related = np.interp(related, self.said, self.right)
        found = zip(
            (related * (1 - part) * (1 - version)).tolist(),
            (related * (1 - part) * version).tolist(),
            (related * part).tolist(),
            (1 - related).tolist(),
            strict=True,
        )
        return [Chances(*each) for each in found]


@cache
def learned() -> JudgementSpec:
    """The one that comes with the program."""
    try:
        data = (resources.files(__package__) / FILE).read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"{FILE}, by which pairs are judged, cannot be read: {error}. {_REPAIR}"
        ) from error
    return JudgementSpec.read(data)
