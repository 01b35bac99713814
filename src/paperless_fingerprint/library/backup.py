"""A library in one file, taken while others work on it, and back again.

The file is a zip: `backup.json` says what it is, `library.db` is the library as SQLite keeps it
(also where it comes from an Elasticsearch), beside it lie the worker's file, the journal of
decisions and the audit log, and `settings.toml` has the settings that are not the default, without
secrets. Any zip program opens it, so that a person is never locked out.

Nothing takes a name before it is whole: whoever is killed on the way leaves a file with the name
of a part behind, which the next run takes away.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tomllib
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit, urlunsplit

from paperless_fingerprint import __version__
from paperless_fingerprint.errors import StoreError, UsageError
from paperless_fingerprint.files import OWNER_ONLY
from paperless_fingerprint.files.lock import FileLock
from paperless_fingerprint.files.sqlite import copy_at_one_moment, damage_in, is_used
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.library.lock import (
    library_file,
    library_lock,
    path_of,
    path_of_audit,
    path_of_journal,
)
from paperless_fingerprint.library.migrate import migrate
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.settings.registry import REGISTRY, Settings, Value
from paperless_fingerprint.stores.base import StoreCounts
from paperless_fingerprint.stores.opening import open_store

#: Of the zip and what lies in it; a library in it has a version of its own.
FORMAT = 1
_ABOUT, _SETTINGS = "backup.json", "settings.toml"
_LIBRARY, _INBOX, _JOURNAL, _AUDIT = "library.db", "inbox.db", "review.db", "audit.jsonl"
_DATABASES = (_INBOX, _JOURNAL, _LIBRARY)
#: Of another machine, or said anew with each command.
_PLACES = frozenset({"store", "inbox.file", "spool"})


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    at: str
    program: str
    #: Name in the file → bytes.
    parts: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "at": self.at,
            "program": self.program,
            "parts": dict(self.parts),
        }


@dataclass(frozen=True, slots=True)
class Restoration:
    """What a restore does, or has done."""

    backup: Backup
    counts: StoreCounts
    target: str
    #: What is there now and would be moved aside.
    present: tuple[Path, ...]
    #: Setting → (in the backup, in force).
    settings: Mapping[str, tuple[Value, Value]] = field(default_factory=dict)
    #: Where that was moved to.
    moved: tuple[Path, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            **self.backup.as_json(),
            "documents": self.counts.documents,
            "pairs": self.counts.pairs,
            "groups": self.counts.groups,
            "decisions": self.counts.decisions,
            "target": self.target,
            "present": [str(path) for path in self.present],
            "settings": {
                key: {"backup": then, "now": now} for key, (then, now) in self.settings.items()
            },
            "moved": [str(path) for path in self.moved],
        }


# --- out --------------------------------------------------------------------------------------------


def back_up(settings: Settings, path: Path, progress: Progress, *, overwrite: bool) -> Backup:
    if path.exists() and not (overwrite and path.is_file()):
        raise UsageError(f"{path} is there already. Name another file, or add --overwrite.")
    with _only_one(settings), _workroom(path) as room:
        progress.begin("copy the library")
        _copy(settings, room, progress)
        progress.begin("check the copy")
        for name in _DATABASES:
            if (room / name).exists() and (why := damage_in(room / name)):
                raise StoreError(
                    f"The {name} of {settings.store} is damaged ({why}), so no backup of it was "
                    "made. 'restore' puts an earlier one in its place."
                )
        (room / _SETTINGS).write_text(_as_toml(settings), encoding="utf-8")
        parts = {part.name: part.stat().st_size for part in sorted(room.iterdir())}
        made = Backup(path, now_text(), __version__, parts)
        about = {"format": FORMAT, **made.as_json()}
        del about["file"]
        (room / _ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        progress.begin("pack it")
        _pack(room, room / "backup.zip", [_ABOUT, *parts])
        (room / "backup.zip").replace(path)
    _to_disk(path.parent)
    return made


@contextmanager
def _only_one(settings: Settings) -> Iterator[None]:
    """Backups of one library exclude each other; nobody else waits for them."""
    beside = path_of(settings)
    with FileLock(beside.with_name(beside.name + ".backup")).tried() as alone:
        if not alone:
            raise StoreError("Another backup of this library is being made; wait for it.")
        yield


@contextmanager
def _workroom(path: Path) -> Iterator[Path]:
    room = path.with_name(path.name + ".part")
    try:
        shutil.rmtree(room, ignore_errors=True)  # somebody was killed here
        room.mkdir(mode=0o700)
        yield room
    except OSError as error:
        raise StoreError(
            f"The backup {path} cannot be written: {error.strerror}. It needs room for the library "
            "itself beside the file while it is made; nothing was changed."
        ) from error
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _copy(settings: Settings, room: Path, progress: Progress) -> None:
    """The library last: what is said to wait in a file before it may be done in it already, and is
    done again, as after a crash. The other way round it would be lost."""
    library = library_file(settings)
    sources = {_INBOX: path_of(settings), _JOURNAL: path_of_journal(settings)}
    if library is not None:
        if not library.exists():
            raise StoreError(f"There is no library at {library}; --store names another place.")
        sources[_LIBRARY] = library
    copy_at_one_moment((source, room / name) for name, source in sources.items() if source.exists())
    if library is None:
        copy = settings.having({"store": f"sqlite:///{room / _LIBRARY}"})
        with (
            library_lock(settings).held(),
            closing(open_store(settings, create=False)) as store,
            closing(open_store(copy)) as target,
        ):
            migrate(store, target, progress)
    audit = path_of_audit(settings)
    if audit.exists():  # after all that it speaks of: a line too many, never one too few
        shutil.copyfile(audit, room / _AUDIT)


def _as_toml(settings: Settings) -> str:
    lines: list[str] = []
    section = ""
    for setting in REGISTRY:
        value = settings.value(setting.key)
        if value == setting.default or value is None:
            continue
        if setting.section != section:
            section = setting.section
            lines += ["", f"[{section}]"]
        if setting.secret:
            lines.append(f"# {setting.name} is set, but secrets are not kept in a backup")
        else:
            lines.append(f"{setting.name} = {_toml(value)}")
    return "\n".join(lines).strip() + "\n"


def _toml(value: Value) -> str:
    if isinstance(value, str):
        value = ",".join(_without_password(part) for part in value.split(","))
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _without_password(text: str) -> str:
    if "@" not in text or "://" not in text:
        return text
    address = urlsplit(text)
    return urlunsplit(address._replace(netloc=address.netloc.rpartition("@")[2]))


def _pack(room: Path, target: Path, names: list[str]) -> None:
    with _own(target) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            for name in names:
                packed.write(room / name, name)
                (room / name).unlink()
        file.flush()
        os.fsync(file.fileno())


def _own(path: Path) -> IO[bytes]:
    """A new file for its owner alone: it has texts of documents in it."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "wb")


def _to_disk(folder: Path) -> None:
    """A name is safe once its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- and back ---------------------------------------------------------------------------------------


def restore(
    settings: Settings, path: Path, progress: Progress, *, yes: bool, overwrite: bool
) -> Restoration:
    """Unpack and check; with `yes` put it in place. What is there is moved aside, never deleted,
    and only where `overwrite` says so."""
    made = _read(path)
    targets = _targets(settings)
    unpacked = {name: target.with_name(target.name + ".part") for name, target in targets.items()}
    try:
        targets[_LIBRARY].parent.mkdir(parents=True, exist_ok=True)
        targets[_INBOX].parent.mkdir(parents=True, exist_ok=True)
        with library_lock(settings).tried() as alone:
            if not alone:
                raise StoreError(_IN_USE.format(settings.store))
            progress.begin("unpack and check")
            then = _unpack(path, made, unpacked)
            counts = _counts(settings, unpacked[_LIBRARY])
            found = Restoration(
                made,
                counts,
                str(settings.store),
                tuple(target for target in targets.values() if target.exists()),
                _differences(then, settings),
            )
            if not yes:
                return found
            if found.present and not overwrite:
                raise UsageError(
                    f"{found.present[0]} is there already, and nothing was changed. --overwrite "
                    "moves it aside, with what belongs to it."
                )
            return _put(settings, found, targets, unpacked, progress)
    except OSError as error:
        raise StoreError(
            f"The backup {path} cannot be restored to {settings.store}: {error.strerror}. It needs "
            "room for the library beside its place."
        ) from error
    finally:
        for part in unpacked.values():
            for name in (part.name, part.name + "-wal", part.name + "-shm"):
                part.with_name(name).unlink(missing_ok=True)


_IN_USE = (
    "{} is in use, and nothing was changed. Stop `serve` and whatever else works on it, then run "
    "the command again."
)


def _targets(settings: Settings) -> dict[str, Path]:
    inbox = path_of(settings)
    return {
        # That of an Elasticsearch is only unpacked there.
        _LIBRARY: library_file(settings) or inbox.with_name(inbox.name + ".library"),
        _INBOX: inbox,
        _JOURNAL: path_of_journal(settings),
        _AUDIT: path_of_audit(settings),
    }


def _read(path: Path) -> Backup:
    try:
        with zipfile.ZipFile(path) as packed:
            about = json.loads(packed.read(_ABOUT))
            made = Backup(path, str(about["at"]), str(about["program"]), dict(about["parts"]))
            if about["format"] > FORMAT:
                raise StoreError(
                    f"{path} was written by a newer paperless-fingerprint ({made.program}). "
                    "Upgrade the program; nothing was changed."
                )
            packed.getinfo(_LIBRARY)
    except FileNotFoundError:
        raise UsageError(f"There is no backup at {path}.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, error) from error
    return made


def _damaged(path: Path, error: object) -> StoreError:
    return StoreError(
        f"{path} is damaged, or no backup of ours ({error}). Nothing was changed; take another one."
    )


def _unpack(path: Path, made: Backup, unpacked: Mapping[str, Path]) -> dict[str, object]:
    """The settings in it; the rest goes where `unpacked` says. The zip has sums of all it holds."""
    try:
        with zipfile.ZipFile(path) as packed:
            for name, target in unpacked.items():
                if name in made.parts:
                    with packed.open(name) as source, _own(target) as file:
                        shutil.copyfileobj(source, file, 1 << 20)
                        file.flush()
                        os.fsync(file.fileno())
            told = tomllib.loads(packed.read(_SETTINGS).decode())
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError) as error:
        raise _damaged(path, error) from error
    for name in _DATABASES:
        if name in made.parts and (why := damage_in(unpacked[name])):
            raise _damaged(path, why)
    return told


def _counts(settings: Settings, library: Path) -> StoreCounts:
    """Opens it, which refuses what is newer, and brings what is older up to date."""
    with closing(
        open_store(settings.having({"store": f"sqlite:///{library}"}), create=False)
    ) as store:
        counts = store.report().counts
    is_used(library)  # and so it is one file
    return counts


def _differences(then: Mapping[str, object], settings: Settings) -> dict[str, tuple[Value, Value]]:
    flat: dict[str, Any] = {}
    for name, value in then.items():
        flat |= (
            {f"{name}.{key}": each for key, each in value.items()}
            if isinstance(value, dict)
            else {name: value}
        )
    return {
        setting.key: (was, now)
        for setting in REGISTRY
        if setting.key not in _PLACES and not setting.secret
        for was in (flat.get(setting.key, setting.default),)
        for now in (settings.value(setting.key),)
        if was != now
    }


def _put(
    settings: Settings,
    found: Restoration,
    targets: dict[str, Path],
    unpacked: dict[str, Path],
    progress: Progress,
) -> Restoration:
    for name in _DATABASES:
        if targets[name] in found.present:
            try:
                used = is_used(targets[name])
            except sqlite3.DatabaseError:
                continue  # damaged, which is why somebody restores
            if used:
                raise StoreError(_IN_USE.format(targets[name]))
    if library_file(settings) is None:
        copy = settings.having({"store": f"sqlite:///{unpacked[_LIBRARY]}"})
        with closing(open_store(copy)) as source, closing(open_store(settings)) as store:
            migrate(source, store, progress)
        unpacked[_LIBRARY].unlink()
    moment = now_text()[:19].replace(":", "")
    moved = []
    # The library goes first and comes last: who is stopped between leaves none, and no mixture.
    for target in found.present:
        aside = target.with_name(f"{target.name}.before-{moment}")
        for ending in ("-wal", ""):  # of a damaged one alone the first is there still
            if (own := target.with_name(target.name + ending)).exists():
                own.rename(aside.with_name(aside.name + ending))
        target.with_name(target.name + "-shm").unlink(missing_ok=True)
        moved.append(aside)
    for name in (_AUDIT, *_DATABASES):
        if unpacked[name].exists():
            unpacked[name].rename(targets[name])
    for folder in {target.parent for target in targets.values()}:
        _to_disk(folder)
    return replace(found, moved=tuple(moved))
