"""What `doctor` looks at of notifications: whether somebody is told, and what could not be."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from paperless_fingerprint.checkup.finding import Finding
from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.integration.notify.outbox import Delivery, Outbox
from paperless_fingerprint.integration.notify.send import targets_of
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import ngettext
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
            _(
                "[notify] apprise is set, but apprise is not installed. Run: "
                "pip install 'paperless-fingerprint[notify]'"
            ),
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
            ngettext(
                "%(num)s notification was not accepted and is retried: %(why)s. "
                "'paperless-fingerprint notify --test' tries the addresses.",
                "%(num)s notifications were not accepted and are retried: %(why)s. "
                "'paperless-fingerprint notify --test' tries the addresses.",
                len(failing),
                why=failing[0].error,
            ),
        )
    else:
        count = len(targets_of(settings))
        sent = (
            ngettext(
                "New duplicates are sent to %(num)s address, once a day.",
                "New duplicates are sent to %(num)s addresses, once a day.",
                count,
            )
            if told.when == "daily"
            else ngettext(
                "New duplicates are sent to %(num)s address, at once.",
                "New duplicates are sent to %(num)s addresses, at once.",
                count,
            )
        )
        yield Finding("notify", True, sent)


def _waiting(settings: Settings) -> list[Delivery]:
    path = path_of_outbox(settings)
    if not path.exists():
        return []
    outbox = Outbox(path)
    try:
        return outbox.deliveries()
    finally:
        outbox.close()
