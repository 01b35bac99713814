"""Embeddings from an address that speaks as OpenAI's does: POST …/v1/embeddings."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.semantic.embedders.base import EmbedderError, TextRefusedError, Vectors
from paperless_fingerprint.settings.addresses import parts_of, without_password
from paperless_fingerprint.settings.registry import Settings

_ATTEMPTS = 5
_FIRST_PAUSE_SECONDS = 0.5
#: However long an address asks us to wait, somebody who waits for `analyze` hears of it by then.
_LONGEST_PAUSE_SECONDS = 30.0
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
#: Too long, or not to its liking: perhaps one text of many.
_REFUSED = frozenset({400, 413, 422})
#: A text that is refused is shortened this often before it is given up.
_SHORTENED_AT_MOST = 3


class AddressEmbedder:
    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str = "",
        batch: int = 32,
        timeout_seconds: float = 60.0,
        pause: Callable[[float], object] = time.sleep,
        attempts: int | None = None,
    ) -> None:
        self._url = _endpoint(url)
        self._model = model
        self._batch = batch
        self._pause = pause
        self._attempts = attempts or _ATTEMPTS
        self._dimensions: int | None = None
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        #: Held while the client is used: threads that share one close each other's connections.
        self._lock = threading.Lock()
        self._client = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(timeout_seconds, connect=min(10, timeout_seconds)),
        )

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        pause: Callable[[float], object] = time.sleep,
        attempts: int | None = None,
    ) -> AddressEmbedder:
        for name, example in (("url", "http://localhost:11434/v1"), ("model", "bge-m3")):
            if not settings.value(f"semantic.{name}"):
                raise ConfigurationError(
                    f"[semantic] embedder is openai, and [semantic] {name} is not set; "
                    f"{example} is one."
                )
        return cls(
            settings.semantic.url or "",
            settings.semantic.model or "",
            api_key=settings.semantic.api_key or "",
            batch=settings.semantic.batch,
            timeout_seconds=settings.semantic.timeout_seconds,
            pause=pause,
            attempts=attempts,
        )

    @property
    def name(self) -> str:
        return f"openai-{self._model}"

    @property
    def languages(self) -> frozenset[str] | None:
        return None

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows: list[list[float]] = []
        for start in range(0, len(texts), self._batch):
            rows += self._embed_some(list(texts[start : start + self._batch]))
        return self._checked(rows, len(texts))

    def close(self) -> None:
        with self._lock:
            self._client.close()

    def _embed_some(self, texts: list[str], shortened: int = 0) -> list[list[float]]:
        try:
            return self._rows(self._asked(texts), len(texts))
        except TextRefusedError:
            # Which one it was is found by halving, so that the others of the batch do not suffer.
            if len(texts) > 1:
                half = len(texts) // 2
                return self._embed_some(texts[:half]) + self._embed_some(texts[half:])
            if shortened >= _SHORTENED_AT_MOST or len(texts[0]) < 40:
                raise
            return self._embed_some([texts[0][: len(texts[0]) // 2]], shortened + 1)

    def _asked(self, texts: list[str]) -> Any:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        trouble = ""
        for attempt in range(self._attempts):
            wished: float | None = None
            try:
                with self._lock:
                    answer = self._client.post(self._url, json=body)
            except httpx.TimeoutException:
                trouble = (
                    "it does not answer in time; raise [semantic] timeout_seconds, or lower batch"
                )
            except (httpx.TransportError, httpx.InvalidURL) as error:
                trouble = (
                    f"it cannot be reached ({_first_line(error)}); start it, or mend [semantic] url"
                )
            else:
                if answer.status_code == 200:
                    return self._json(answer)
                if answer.status_code not in _PASSING:
                    raise self._refusal(answer)
                trouble = f"it answers {answer.status_code} again and again; look at its log"
                wished = _seconds(answer.headers.get("Retry-After"))
            if attempt + 1 < self._attempts:
                pause = _FIRST_PAUSE_SECONDS * 2**attempt * random.uniform(0.8, 1.2)
                self._pause(min(max(pause, wished or 0.0), _LONGEST_PAUSE_SECONDS))
        raise self._error(trouble)

    def _refusal(self, answer: httpx.Response) -> EmbedderError:
        said = _said(answer)
        match answer.status_code:
            case 401 | 403:
                return self._error("it refuses our name; check [semantic] api_key")
            case 404:
                return self._error(
                    f"it knows no such address or no model '{self._model}' ({said}); check "
                    "[semantic] url and model"
                )
            case status if status in _REFUSED:
                return TextRefusedError(
                    f"The embedder at {self._shown} refuses a text ({status}: {said})."
                )
        return self._error(f"it answers {answer.status_code} ({said})")

    def _json(self, answer: httpx.Response) -> Any:
        try:
            return answer.json()
        except ValueError:
            raise self._error(
                "its answer is no JSON; [semantic] url should lead to /v1/embeddings"
            ) from None

    def _rows(self, answer: Any, expected: int) -> list[list[float]]:
        data = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(data, list) or len(data) != expected:
            raise self._error(f"its answer does not hold {expected} embeddings")
        rows: list[list[float]] = [[] for _ in range(expected)]
        for place, item in enumerate(data):
            if isinstance(item, Mapping):
                # They may come in another order than they were asked for.
                at = item.get("index", place)
                row = item.get("embedding")
                if isinstance(at, int) and 0 <= at < expected and isinstance(row, list):
                    rows[at] = row
        return rows

    def _checked(self, rows: list[list[float]], expected: int) -> Vectors:
        try:
            vectors = np.array(rows, np.float32).reshape(expected, -1)
        except (TypeError, ValueError):
            raise self._error("its embeddings are of different lengths, or no numbers") from None
        if not vectors.shape[1] or not np.isfinite(vectors).all():
            raise self._error("its embeddings are empty, or no numbers")
        if self._dimensions not in {None, vectors.shape[1]}:
            raise self._error(
                f"its embeddings had {self._dimensions} numbers and now have {vectors.shape[1]}; "
                "another model stands behind that name"
            )
        self._dimensions = vectors.shape[1]
        return vectors

    def _error(self, what: str) -> EmbedderError:
        return EmbedderError(f"The embedder at {self._shown} does not work: {what}.")

    @property
    def _shown(self) -> str:
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _endpoint(url: str) -> str:
    """People write the address with and without /v1, and some write all of it."""
    url = url.strip().rstrip("/")
    parts = parts_of(url)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ConfigurationError(
            f"[semantic] url is '{without_password(url)}', which is no address; http://localhost:11434/v1 is one."
        )
    if parts.path.endswith("/embeddings"):
        return url
    return f"{url}/embeddings" if parts.path.endswith("/v1") else f"{url}/v1/embeddings"


def _seconds(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:
        return None


def _said(answer: httpx.Response) -> str:
    try:
        body = answer.json()
    except ValueError:
        body = answer.text
    if isinstance(body, Mapping):
        body = body.get("error", body)
    if isinstance(body, Mapping):
        body = body.get("message", body)
    return " ".join(str(body).split())[:200]


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
