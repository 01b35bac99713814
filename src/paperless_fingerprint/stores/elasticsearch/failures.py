"""What goes wrong between us and Elasticsearch, as sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from elastic_transport import ConnectionError as NoConnectionError
from elastic_transport import ConnectionTimeout, TlsError, TransportError
from elasticsearch import ApiError, SerializationError, UnsupportedProductError

from paperless_fingerprint.errors import StoreError

_FULL = (
    "the disk of the server is full, so it takes no more writes. Free space there; what was "
    "acknowledged is safe"
)
_CLUSTER = "the whole cluster is read-only. Take the setting cluster.blocks.read_only away"
#: What the server says, in words that have not changed since its version 5, and what to do.
_BLOCKS = (
    ("flood-stage", _FULL),
    ("read-only / allow delete", _FULL),
    ("index read-only", "its index is read-only. Take the setting index.blocks.read_only away"),
    ("index write", "its index takes no writes. Take the setting index.blocks.write away"),
    ("index closed", "its index is closed. Open it"),
    ("cluster read-only", _CLUSTER),
    ("no master", "the cluster has no master. Bring the missing nodes up again"),
    ("state not recovered", "the cluster is still starting. Try again in a moment"),
)


class Failures:
    """Knows the address that messages are to name (never with a password in it)."""

    def __init__(self, address: str) -> None:
        self.address = address

    def store_error(self, what: str) -> StoreError:
        return StoreError(f"The library in Elasticsearch at {self.address} cannot be used: {what}.")

    def blocked(self, reason: str) -> StoreError:
        for words, meaning in _BLOCKS:
            if words in reason:
                return self.store_error(meaning)
        return self.store_error(f"it is blocked ({reason})")

    @contextmanager
    def explained(self) -> Iterator[None]:
        try:
            yield
        except (TransportError, ApiError, SerializationError, UnsupportedProductError) as error:
            raise self.of(error) from error

    def of(self, error: Exception) -> StoreError:
        if isinstance(error, UnsupportedProductError):
            return self.store_error(
                "what answers there is no Elasticsearch. Check the address in --store"
            )
        if isinstance(error, ApiError):
            return self._of_answer(error)
        if isinstance(error, TlsError) or "certificate" in str(error).lower():
            return self.store_error(
                "its certificate is not trusted. Name the certificate authority in [elasticsearch] "
                f"ca_file, and check that the address is the certificate's ({_first(error)})"
            )
        if isinstance(error, ConnectionTimeout):
            return self.store_error(
                "it does not answer in time. Look whether it is overloaded, or raise "
                "[elasticsearch] timeout_seconds"
            )
        if isinstance(error, NoConnectionError):
            return self.store_error(
                f"it does not answer ({_first(error)}). Start it, or check the address in --store"
            )
        return self.store_error(f"its answer makes no sense ({_first(error)})")

    def _of_answer(self, error: ApiError) -> StoreError:
        kind, reason = reason_of(error)
        if kind == "cluster_block_exception":
            return self.blocked(reason)
        if error.status_code == 401:
            return self.store_error(
                "it refuses our name. Check [elasticsearch] api_key, or username and password"
            )
        if error.status_code == 403:
            return self.store_error(
                f"it does not let this user do that ({reason}). Grant the cluster privilege "
                "'monitor', and 'all' on the indices of the prefix"
            )
        if error.status_code == 413:
            return self.store_error(
                "a request is too large for it. Raise its http.max_content_length"
            )
        if error.status_code == 429:
            return self.store_error(f"it is overloaded ({reason}). Try again later")
        if error.status_code == 404 and kind == "index_not_found_exception":
            return self.store_error(
                f"an index is gone while it was in use ({reason}). Open the library again"
            )
        if error.status_code in {502, 503, 504}:
            return self.store_error(f"it is not available ({reason}). Try again in a moment")
        return self.store_error(f"it answered {error.status_code}: {reason or kind}")


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
