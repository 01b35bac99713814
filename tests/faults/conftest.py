"""Fixtures for the tests that break things on purpose."""

from __future__ import annotations

import sys
from pathlib import Path

# Tests are no package; what those of Paperless share is used here, too.
sys.path.insert(0, str(Path(__file__).parents[1] / "integration"))
sys.path.insert(0, str(Path(__file__).parent))

from paperless_fixtures import stand_in  # noqa: F401
