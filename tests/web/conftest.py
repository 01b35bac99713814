"""Fixtures for the tests of the service: the stand-in Paperless and a server before it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest

from paperless_fingerprint.demo.stand_in import StandIn
from serving import Service, served

# Tests are no package; what those of Paperless share is used here, too.
sys.path.insert(0, str(Path(__file__).parents[1] / "integration"))


STORES = [
    pytest.param("sqlite", id="sqlite"),
    pytest.param("elasticsearch9", id="elasticsearch9", marks=pytest.mark.elasticsearch),
]


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


@pytest.fixture(params=STORES)
def both(request, stand_in, tmp_path) -> Iterator[Service]:
    """A service over each kind of store."""
    with ExitStack() as stack:
        more = {}
        if request.param != "sqlite":
            from elasticsearch_nodes import delete_indices

            address = request.getfixturevalue(request.param)
            prefix = f"pf-test-{uuid4().hex}"
            stack.callback(delete_indices, address, prefix)
            more = {"store": address, "elasticsearch_prefix": prefix}
        yield stack.enter_context(served(tmp_path, stand_in, **more))


@pytest.fixture
def service(serve) -> Service:
    return serve()
