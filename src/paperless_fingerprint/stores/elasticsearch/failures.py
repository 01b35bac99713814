"""What goes wrong between us and Elasticsearch, as sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from elastic_transport import ConnectionError as NoConnectionError
from elastic_transport import ConnectionTimeout, TlsError, TransportError
from elasticsearch import ApiError, SerializationError, UnsupportedProductError

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.languages.reasons import Reason

#: What the server says, in words that have not changed since its version 5, and what it means.
_BLOCKS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("flood-stage", "server_full", {}),
    ("read-only / allow delete", "server_full", {}),
    ("index read-only", "index_read_only", {"setting": "index.blocks.read_only"}),
    ("index write", "index_read_only", {"setting": "index.blocks.write"}),
    ("index closed", "index_closed", {}),
    ("cluster read-only", "cluster_read_only", {"setting": "cluster.blocks.read_only"}),
    ("no master", "no_master", {}),
    ("state not recovered", "starting", {}),
)
_ANSWERS = {
    401: "wrong_name",
    403: "no_privilege",
    413: "too_large",
    429: "overloaded",
    502: "not_available",
    503: "not_available",
    504: "not_available",
}


class Failures:
    """Knows the address that messages are to name (never with a password in it)."""

    def __init__(self, address: str) -> None:
        self.address = address

    def store_error(self, what: str, **values: str | int) -> StoreError:
        """`what` is the code of a reason, or what the server said."""
        told = {"address": self.address, "what": what, **values}
        return StoreError(Reason("library_in_elasticsearch", told))

    def blocked(self, reason: str) -> StoreError:
        for words, meaning, values in _BLOCKS:
            if words in reason:
                return self.store_error(meaning, **values)
        return self.store_error("blocked", said=reason)

    @contextmanager
    def explained(self) -> Iterator[None]:
        try:
            yield
        except (TransportError, ApiError, SerializationError, UnsupportedProductError) as error:
            raise self.of(error) from error

    def of(self, error: Exception) -> StoreError:
        if isinstance(error, UnsupportedProductError):
            return self.store_error("no_elasticsearch")
        if isinstance(error, ApiError):
            return self._of_answer(error)
        said = _first(error)
        if isinstance(error, TlsError) or "certificate" in str(error).lower():
            return self.store_error("untrusted", said=said)
        if isinstance(error, ConnectionTimeout):
            return self.store_error("too_slow")
        return self.store_error(
            "silent" if isinstance(error, NoConnectionError) else "senseless", said=said
        )

    def _of_answer(self, error: ApiError) -> StoreError:
        kind, reason = reason_of(error)
        if kind == "cluster_block_exception":
            return self.blocked(reason)
        if error.status_code == 404 and kind == "index_not_found_exception":
            return self.store_error("index_gone", said=reason)
        what = _ANSWERS.get(error.status_code, "answered")
        return self.store_error(what, status=error.status_code, said=reason or kind)


def reason_of(error: ApiError) -> tuple[str, str]:
    """(type, reason) of the innermost cause that has a reason."""
    body = error.body if isinstance(error.body, dict) else {}
    details = body.get("error", {})
    if not isinstance(details, dict):
        return str(error.message), str(details)
    root = (details.get("root_cause") or [{}])[0]
    kind = str(details.get("type") or root.get("type") or error.message)
    return kind, str(root.get("reason") or details.get("reason") or "")[:300]


def _first(error: Exception) -> str:
    """One line, without the nested list of causes that the client appends."""
    text = " ".join(str(getattr(error, "message", "") or error).split())
    return text[:200]
