"""The store: keeps documents, fingerprints, pairs, groups and decisions, and finds candidates.

    Store
    ├── SqliteStore          a file, nothing to install; the default
    └── ElasticsearchStore   where a library outgrows one machine

What every store promises (tests/contract holds them to it):
- What was acknowledged is kept, whatever dies afterwards.
- After a write returns, a search by the same process sees it; and of two documents written at the
  same time by two processes at least one sees the other.
- A metadata change keeps the fingerprint, a text change replaces it, a deletion removes every
  trace but the decisions of people.
- A document that was written is pending until somebody says that it has been analysed.
- All stores find the same candidates for the same library, as long as no cap is reached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID, uuid5

from paperless_fingerprint.model import (
    Candidate,
    Decision,
    Document,
    Fingerprint,
    FingerprintRow,
    Group,
    Link,
    Pair,
    Relation,
    StoredDocument,
    VersionChain,
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """One document that could not be written, and why."""

    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class WriteReport:
    written: int = 0
    refused: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """A document that waits for its analysis. The token tells whether it has changed since."""

    id: int
    token: str


@dataclass(frozen=True, slots=True)
class Connections:
    """What stands in the store about some documents beside themselves."""

    links: tuple[Link, ...] = ()
    groups: tuple[Group, ...] = ()
    chains: tuple[VersionChain, ...] = ()
    decisions: tuple[Decision, ...] = ()

    @property
    def ids(self) -> set[int]:
        """All documents that a link, a group or a chain names."""
        return {id for link in self.links for id in (link.a, link.b)} | self.members

    @property
    def members(self) -> set[int]:
        """Of the groups and chains."""
        return set().union(
            *(group.members for group in self.groups), *(chain.members for chain in self.chains)
        )


@dataclass(frozen=True, slots=True)
class StoreCounts:
    documents: int = 0
    pending: int = 0
    pairs: int = 0
    groups: int = 0
    decisions: int = 0


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What `doctor` says about a store."""

    kind: str
    address: str
    version: str
    counts: StoreCounts
    bytes_used: int | None = None
    #: Sentences that say what is amiss and what to do.
    findings: tuple[str, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)


class Store(Protocol):
    #: Names the library; made with the store, carried along by `migrate`.
    namespace: UUID

    def close(self) -> None: ...

    def at_once(self) -> AbstractContextManager[None]:
        """What one thread writes within it is one write, where the store can do that: all of it is
        there afterwards, or nothing, and it takes no longer than one. Elsewhere each write is there
        at once."""

    # Documents -----------------------------------------------------------------------------

    def put(self, records: Sequence[StoredDocument]) -> WriteReport:
        """Write documents with their fingerprints; each becomes pending.

        Replaces what the store had under the same id, wholly. All that is not in the report's
        `refused` is durable when this returns. A given `uuid` is kept; where it is empty, the one
        that the store has stays, or one is made.
        """

    def put_metadata(self, documents: Sequence[Document]) -> WriteReport:
        """Write everything but the text of documents that are there; their fingerprints stay.

        `content` is ignored. A document that is not there is refused. Each becomes pending.
        """

    def delete(self, ids: Collection[int]) -> int:
        """Remove documents, their fingerprints and pairs; say how many there were.

        The remaining members of a pair become pending. Decisions stay.
        """

    def get(self, ids: Collection[int]) -> dict[int, StoredDocument]: ...

    def metadata(self, ids: Collection[int]) -> dict[int, Document]:
        """The documents without their content."""

    def texts(self, ids: Collection[int]) -> dict[int, str]:
        """The content alone, of those that are there."""

    def text_hashes(self, ids: Collection[int]) -> dict[int, tuple[str, str]]:
        """(spec id, text hash) of those that are there; for telling what has changed."""

    def too_short(self) -> dict[int, int]:
        """How many words each document has whose text has too few for a near comparison."""

    def id_of_uuid(self, uuid: str) -> int | None: ...

    def ids(self) -> list[int]:
        """All ids in ascending order."""

    def documents(self, after: int = 0) -> Iterator[StoredDocument]:
        """All documents in ascending order of id, from the first above `after`; a snapshot at best."""

    def fingerprints(self) -> Iterator[FingerprintRow]:
        """All fingerprints in ascending order of id, without the texts."""

    # Candidates ----------------------------------------------------------------------------

    def candidates(self, fingerprint: Fingerprint, *, checksum: str | None = None,
                   excluding: int | None = None) -> list[Candidate]:  # fmt: skip
        """Documents that share a band, enough of the sketch, the whole text, or the file.

        At most candidates.SHORTLIST that clearly share text and FAINT_AT_MOST that may do so
        (those of the same text or file come on top), in the order of candidates.ranked().
        """

    def document_frequencies(self, words: Collection[str], *,
                             at_most: int = 1_000_000_000) -> dict[str, int]:  # fmt: skip
        """In how many documents' texts each word stands; counting may stop at `at_most`."""

    def repeated_words(self) -> Iterator[tuple[str, int]] | None:
        """All words that stand in more than one document's text, and in how many; None where
        the store cannot list them, so that the texts have to be read."""

    # Analysis ------------------------------------------------------------------------------

    def pending(
        self, limit: int | None = None, *, ids: Collection[int] | None = None
    ) -> list[Pending]:
        """What waits to be analysed, ascending by id; of `ids` where given."""

    def mark_pending(self, ids: Collection[int]) -> None: ...

    def mark_analysed(self, done: Sequence[Pending]) -> None:
        """Take these off the list, unless they were written again since."""

    def write_pairs(
        self, pairs: Sequence[Pair], *, removing: Collection[tuple[int, int]] = ()
    ) -> None:
        """Remove the pairs (a, b) of `removing`, then write these, replacing what was there."""

    def pairs(self, *, ids: Collection[int] | None = None, relation: Relation | None = None,
              at_least: float = 0.0, limit: int | None = None) -> Iterator[Pair]:  # fmt: skip
        """Stored pairs, surest first (confidence, score, then a and b); of `ids` where given.

        `at_least` is the confidence below which they are left out.
        """

    def links(self, *, ids: Collection[int] | None = None,
              at_least: float = 0.0) -> Iterator[Link]:  # fmt: skip
        """As pairs(), in any order and with the little that groups are made of."""

    def connections(self, ids: Collection[int], *, at_least: float = 0.0) -> Connections:
        """All that links(), groups(), chains() and decisions() tell of these documents, at once.

        `at_least` is the confidence below which links are left out. Ask for this where more than
        one of them is needed: where the store is a server, each question is a round trip.
        """

    def replace_groups(self, members: Collection[int], groups: Sequence[Group]) -> None:
        """Drop every group that holds one of `members`, then write these."""

    def groups(self, *, ids: Collection[int] | None = None, relation: Relation | None = None,
               limit: int | None = None) -> Iterator[Group]:  # fmt: skip
        """Stored groups, surest first; those that hold one of `ids` where given."""

    def replace_chains(self, members: Collection[int], chains: Sequence[VersionChain]) -> None:
        """Drop every version chain that holds one of `members`, then write these.

        Searches leave out the documents of a chain that are not its latest, unless told not to.
        """

    def chains(self, ids: Collection[int] | None = None) -> list[VersionChain]: ...

    def put_decision(self, decision: Decision) -> None:
        """Keep what a person said; replaces an earlier word on the same subject."""

    def remove_decision(self, key: str) -> bool: ...

    def decisions(self, ids: Collection[int] | None = None) -> list[Decision]: ...

    # The library ---------------------------------------------------------------------------

    def notes(self) -> dict[str, str]:
        """Small facts about the library itself: the spec, how far a sync has come."""

    def put_notes(self, notes: Mapping[str, str]) -> None: ...

    def report(self) -> StoreReport: ...

    def settle(self, written: int) -> None:
        """After an import of so many documents: put in order what was left to its end, and bring
        what is large into its smallest form."""

    def tidy(self) -> bool:
        """Do a little, in a fraction of a second, of what makes later writes quicker and can wait
        until nobody does. Says whether there may be more to do."""


def document_uuid(namespace: UUID, id: int) -> str:
    return str(uuid5(namespace, str(id)))
