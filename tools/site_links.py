"""For MkDocs: links to files beside docs/ lead to the repository, which the site does not hold."""

from __future__ import annotations

import re
from typing import Any

REPOSITORY = "https://github.com/paperless-fingerprint/paperless-fingerprint/blob/main/"


def on_page_markdown(markdown: str, **_: Any) -> str:
    return re.sub(r"\]\(\.\./", f"]({REPOSITORY}", markdown)
