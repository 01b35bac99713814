"""Both kinds of store, for tests that need no more of them than their settings."""

from __future__ import annotations

from contextlib import ExitStack
from uuid import uuid4

import pytest

from elasticsearch_nodes import delete_indices

KINDS = [
    pytest.param("sqlite", id="sqlite"),
    pytest.param("elasticsearch9", id="elasticsearch9", marks=pytest.mark.elasticsearch),
]


def store_settings(request: pytest.FixtureRequest, until: ExitStack) -> dict[str, str]:
    """The settings that choose the store of this parameter; what it leaves behind is deleted."""
    if request.param == "sqlite":
        return {}
    address = request.getfixturevalue(request.param)
    prefix = f"pf-test-{uuid4().hex}"
    until.callback(delete_indices, address, prefix)
    return {"store": address, "elasticsearch_prefix": prefix}
