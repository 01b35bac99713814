"""What the review shows, as values: the page renders them, the API sends them as they are.

Times are ISO 8601 in UTC, shares lie between 0 and 1, `address` is a document's page in Paperless.
Texts (titles, names, texts of documents) are what people wrote: whoever shows them escapes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

#: What an item of the queue can be.
KINDS = ("group", "versions", "contains", "semantic", "pair")
STATES = ("open", "dismissed", "done")


@dataclass(frozen=True, slots=True)
class Card:
    """One document, as much of it as a list shows. Titles are cut at 300 characters."""

    id: int
    title: str
    correspondent: str | None
    document_type: str | None
    created: str | None
    added: str | None
    pages: int | None
    bytes: int | None
    #: The one to keep of its group; the newest of a version chain; the whole that has the part.
    is_primary: bool
    address: str


@dataclass(frozen=True, slots=True)
class Word:
    """What somebody said."""

    a: int
    b: int
    #: 'confirmed', 'dismissed', 'primary' (then a == b).
    verdict: str
    at: str
    by: str
    #: It is kept, and carried out as soon as whatever holds the library lets go of it.
    waiting: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to decide about: a group, a version chain, or two documents."""

    #: 'g12' (the group of document 12), 'v12' (its version chain), 'p12-40' (two documents).
    id: str
    #: One of KINDS.
    kind: str
    #: 'exact', 'near', 'version', 'contains', 'semantic'; empty for a dismissed pair of which
    #: it is not known what it was found to be.
    relation: str
    confidence: float
    #: Of the surest pair, the strongest first.
    reasons: tuple[str, ...]
    #: Primary first, then by age; at most 50 of them, `size` says how many there are. Of a
    #: version chain: oldest first.
    documents: tuple[Card, ...]
    size: int
    primary: int | None
    #: The pair to look at first: the surest, with the primary where it can be.
    pair: tuple[int, int]
    #: One of STATES.
    state: str
    #: Hand this back with a decision: it tells whether somebody was faster.
    seen: str
    words: tuple[Word, ...] = ()
    #: A decision about it is kept but not carried out yet.
    waiting: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    relation: str = ""
    correspondent: str = ""
    document_type: str = ""
    #: Dates 'YYYY-MM-DD': any of the documents was created (Paperless's 'created') in between.
    since: str = ""
    until: str = ""
    state: str = "open"
    page: int = 1
    per_page: int = 15


@dataclass(frozen=True, slots=True)
class Count:
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Queue:
    items: tuple[Item, ...]
    total: int
    page: int
    pages: int
    per_page: int
    #: Of what this person may see, before the filters: for the menus of the filters.
    states: tuple[Count, ...] = ()
    relations: tuple[Count, ...] = ()
    #: The most frequent 60 of each.
    correspondents: tuple[Count, ...] = ()
    document_types: tuple[Count, ...] = ()
    #: False while the library is read for the first time after the start: ask again in a moment.
    ready: bool = True
    #: Why what is shown may be old: the library or Paperless is away; empty where all is well.
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """For 'next' and 'previous' in the order of the queue; None at its ends."""

    previous: str | None
    next: str | None
    position: int
    total: int


@dataclass(frozen=True, slots=True)
class Segment:
    """One stretch of the word diff."""

    #: 'same', 'removed' (in a alone), 'added' (in b alone), 'changed', or 'cut' (a long stretch
    #: that both share, left out here; `a` says in words how long it is).
    kind: str
    a: str
    b: str
    #: 'amount', 'month', 'name', 'fact', 'word' …; empty where nothing is known about it.
    about: str = ""
    #: More than noise: it speaks against a copy.
    matters: bool = False


@dataclass(frozen=True, slots=True)
class Dimension:
    #: 'jaccard', 'containment_ab', 'containment_ba', 'fuzzy', 'metadata', 'title', 'facts',
    #: 'semantic', 'score', 'confidence'.
    name: str
    #: None where the dimension is absent.
    value: float | None


@dataclass(frozen=True, slots=True)
class PairView:
    """Two documents side by side; a < b."""

    #: 'p12-40'; also what a decision about the two is handed back with.
    id: str
    a: Card
    b: Card
    relation: str
    confidence: float
    dimensions: tuple[Dimension, ...]
    reasons: tuple[str, ...]
    segments: tuple[Segment, ...]
    #: The texts are longer than what is compared here: the rest is not shown.
    shortened: bool
    words: tuple[Word, ...]
    state: str
    seen: str
    waiting: bool
    #: The items of the queue that these two stand in, such as 'g12'.
    items: tuple[str, ...]
    #: How often each kind of difference that matters occurs: ('amount', 2).
    differences: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    id: int
    title: str
    #: Between 0 and 1 in both directions, y downwards; the centre is (0.5, 0.5).
    x: float
    y: float
    #: Steps from the centre, which is 0.
    depth: int
    address: str
    is_primary: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    a: int
    b: int
    #: 1 - jaccard; None where it is not known.
    distance: float | None
    relation: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    centre: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    #: False where more documents lie around it than are shown.
    is_complete: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One version in the line of time, and what makes it differ from the one before."""

    document: Card
    is_latest: bool
    #: None for the oldest.
    before: int | None
    #: Reasons in words, and the stretches that changed, at most 12.
    reasons: tuple[str, ...] = ()
    changes: tuple[Segment, ...] = ()
    jaccard: float | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the histogram: pairs of a confidence from `low` to below `high`."""

    low: float
    high: float
    #: Relation → how many.
    counts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Point:
    jaccard: float
    #: With which probability a pair of this jaccard becomes a candidate.
    found: float


@dataclass(frozen=True, slots=True)
class Levels:
    similarity: float
    near: float
    version: float


@dataclass(frozen=True, slots=True)
class SavedThresholds:
    at: str
    by: str
    before: Levels
    after: Levels


@dataclass(frozen=True, slots=True)
class ThresholdState:
    """The thresholds that count now, and what they were before somebody saved these."""

    now: Levels
    saved: SavedThresholds | None


@dataclass(frozen=True, slots=True)
class LibraryView:
    documents: int
    groups: int
    pairs: tuple[Count, ...]
    #: What would go if of each group only the primary stayed.
    pages_to_free: int
    bytes_to_free: int
    #: How many of those documents have no size in the library: the figure is an 'at least'.
    without_size: int
    pages: int
    bytes: int
    histogram: tuple[Bar, ...]
    curve: tuple[Point, ...]
    similarity_threshold: float
    near_threshold: float
    version_threshold: float
    #: Only a superuser can save thresholds.
    may_save: bool
    #: The last time that somebody saved others, for superusers, while those still count.
    saved: SavedThresholds | None
    #: These figures are about what this person may see, and not about the whole library.
    is_part: bool
    ready: bool = True


@dataclass(frozen=True, slots=True)
class ThresholdLevel:
    similarity_threshold: float
    pairs: int
    groups: int
    documents: int


@dataclass(frozen=True, slots=True)
class ThresholdPair:
    a: Card
    b: Card
    relation: str
    confidence: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThresholdPreview:
    """What other thresholds would add and remove; nothing is saved by asking."""

    now: ThresholdLevel
    then: ThresholdLevel
    added: int
    removed: int
    #: The surest 20 of each.
    added_pairs: tuple[ThresholdPair, ...]
    removed_pairs: tuple[ThresholdPair, ...]
    #: Why no settings can be so, and why these cannot be saved from here; empty where all is well.
    wrong: str = ""
    cannot_save: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    document: int
    title: str
    error: str
    tries: int
    #: 'waiting' (is tried again by itself) or 'failed' (rests until somebody retries it).
    state: str
    noticed: str


@dataclass(frozen=True, slots=True)
class ProgressView:
    """What is being done now; changes of it come through /api/events."""

    #: 'ok', 'waiting' (something is away) or 'down'.
    status: str
    #: Why; empty where all is well. For people without superuser only that something is away.
    trouble: str
    #: 'fetch documents', 'compare pairs' …; empty where nothing long is going on.
    doing: str
    done: int
    total: int | None
    #: Estimated from the pace so far; None where it cannot be told.
    seconds_left: float | None
    #: None for people without superuser: what others have sent in is not their business.
    inbox_waiting: int | None
    inbox_failed: int | None
    decisions_waiting: int
    last_sync_at: str | None
    #: Nothing was ever fetched from Paperless: somebody has to start that.
    first_sync_waits: bool = False
    failures: tuple[Failure, ...] = ()
    #: The last lines of the worker's log, newest last; superusers only.
    log: tuple[str, ...] = ()
    #: Grows with every change.
    version: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    part: str
    ok: bool
    message: str


@dataclass(frozen=True, slots=True)
class FirstRun:
    checks: tuple[Check, ...]
    ok: bool
    #: Whether a first sync was ever started; until then it is offered.
    begun: bool
    #: Whether it has come to its end.
    synced: bool
    documents: int
    #: How many documents it would fetch; None where it has begun, or where that cannot be told.
    in_paperless: int | None
    may_start: bool


@dataclass(frozen=True, slots=True)
class Order:
    """One decision that somebody wants to make."""

    #: An item's id: 'g12', 'v12', 'p12-40'.
    item: str
    #: 'same', 'different' or 'primary'.
    verdict: str
    #: The item's `seen`, so that nobody decides on what is no longer so.
    seen: str
    #: For 'primary': which one to keep. For 'different' in a group: only this document is none of
    #: the group; None means that all of them differ from one another.
    document: int | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """What one document in Paperless would get or lose."""

    document: int
    title: str
    #: In words: 'tag "Duplicate (near)"', 'link "Duplicate of" to 12'.
    add: tuple[str, ...]
    remove: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """Exactly what Paperless would be told if these decisions were made."""

    decisions: int
    writes: tuple[Write, ...]
    #: Sentences: that writing is switched off, that Paperless is away, that more is affected.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """One entry of the journal of decisions; one act may hold many decisions made at once."""

    number: int
    at: str
    by: str
    #: 'same', 'different', 'primary', 'undo'.
    verdict: str
    item: str
    documents: tuple[int, ...]
    #: 'waiting', 'done', 'undone', or 'refused' (it could no longer be carried out; see `why`).
    state: str
    why: str = ""
    #: Whether the person who asks may undo it.
    may_undo: bool = False


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody was faster, or the documents have changed."""

    order: Order
    #: In words: 'Anna said 5 minutes ago that these are not duplicates.'
    happened: str
    #: How it stands now; None where there is nothing left to decide about.
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of decisions. Where there are conflicts, nothing at all was decided."""

    acts: tuple[Act, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    items: tuple[Item, ...] = field(default=())
