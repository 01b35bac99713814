"""What `doctor` looks at of notifications: whether somebody is told, and what could not be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec

from paperless_fingerprint.checkup.finding import Finding, Part
from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.integration.notify.outbox import Delivery, Outbox
from paperless_fingerprint.integration.notify.send import targets_of
from paperless_fingerprint.library.lock import path_of_outbox
from paperless_fingerprint.settings.registry import Settings

_NOTIFY = Part("notify")


def examine(settings: Settings) -> Iterator[Finding]:
    told = settings.notify
    if told.when == "off":
        return
    if told.apprise and find_spec("apprise") is None:
        yield _NOTIFY.amiss(
            "[notify] apprise is set, but apprise is not installed. Run: "
            "pip install 'paperless-fingerprint[notify]'"
        )
    try:
        waiting = _waiting(settings)
    except FingerprintError as error:
        yield _NOTIFY.failed(error)
        return
    failing = [each for each in waiting if each.tries]
    if failing:
        yield _NOTIFY.amiss_n(
            "%(num)s notification was not accepted and is retried: %(why)s. "
            "'paperless-fingerprint notify --test' tries the addresses.",
            "%(num)s notifications were not accepted and are retried: %(why)s. "
            "'paperless-fingerprint notify --test' tries the addresses.",
            len(failing),
            why=failing[0].error,
        )
    elif told.when == "daily":
        yield _NOTIFY.fine_n(
            "New duplicates are sent to %(num)s address, once a day.",
            "New duplicates are sent to %(num)s addresses, once a day.",
            len(targets_of(settings)),
        )
    else:
        yield _NOTIFY.fine_n(
            "New duplicates are sent to %(num)s address, at once.",
            "New duplicates are sent to %(num)s addresses, at once.",
            len(targets_of(settings)),
        )


def _waiting(settings: Settings) -> list[Delivery]:
    path = path_of_outbox(settings)
    if not path.exists():
        return []
    with closing(Outbox(path)) as outbox:
        return outbox.deliveries()
