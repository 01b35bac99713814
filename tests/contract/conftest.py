"""One fixture over every way to keep a library. No test here knows which one it got."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from libraries import STORES, Library, opened_stores
from paperless_fingerprint.stores.base import Store


@pytest.fixture(params=STORES)
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    """Makes as many fresh libraries of one kind as a test asks for."""
    with opened_stores(request.param, request, tmp_path) as make:
        yield make


@pytest.fixture
def store(library: Library) -> Store:
    return library()
