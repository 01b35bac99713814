"""Fixtures for the tests of the service: the stand-in Paperless and a server before it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kinds_of_store import KINDS, store_settings
from paperless_fingerprint.demo.stand_in import StandIn
from serving import Service, served

# Tests are no package; what those of Paperless share is used here, too.
sys.path.insert(0, str(Path(__file__).parents[1] / "integration"))


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    """Without its own limit of five sign-ins a minute, so that ours shows."""
    with StandIn(sign_ins_a_minute=10_000) as server:
        yield server


@pytest.fixture
def serve(stand_in, tmp_path) -> Iterator:
    """Starts services over an SQLite library, and ends them."""
    with ExitStack() as stack:

        def start(**more) -> Service:
            return stack.enter_context(served(tmp_path, stand_in, **more))

        yield start


@pytest.fixture(params=KINDS)
def both(request, stand_in, tmp_path) -> Iterator[Service]:
    """A service over each kind of store."""
    with ExitStack() as stack:
        more = store_settings(request, stack)
        yield stack.enter_context(served(tmp_path, stand_in, **more))


@pytest.fixture
def service(serve) -> Service:
    return serve()
