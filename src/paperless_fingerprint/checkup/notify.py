"""What `doctor` looks at of notifications: whether somebody is told, and what could not be."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from paperless_fingerprint.checkup.finding import Finding
from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.integration.notify.outbox import Delivery, Outbox
from paperless_fingerprint.integration.notify.send import targets_of
from paperless_fingerprint.library.lock import path_of_outbox
from paperless_fingerprint.settings.registry import Settings


def examine(settings: Settings) -> Iterator[Finding]:
    told = settings.notify
    if told.when == "off":
        return
    if told.apprise and find_spec("apprise") is None:
        yield Finding(
            "notify",
            False,
            "[notify] apprise is set, and apprise is not installed: "
            "pip install 'paperless-fingerprint[notify]'",
        )
    try:
        waiting = _waiting(settings)
    except FingerprintError as error:
        yield Finding("notify", False, str(error))
        return
    failing = [each for each in waiting if each.tries]
    if failing:
        yield Finding(
            "notify",
            False,
            f"{len(failing)} notifications were not taken and are tried again: {failing[0].error}. "
            "'paperless-fingerprint notify --test' tries the addresses.",
        )
    else:
        count = len(targets_of(settings))
        addresses = "1 address" if count == 1 else f"{count} addresses"
        how = "once a day" if told.when == "daily" else "at once"
        yield Finding("notify", True, f"New duplicates are told to {addresses}, {how}.")


def _waiting(settings: Settings) -> list[Delivery]:
    path = path_of_outbox(settings)
    if not path.exists():
        return []
    outbox = Outbox(path)
    try:
        return outbox.deliveries()
    finally:
        outbox.close()
