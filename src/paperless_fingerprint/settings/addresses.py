"""Addresses that somebody wrote: a setting, a form, a header."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

_BETWEEN_TWO = re.compile(r"(,\s*(?=\w+://))")
#: Up to the last '@', because people write passwords with '@', ',' and '/' in them. What has three
#: slashes is a path.
_USER = re.compile(r"^(\s*\w+://)(?!/).*@", re.DOTALL)


def parts_of(address: str) -> SplitResult | None:
    """None where it is no address, such as 'http://[' or bytes that are no text."""
    try:
        address.encode()
        parts = urlsplit(address)
        _ = parts.port  # looked at when it is asked for, and not before
    except ValueError:
        return None
    return parts


def without_password(addresses: str) -> str:
    """One or several, to be shown: a user and password before the host are not."""
    return "".join(_USER.sub(r"\1(hidden)@", each) for each in _BETWEEN_TWO.split(addresses))
