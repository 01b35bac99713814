"""Fixtures for the tests that start servers and processes."""

from __future__ import annotations

import sys
from pathlib import Path

# Tests are no package; the fixtures are a module beside them.
sys.path.insert(0, str(Path(__file__).parent))

from paperless_fixtures import certificate, client, connect, pauses, stand_in  # noqa: F401
