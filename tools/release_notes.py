"""`python tools/release_notes.py 1.0.0`: that version's section of the changelog, on stdout."""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parent.parent / "CHANGELOG.md"


def notes(changelog: str, version: str) -> str:
    """Raises where the changelog has no such section, or an empty one."""
    found = re.search(
        rf"^## \[?{re.escape(version)}\]?(?: [^\n]*)?\n(.*?)(?=^## |\Z)",
        changelog,
        re.MULTILINE | re.DOTALL,
    )
    if found is None or not found[1].strip():
        raise LookupError(f"CHANGELOG.md says nothing about {version}")
    return found[1].strip() + "\n"


def main() -> None:
    try:
        sys.stdout.write(notes(CHANGELOG.read_text(encoding="utf-8"), sys.argv[1]))
    except (IndexError, LookupError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
