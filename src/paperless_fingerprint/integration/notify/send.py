"""Sending one message to one address: a webhook, or one of the services that apprise knows.

The addresses come from the settings alone, never from the page, from Paperless or from a document.
No redirect is followed, nothing of the answer is kept but its status, and addresses under which
clouds hand out credentials are refused.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import socket
import ssl
import time
from collections.abc import Mapping
from typing import Any

from paperless_fingerprint import __version__
from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.integration.notify.message import heading_of, words_of
from paperless_fingerprint.languages import speaking, without_a_browser
from paperless_fingerprint.settings.addresses import parts_of
from paperless_fingerprint.settings.registry import Settings

WEBHOOK = "webhook"


class NotSent(FingerprintError):  # noqa: N818  (tried again)
    """Why; without the address, which may hold a secret."""


def targets_of(settings: Settings) -> dict[str, str]:
    """Name → address. The name is kept in the outbox, the address is not."""
    found = {}
    if settings.notify.webhook:
        found[WEBHOOK] = settings.notify.webhook
    for address in (settings.notify.apprise or "").split():
        digest = hashlib.sha256(address.encode()).hexdigest()[:12]
        found[f"apprise:{address.partition(':')[0]}:{digest}"] = address
    return found


def send(settings: Settings, target: str, id: str, body: Mapping[str, Any]) -> None:
    """Returns where it was taken; raises NotSent."""
    address = targets_of(settings).get(target)
    if address is None:
        raise NotSent("it is no longer in the settings")
    if target == WEBHOOK:
        _post(settings, address, id, body)
    else:
        with speaking(without_a_browser(settings.web.language)):
            heading, words = heading_of(body), words_of(body)
        _through_apprise(address, heading, words)


def signature(secret: str, timestamp: str, content: bytes) -> str:
    """As it stands in X-Fingerprint-Signature."""
    told = hmac.new(secret.encode(), f"{timestamp}.".encode() + content, hashlib.sha256)
    return f"sha256={told.hexdigest()}"


def _post(settings: Settings, address: str, id: str, body: Mapping[str, Any]) -> None:
    import httpx

    parts = parts_of(address)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise NotSent("[notify] webhook is no address of http or https")
    _check_host(parts.hostname)
    content = json.dumps(body, ensure_ascii=False).encode()
    timestamp = str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"paperless-fingerprint/{__version__}",
        "X-Fingerprint-Id": id,
        "X-Fingerprint-Timestamp": timestamp,
    }
    if settings.notify.webhook_secret:
        headers["X-Fingerprint-Signature"] = signature(
            settings.notify.webhook_secret, timestamp, content
        )
    if settings.notify.webhook_header:
        name, _, value = settings.notify.webhook_header.partition(":")
        headers[name.strip()] = value.strip()
    try:
        with (
            httpx.Client(
                timeout=settings.notify.timeout_seconds,
                verify=ssl.create_default_context(),
                trust_env=False,
                follow_redirects=False,
            ) as client,
            client.stream("POST", address, content=content, headers=headers) as answer,
        ):
            status = answer.status_code
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise NotSent(f"{parts.hostname} cannot be reached ({type(error).__name__})") from None
    if status // 100 == 3:
        raise NotSent(f"{parts.hostname} leads elsewhere (HTTP {status}), which is not followed")
    if status // 100 != 2:
        raise NotSent(f"{parts.hostname} answered with HTTP {status}")


def _check_host(host: str) -> None:
    """What is in one's own network is what people write to; but no address of a link itself, under
    which clouds hand out credentials."""
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        raise NotSent(f"{host} has no address") from None
    for each in found:
        address = ipaddress.ip_address(str(each).partition("%")[0])
        address = getattr(address, "ipv4_mapped", None) or address
        if address.is_link_local or address.is_multicast or address.is_unspecified:
            raise NotSent(f"{host} is {address}, which is no place for notifications")


def _through_apprise(address: str, heading: str, words: str) -> None:
    try:
        import apprise
    except ImportError:
        raise NotSent(
            "apprise is not installed; pip install 'paperless-fingerprint[notify]'"
        ) from None
    service = address.partition(":")[0]
    asset = apprise.AppriseAsset(app_id="paperless-fingerprint", async_mode=False)
    sender = apprise.Apprise(asset=asset)
    try:
        known = sender.add(address)
        taken = known and sender.notify(
            body=words, title=heading, body_format=apprise.NotifyFormat.TEXT
        )
    except Exception as error:  # of a hundred services, each with its own
        raise NotSent(f"{service}: {type(error).__name__}") from None
    if not known:
        raise NotSent(f"apprise does not understand the address that begins with {service}:")
    if not taken:
        raise NotSent(f"{service} has not taken it")
