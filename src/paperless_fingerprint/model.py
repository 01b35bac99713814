"""The words of the project as values: frozen, comparable, without behaviour that does I/O.

Dates are ISO 8601 text ('2024-03-03', '2024-03-03T10:15:00Z'), because that is what Paperless
and both stores speak, and text in that form sorts as time does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from paperless_fingerprint.languages.reasons import Reason

#: Of two documents, the smaller id first.
Key: TypeAlias = tuple[int, int]
#: Paperless numbers its documents with a signed 32-bit integer; SQLite's posting keys rely on it.
MAX_DOCUMENT_ID = 2**31 - 1


class Relation(StrEnum):
    """What two documents are to each other. The last two are not duplicates and never stored."""

    EXACT = "exact"
    NEAR = "near"
    VERSION = "version"
    CONTAINS = "contains"
    SEMANTIC = "semantic"
    TEMPLATE = "template"
    RELATED = "related"


STORED_RELATIONS = frozenset(
    {Relation.EXACT, Relation.NEAR, Relation.VERSION, Relation.CONTAINS, Relation.SEMANTIC}
)
#: The relations that make documents members of one group.
GROUPING_RELATIONS = frozenset({Relation.EXACT, Relation.NEAR})


@dataclass(frozen=True, slots=True)
class Document:
    """What Paperless knows about one document."""

    id: int
    title: str = ""
    content: str = ""
    correspondent: str | None = None
    document_type: str | None = None
    created: str | None = None
    added: str | None = None
    modified: str | None = None
    tags: tuple[str, ...] = ()
    original_filename: str | None = None
    page_count: int | None = None
    file_size: int | None = None
    checksum: str | None = None
    #: Empty until the store has named it: uuid5 of the library's namespace and the id.
    uuid: str = ""
    archive_serial_number: int | None = None
    #: Who owns it: a user's id as text; None means that everyone may view it.
    owner: str | None = None
    #: Who else may view it: '7' is the user 7, 'group:4' the group 4.
    viewers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is kept of a text so that others like it can be found.

    Arrays are kept as bytes (little-endian, 64 bits a value), which makes a fingerprint a plain
    value: comparable, hashable, and ready to be stored.
    """

    #: The id of the FingerprintSpec; fingerprints of two specs are never compared.
    spec: str
    #: Hash of the normalised text; empty when there is no text at all.
    text_hash: str
    words: int
    #: Number of distinct shingles.
    shingles: int
    #: Band keys of the MinHash signature; empty when the text is too short to be compared.
    bands: bytes = b""
    #: Sorted hashes of the levelled sketch: all shingle hashes below 2**(64 - level).
    sketch: bytes = b""
    level: int = 0
    #: For each level that the spec allows, how many of the document's hashes lie below its limit.
    level_counts: tuple[int, ...] = ()
    #: What the text states, packed by comparison/facts.py.
    facts: bytes = b""


@dataclass(frozen=True, slots=True)
class FingerprintRow:
    """What an analysis of the whole library keeps in memory of a document, or reads past."""

    id: int
    checksum: str | None
    fingerprint: Fingerprint


@dataclass(frozen=True, slots=True)
class StoredDocument:
    document: Document
    fingerprint: Fingerprint
    #: The normalised content, where whoever took the fingerprint has it at hand for the store.
    normalised: str | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that shares evidence with the one asked about, and which evidence."""

    id: int
    #: Estimated from the sketches; None where only bands or hashes were looked at.
    jaccard: float | None = None
    #: The share of the asker's shingles found in this document.
    containment: float | None = None
    #: The share of this document's shingles found in the asker.
    reverse_containment: float | None = None
    shared_bands: int = 0
    shared_hashes: int = 0
    same_text: bool = False
    same_file: bool = False


@dataclass(frozen=True, slots=True)
class PairScore:
    """How alike two documents are, a figure from 0 to 1 a dimension; None where it is absent."""

    jaccard: float | None = None
    #: The share of a's shingles found in b.
    containment_ab: float | None = None
    containment_ba: float | None = None
    fuzzy: float | None = None
    metadata: float | None = None
    title: float | None = None
    facts: float | None = None
    semantic: float | None = None
    #: The weighted sum of jaccard, fuzzy, metadata and title.
    score: float = 0.0
    #: The pair's confidence by itself, where others claim one of the two as well (see grouping/rivals.py).
    alone: float | None = None
    #: Of `contains`: between which words of the whole the part lies, counted from 1.
    first_word: int | None = None
    last_word: int | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """The little of a pair that groups and chains are made of."""

    a: int
    b: int
    relation: Relation
    confidence: float
    leader: int | None = None
    #: As in PairScore.
    alone: float | None = None
    first_word: int | None = None
    last_word: int | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents and what they are to each other; a < b always."""

    a: int
    b: int
    relation: Relation
    #: How sure the relation is, once facts are aligned and rivals are heard.
    confidence: float
    scores: PairScore = PairScore()
    #: The strongest first.
    reasons: tuple[Reason, ...] = ()
    #: For `version` the newer one, for `contains` the one that contains the other.
    leader: int | None = None

    def __post_init__(self) -> None:
        if self.a >= self.b:
            raise ValueError(f"a pair is written with the lower id first, not ({self.a}, {self.b})")

    @property
    def link(self) -> Link:
        scores = self.scores
        return Link(
            self.a, self.b, self.relation, self.confidence, self.leader,
            scores.alone, scores.first_word, scores.last_word,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """Documents joined by exact and near pairs."""

    #: 'g' and the lowest member's id: the same however the group came about.
    id: str
    relation: Relation
    #: That of the strongest pair.
    confidence: float
    primary: int
    members: tuple[int, ...]
    #: The pairs that join it, as (a, b).
    pairs: tuple[tuple[int, int], ...]
    #: Pairs of members that are held to be something else (a version, dismissed).
    contradictions: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class VersionChain:
    """Documents that are versions of one another, oldest first."""

    #: 'v' and the lowest member's id.
    id: str
    members: tuple[int, ...]

    @property
    def latest(self) -> int:
        return self.members[-1]


class Verdict(StrEnum):
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    PRIMARY = "primary"
    #: b is the version that follows a; kept when what stood between them is deleted.
    SUCCEEDS = "succeeds"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said: about a pair, or (a == b) that a document is the primary of its group."""

    a: int
    b: int
    verdict: Verdict
    #: When, as ISO 8601 in UTC.
    at: str
    #: Who: a user of Paperless, or 'command line'.
    by: str = ""
    #: Dismissed as this relation only; None means: not a duplicate in any way. A pair that was
    #: confirmed as semantic says so here, and is never made a copy by that word.
    relation: Relation | None = None
    #: The texts' facts when it was said, so that a later change of them can be noticed.
    facts_a: str = ""
    facts_b: str = ""

    @property
    def key(self) -> str:
        """One word on a subject: the latest replaces the one before."""
        own_subject = self.verdict in {Verdict.PRIMARY, Verdict.SUCCEEDS}
        subject = self.verdict.value if own_subject else "pair"
        narrowed = self.relation if self.verdict is Verdict.DISMISSED else None
        relation = f"-{narrowed}" if narrowed else ""
        return f"{subject}-{self.a}-{self.b}{relation}"
