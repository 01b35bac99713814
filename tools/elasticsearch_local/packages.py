"""The folder that a node starts from: fetched once, kept in a cache, checked at each start.

Elasticsearch itself and its HTTP transport are published as ordinary Java packages, and so are those
of OpenSearch ('opensearch-2.19.3'). They are laid out as the server expects to find its
installation: `lib`, `modules`, `plugins`, `config`.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from paperless_fingerprint.errors import ConfigurationError

MANIFEST = "complete.json"
LOCK = "lock"
OPENSEARCH = "opensearch-"
DESCRIPTOR = "META-INF/es-plugins/transport-netty4/plugin-descriptor.properties"
INSTALL = "pip install 'paperless-fingerprint[elasticsearch-local]'"

#: Warnings about missing native libraries are expected of such a node, so two loggers say less.
LOGGING = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
logger.native.name = org.elasticsearch.nativeaccess
logger.native.level = error
logger.lucene.name = org.apache.lucene
logger.lucene.level = error
"""


def named(version: str) -> str:
    if version.startswith(OPENSEARCH):
        return f"OpenSearch {version.removeprefix(OPENSEARCH)}"
    return f"Elasticsearch {version}"


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "paperless-fingerprint" / "elasticsearch"


def prepare_home(version: str, *, say: Callable[[str], None]) -> Path:
    """The home folder of that version, fetched and laid out if it is not there or damaged."""
    if not re.fullmatch(rf"({OPENSEARCH})?\d+\.\d+\.\d+", version):
        raise ConfigurationError(
            f"'{version}' is no version of Elasticsearch; give three numbers such as 9.2.0, or"
            " opensearch-2.19.3."
        )
    cache = cache_folder()
    home = cache / version
    try:
        cache.mkdir(parents=True, exist_ok=True)
        # One lock for all versions: they are fetched into one Maven repository, where two that fetch
        # the same package at the same time break each other off.
        with _locked(cache / LOCK):
            if not is_complete(home):
                _build(version, home, say)
    except OSError as error:
        raise ConfigurationError(
            f"Elasticsearch cannot be kept in {cache} ({error}); "
            "free some space there, or name another folder in XDG_CACHE_HOME."
        ) from error
    return home


def is_complete(home: Path) -> bool:
    """Whether every file is as it was when the preparation ended (40 MB: some 50 ms)."""
    try:
        kept: dict[str, str] = json.loads((home / MANIFEST).read_text(encoding="utf-8"))
        return bool(kept) and all(_digest(home / name) == kept[name] for name in kept)
    except (OSError, ValueError, AttributeError):
        return False


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        # Released by the system when the process ends, however it ends.
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(version: str, home: Path, say: Callable[[str], None]) -> None:
    # Only the holder of the lock gets here, so whatever else lies here is a dead one's rubbish.
    for left_over in home.parent.glob(f"{version}.part-*"):
        shutil.rmtree(left_over, ignore_errors=True)
    say(f"Fetching {named(version)} (40 MB, once) into {home} …")
    with tempfile.TemporaryDirectory(prefix=f"{version}.part-", dir=home.parent) as folder:
        staging = Path(folder)
        jars = _fetch_sound_jars(version, staging)
        new = staging / "home"
        _lay_out(version, jars, new)
        if home.exists():
            home.rename(staging / "damaged")
        new.rename(home)


def _fetch_sound_jars(version: str, staging: Path) -> list[Path]:
    jars = _fetch_jars(version, staging / "first", repository=None)
    if all(_is_sound(jar) for jar in jars):
        return jars
    # The user's own Maven repository holds a damaged file. It is not ours to mend, so go round it.
    jars = _fetch_jars(version, staging / "second", repository=staging / "repository")
    for jar in jars:
        if not _is_sound(jar):
            raise ConfigurationError(
                f"{jar.name}, a part of {named(version)}, arrived damaged; try again."
            )
    return jars


def _endpoints(version: str) -> list[str]:
    if not version.startswith(OPENSEARCH):
        plugin = f"org.elasticsearch.plugin:transport-netty4:{version}"
        return [f"org.elasticsearch:elasticsearch:{version}+{plugin}"]
    number = version.removeprefix(OPENSEARCH)
    plugin = f"org.opensearch.plugin:transport-netty4-client:{number}"
    return [
        f"org.opensearch:opensearch:{number}+{plugin}",
        # Needed, and not named by the server. Asked for alone: in company it would have older
        # versions of what the server needs taken.
        "org.apache.logging.log4j:log4j-core:2.21.0",
    ]


def _fetch_jars(version: str, cache: Path, *, repository: Path | None) -> list[Path]:
    found: dict[str, Path] = {}
    for endpoint in _endpoints(version):
        for jar in _fetch_endpoint(endpoint, version, cache, repository=repository):
            found.setdefault(jar.name, jar)
    return list(found.values())


def _fetch_endpoint(
    endpoint: str, version: str, cache: Path, *, repository: Path | None
) -> list[Path]:
    try:
        from jgo.config import GlobalSettings
        from jgo.env import EnvironmentBuilder
        from jgo.maven import MavenContext
        from jgo.maven._core import DEFAULT_REMOTE_REPOS
    except ImportError as error:
        raise ConfigurationError(
            f"A local Elasticsearch needs the package {error.name}; install it with: {INSTALL}"
        ) from error
    settings = GlobalSettings.load()
    last: Exception | None = None
    for _attempt in range(3):  # a single lost connection among a hundred is no reason to give up
        try:
            context = MavenContext(
                repo_cache=repository or settings.repo_cache,
                remote_repos={**DEFAULT_REMOTE_REPOS, **settings.repositories},
                timeout=30,
            )
            environment = EnvironmentBuilder(context=context, cache_dir=cache).from_endpoint(
                endpoint
            )
            return [
                path
                for folder in ("jars", "modules")
                for path in sorted((Path(environment.path) / folder).glob("*.jar"))
            ]
        except Exception as error:  # jgo raises whatever its parts raise
            last = error
    raise ConfigurationError(
        f"The packages of {named(version)} cannot be fetched ({_one_line(last)}); "
        "check the version and the network, or use a running server instead."
    ) from last


def _one_line(error: Exception | None) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else text[:199] + "…"


def _lay_out(version: str, jars: list[Path], home: Path) -> None:
    transport = home / "modules" / "transport-netty4"
    for folder in (home / "lib", home / "modules", home / "plugins", home / "config"):
        folder.mkdir(parents=True)
    is_opensearch = version.startswith(OPENSEARCH)
    if not is_opensearch:  # OpenSearch takes its transport from the class path (node.py)
        transport.mkdir()
    for jar in jars:
        is_transport = jar.name.startswith(("netty-", "transport-netty4-")) and not is_opensearch
        # Copies, not links: what happens to the user's Maven repository must not happen here.
        shutil.copyfile(jar, (transport if is_transport else home / "lib") / jar.name)
    if not is_opensearch:
        _describe(transport)
    name = "opensearch" if is_opensearch else "elasticsearch"
    (home / "config" / f"{name}.yml").write_text("", encoding="utf-8")
    (home / "config" / "log4j2.properties").write_text(LOGGING, encoding="utf-8")
    files = sorted(path for path in home.rglob("*") if path.is_file())
    manifest = {str(path.relative_to(home)): _digest(path) for path in files}
    (home / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def _describe(transport: Path) -> None:
    (archive,) = transport.glob("transport-netty4-*.jar")
    with zipfile.ZipFile(archive) as opened:
        descriptor = opened.read(DESCRIPTOR).decode()
    # Without the name of its module the plugin is loaded from the class path, which is all we have.
    (transport / "plugin-descriptor.properties").write_text(
        re.sub(r"(?m)^modulename=.*\n?", "", descriptor), encoding="utf-8"
    )


def _is_sound(jar: Path) -> bool:
    try:
        with zipfile.ZipFile(jar) as opened:
            return opened.testzip() is None
    except (OSError, zipfile.BadZipFile, zipfile.LargeZipFile):
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
