"""The command `notify`: what waits to be told, and a test of the addresses."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import click

from paperless_fingerprint.cli.context import Context, command, print_json, print_table, say
from paperless_fingerprint.errors import PartlyDone, UsageError

if TYPE_CHECKING:
    from paperless_fingerprint.settings.registry import Settings


@command()
@click.option("--test", is_flag=True, help="Send a test message to every address, now.")
def notify(context: Context, test: bool, as_json: bool) -> None:
    """Show which notifications wait, and why; with --test try the addresses."""
    from paperless_fingerprint.integration.notify.send import targets_of

    settings = context.settings()
    targets = targets_of(settings)
    if test and not targets:
        raise UsageError("There is no address to try. Set [notify] webhook or [notify] apprise.")
    rows = _tried(settings) if test else _waiting(settings)
    if as_json:
        print_json(rows)
    elif rows:
        print_table(
            [("address", "left"), ("message", "left"), ("tries", "right"), ("state", "left")],
            ([row["target"], row["message"], str(row["tries"]), row["state"]] for row in rows),
        )
    elif settings.notify.when == "off":
        say("Nobody is told of new duplicates: [notify] when is off.")
    else:
        say("No notification waits.")
    failed = sum(1 for row in rows if test and row["state"] != "taken")
    if failed:
        raise PartlyDone(f"{failed} of {len(rows)} addresses did not take the test message.")


def _tried(settings: Settings) -> list[dict[str, Any]]:
    from paperless_fingerprint.integration.notify.message import test_body
    from paperless_fingerprint.integration.notify.send import NotSent, send, targets_of
    from paperless_fingerprint.library.clock import now_text

    rows = []
    for target in targets_of(settings):
        id, state = str(uuid4()), "taken"
        try:
            send(settings, target, id, test_body(id, now_text()))
        except NotSent as error:
            state = str(error)
        rows.append({"target": target, "message": "test", "tries": 1, "state": state})
    return rows


def _waiting(settings: Settings) -> list[dict[str, Any]]:
    from paperless_fingerprint.integration.notify.outbox import Outbox
    from paperless_fingerprint.library.lock import path_of_outbox

    path = path_of_outbox(settings)
    if not path.exists():
        return []
    with closing(Outbox(path)) as outbox:
        finds, _ = outbox.waiting()
        rows = [
            {
                "target": each.target,
                "message": f"{each.body['count']:,} documents",
                "tries": each.tries,
                "state": each.error or "waits",
            }
            for each in outbox.deliveries()
        ]
    if finds:
        state = "to be told once a day" if settings.notify.when == "daily" else "waits"
        rows.append({"target": "", "message": f"{finds:,} documents", "tries": 0, "state": state})
    return rows
