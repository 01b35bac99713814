"""Against any running Paperless-ngx; without one that is named, nothing here runs.

    PAPERLESS_FINGERPRINT_REAL_URL=http://… PAPERLESS_FINGERPRINT_REAL_TOKEN=… \\
        python -m pytest tests/real

The token is an administrator's. Users, documents and labels are made for these tests alone, under
names that nobody else has, and removed in the end. Documents that were there before are not touched:
what works here sees only its own, and does not begin where it sees others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Tests are no package; what they share are modules beside them.
sys.path[:0] = [str(HERE), str(HERE.parent / "integration")]

from real_office import RealOffice, RealPaperless  # noqa: E402

URL, TOKEN = "PAPERLESS_FINGERPRINT_REAL_URL", "PAPERLESS_FINGERPRINT_REAL_TOKEN"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get(URL) and os.environ.get(TOKEN):
        return
    skip = pytest.mark.skip(reason=f"no real Paperless is named in {URL} and {TOKEN}")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(skip)


@pytest.fixture
def real() -> Iterator[RealPaperless]:
    with RealPaperless(os.environ[URL], os.environ[TOKEN]) as paperless:
        yield paperless


@pytest.fixture
def office(tmp_path: Path, real: RealPaperless) -> RealOffice:
    return RealOffice(tmp_path, real)
