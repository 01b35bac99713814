"""Addresses that somebody wrote: a setting, a form, a header."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def parts_of(address: str) -> SplitResult | None:
    """None where it is no address, such as 'http://[' or bytes that are no text."""
    try:
        address.encode()
        parts = urlsplit(address)
        _ = parts.port  # looked at when it is asked for, and not before
    except ValueError:
        return None
    return parts
