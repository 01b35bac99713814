"""From the settings to a client."""

from __future__ import annotations

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.connection import Connection
from paperless_fingerprint.paperless.transport import Limits
from paperless_fingerprint.settings.registry import Settings


def open_paperless(settings: Settings, limits: Limits | None = None) -> PaperlessClient:
    """Nothing is sent yet: a Paperless that is down shows with the first request.

    `limits` is for callers that cannot wait as long as the settings say, such as a page.
    """
    if not settings.paperless.url:
        raise ConfigurationError(
            "The address of Paperless is not set. Set PAPERLESS_FINGERPRINT_PAPERLESS_URL to what "
            "the browser shows, such as http://paperless:8000, and a token beside it."
        )
    seconds = float(settings.paperless.timeout_seconds)
    connection = Connection(
        settings.paperless.url,
        token=settings.paperless.token or "",
        username=settings.paperless.username or "",
        password=settings.paperless.password or "",
        ca_file=settings.paperless.ca_file or None,
        limits=limits or Limits(connect_seconds=min(10.0, seconds), read_seconds=seconds),
    )
    return PaperlessClient(connection)
