"""What a query's SEMANTIC term is true of: documents near in meaning, by the calibrated likeness."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import whole
from paperless_fingerprint.query.likeness import Meanings
from paperless_fingerprint.semantic.calibration import RELATED
from paperless_fingerprint.semantic.pairs import nearest_in_meaning
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_vectors
from paperless_fingerprint.stores.vectors import VectorStore

#: Beyond these, what is near in meaning is a whole kind of document and no answer.
_MOST = 5_000


class StoredMeanings:
    """See query.likeness.Meanings."""

    def __init__(self, store: Store, vectors: VectorStore, settings: Settings) -> None:
        self._store, self._vectors, self._settings = store, vectors, settings

    def near(self, id: int, likeness: float | None, notes: list[str]) -> frozenset[int]:
        try:
            found = nearest_in_meaning(
                self._store,
                self._vectors,
                self._settings,
                id,
                at_least=RELATED if likeness is None else likeness,
                limit=_MOST,
            )
        except UsageError as error:
            # The rest of the query is answered all the same.
            notes.append(str(error))
            return frozenset()
        if len(found) == _MOST:
            notes.append(
                _("SEMANTIC finds at most the %(most)s nearest documents.", most=whole(_MOST))
            )
        return frozenset(one.id for one in found)


@contextmanager
def opened_meanings(store: Store, settings: Settings) -> Iterator[Meanings]:
    with closing(open_vectors(store)) as vectors:
        yield StoredMeanings(store, vectors, settings)
