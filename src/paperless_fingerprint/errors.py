"""Everything that can go wrong, and the exit code that each leaves behind.

    FingerprintError
    ├── UsageError            2  the command line or the query is not understood
    ├── ConfigurationError    3  a setting is wrong; the message names it and a value that works
    ├── PaperlessError        4  Paperless cannot be reached, or refuses
    ├── StoreError            5  the store is down, full, read-only, foreign or of another version
    └── PartlyDone            6  some of the work was refused; the rest was done

A message says what happened, why, and what to do, in one or two sentences. It is printed as it
is, without a stack trace, so it must make sense to somebody who has never read this code.
"""

from __future__ import annotations

import errno
from collections.abc import Collection
from enum import IntEnum


class ExitCode(IntEnum):
    DONE = 0
    USAGE = 2
    CONFIGURATION = 3
    PAPERLESS = 4
    STORE = 5
    PARTLY_DONE = 6


class FingerprintError(Exception):
    exit_code = ExitCode.USAGE


class UsageError(FingerprintError):
    exit_code = ExitCode.USAGE


class ConfigurationError(FingerprintError):
    exit_code = ExitCode.CONFIGURATION


class PaperlessError(FingerprintError):
    exit_code = ExitCode.PAPERLESS


class NoPaperlessError(PaperlessError):
    """There is none beside this library, and none is meant to be."""

    def __init__(self) -> None:
        super().__init__("No address of Paperless is set, so the library is only shown.")


class StoreError(FingerprintError):
    exit_code = ExitCode.STORE


class NoLibraryError(StoreError):
    """Nothing was kept there yet."""


class PartlyDone(FingerprintError):  # noqa: N818  (a state more than an error)
    exit_code = ExitCode.PARTLY_DONE


_TOO_LITTLE_MEMORY = (
    "There is too little memory. What was done until then is kept, and the same again goes on there. "
    "An analysis takes 200 MB, 0.7 KB for each document of the library and 60 MB for each of its "
    "processes: make room, or set 'workers' to 1."
)


def lack_of_memory(error: BaseException) -> str:
    """What to say where that is the reason; Python has no one error for it."""
    is_lack = (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or (isinstance(error, RuntimeError) and str(error) == "can't start new thread")
    )
    return _TOO_LITTLE_MEMORY if is_lack else ""


def unexpected(error: Exception, secrets: Collection[str] = (), *, known: str = "") -> str:
    """One line about an error of ours, for people. The log keeps where it came from, with nothing
    in it that is secret; once for as long as the line is the one that is `known`."""
    import logging
    import traceback

    line = lack_of_memory(error) or f"an unexpected {type(error).__name__}: {error}"
    trace = "".join(traceback.format_exception(error))
    for secret in secrets:
        line, trace = (text.replace(secret, "(hidden)") for text in (line, trace))
    if line != known:
        logging.getLogger("paperless_fingerprint").error("%s\n%s", line, trace)
    return line
