"""Events in the spool, as the hook leaves them there."""

from __future__ import annotations

import json
import secrets
import time

from paperless_fingerprint.paperless.spool import FORMAT, SUFFIX, Spool, SpooledEvent


def leave_event(spool: Spool, document_id: int) -> SpooledEvent:
    """Whole or not at all, whoever reads meanwhile."""
    now = time.time_ns()
    path = spool.folder / f"{now:020d}-{secrets.token_hex(6)}{SUFFIX}"
    waiting = spool.folder / f".{path.name}.tmp"
    spool.folder.mkdir(parents=True, exist_ok=True)
    content = {"format": FORMAT, "document_id": document_id, "time_ns": now}
    waiting.write_text(json.dumps(content) + "\n", encoding="ascii")
    waiting.rename(path)
    return SpooledEvent(document_id, now, path)
