"""The lease of a library in Elasticsearch: one place works on it, the others wait.

It is a document that its holder writes again every few seconds. Whoever writes it names the sequence
number of the version that he replaces, so of two only one succeeds. No clocks are compared: who
wants it watches that number, and takes the lease over when it has stood still for a minute of his
own.

A holder that was cut off or stopped for a while does not know of that at once. So each place that
takes the lease over begins a new turn, and its holder writes through aliases that bear the number of
the turn (`…-pairs-turn-7`). In one step they take the place of those of the turn before: what a
holder of that one still sends finds no index, and the server refuses it. Only a request that the
server has accepted before is carried out, and by then that was a minute ago.
"""

from __future__ import annotations

import fcntl
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson
from elasticsearch import ApiError, ConflictError, NotFoundError, TransportError

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files import OWNER_ONLY
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.stores.elasticsearch.connection import Address, connect
from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.layout import definitions
from paperless_fingerprint.stores.elasticsearch.scan import Reader
from paperless_fingerprint.stores.lease import ElsewhereError

#: Without a sign for so long, a holder is taken for gone.
EXPIRES_SECONDS = 60.0
#: How often a holder gives one.
RENEWED_SECONDS = 15.0
_WATCHED_SECONDS = 0.5
_ATTEMPTS = 10
_ID = "lease"
_OF_A_TURN = re.compile(r"-turn-\d+$")


@dataclass(frozen=True, slots=True)
class _Told:
    """What the document says."""

    place: str
    #: For people: machine and folder.
    shown: str
    turn: int = 1
    is_free: bool = False
    #: The turn in which Paperless was told last.
    told: str = ""


@dataclass(frozen=True, slots=True)
class _Seen:
    told: _Told
    #: (sequence number, primary term)
    version: tuple[int, int]


class ElasticsearchLease:
    """See stores.lease.Lease. One for all threads of a process."""

    def __init__(self, address: Address, file: Path) -> None:
        """The place is known by what stands in the file; its processes meet there."""
        self.library = (address.hosts, address.prefix)
        self._file = file
        self._shown = f"{socket.gethostname()}:{file.parent}"
        self._failures = Failures(address.shown)
        self._names = {each.alias(address.prefix) for each in definitions().values()}
        self._index = definitions()["library"].alias(address.prefix)
        self._client = connect(address)
        self._guard = threading.RLock()
        #: How many in this process count on it.
        self._count = 0
        self._descriptor = -1
        self._place = ""
        self._held: _Seen | None = None
        self._renewed_at = 0.0
        #: Who has it now instead of us.
        self._lost_to = ""
        self._ended = threading.Event()
        #: The version of another place's lease, and since when it has been that.
        self._watched: tuple[tuple[int, int], float] | None = None

    @property
    def is_held(self) -> bool:
        return self._held is not None

    def through(self, alias: str) -> str:
        """What to write through where this alias is meant."""
        held = self._held
        return f"{alias}-turn-{held.told.turn}" if held and alias in self._names else alias

    @contextmanager
    def kept(self, *, wait: bool = True) -> Iterator[None]:
        with self._guard:
            if not self._count:
                self._begin(wait=wait)
            elif self._held and _now() - self._renewed_at > EXPIRES_SECONDS / 2:
                self._renew()  # this machine may have slept
            if self._lost_to:
                raise self.lost()
            self._count += 1
        try:
            yield
        finally:
            with self._guard:
                self._count -= 1
                if not self._count:
                    self._end()

    def tell(self) -> tuple[str, str]:
        with self._guard, self._failures.explained():
            while (held := self._held) and not self._lost_to:
                last, turn = held.told.told, str(held.told.turn)
                if last == turn:
                    return last, turn
                try:
                    self._held = self._write(replace(held.told, told=turn), held.version)
                except ConflictError:
                    self._renew()
                else:
                    return last, turn
            return "", ""

    def lost(self) -> StoreError:
        """What to say where another place has it now."""
        return self._failures.store_error(
            "taken_over", place=self._lost_to or "another place", here=self._shown
        )

    # Beginning and ending --------------------------------------------------------------------

    def _begin(self, *, wait: bool) -> None:
        self._come()
        try:
            self._held = Reader(self._client, self._failures).patiently(
                lambda: self._taken(wait=wait)
            )
        except BaseException:
            self._go()
            raise
        if self._held:
            self._ended = threading.Event()
            threading.Thread(
                target=self._keep_renewing, args=(self._ended,), name="lease", daemon=True
            ).start()

    def _end(self) -> None:
        self._ended.set()
        with suppress(OSError, ApiError, TransportError):
            # Where no other process of this place counts on it, nobody need wait for its expiry.
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._let_go()
        self._held, self._lost_to = None, ""
        self._go()

    def _let_go(self) -> None:
        # Once more where another process of this place has renewed it last.
        for _attempt in range(2):
            if not self._held or self._lost_to:
                return
            try:
                self._write(replace(self._held.told, is_free=True), self._held.version)
            except ConflictError:
                self._renew()
            else:
                return

    def _come(self) -> None:
        """So that other processes of this place know that somebody is here."""
        try:
            if not self._file.exists():
                self._name_place()
            self._descriptor = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)
            self._place = os.read(self._descriptor, 100).decode()
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)
        except OSError as error:
            told = {"path": str(self._file), "said": error.strerror or str(error)}
            raise StoreError(Reason("lock_file", told)) from error

    def _name_place(self) -> None:
        """In one step: of several who do so at once one succeeds."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        name = uuid4().hex
        own = self._file.with_name(f"{self._file.name}.{name}")
        try:
            with os.fdopen(os.open(own, os.O_WRONLY | os.O_CREAT, OWNER_ONLY), "w") as file:
                file.write(name)
            with suppress(FileExistsError):
                os.link(own, self._file)
        finally:
            own.unlink(missing_ok=True)

    def _go(self) -> None:
        # Processes that were forked have the descriptor, too; they have no part in this.
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        os.close(self._descriptor)
        self._descriptor = -1

    def _taken(self, *, wait: bool) -> _Seen | None:
        """None where there is no library yet, and nobody can be working on it."""
        for _attempt in range(_ATTEMPTS):
            try:
                seen = self._read()
            except NotFoundError:
                return None
            wanted, version = _Told(self._place, self._shown), None
            if seen:
                told, version = seen.told, seen.version
                is_ours = told.place == self._place
                if not is_ours and not told.is_free and not self._is_outwaited(seen, wait=wait):
                    continue
                wanted = replace(wanted, turn=told.turn + (not is_ours), told=told.told)
            with suppress(ConflictError):
                held = self._write(wanted, version)
                if self._is_turn_begun(wanted.turn):
                    return held
                # Whoever was stopped in between may have come too late: the number tells.
                return self._write(wanted, held.version)
        raise self._failures.store_error("lease_changes")

    def _is_outwaited(self, seen: _Seen, *, wait: bool) -> bool:
        """Whether this holder has given no sign for long enough. Not, where there is another."""
        told = seen.told
        if not self._watched or self._watched[0] != seen.version:
            self._watched = seen.version, _now()
        while self._watched[0] == seen.version:
            if _now() - self._watched[1] >= EXPIRES_SECONDS:
                return True
            if not wait:
                break
            time.sleep(_WATCHED_SECONDS)
            again = self._read()
            if not again or again.told.place != told.place or again.told.is_free:
                return False
            if again.version != seen.version:
                self._watched = again.version, _now()
        where = {"place": told.shown, "address": self._failures.address}
        raise ElsewhereError(Reason("works_elsewhere", where))

    # The server's side -----------------------------------------------------------------------

    def _is_turn_begun(self, turn: int) -> bool:
        """Or begins it: what is written through goes over from the turn before, whoever's it was."""
        for _attempt in range(_ATTEMPTS):
            actions: list[dict[str, Any]] = []
            for index, found in self._client.indices.get_alias(index=sorted(self._names)).items():
                [alias] = self._names.intersection(found["aliases"])
                wanted = f"{alias}-turn-{turn}"
                turns = {each for each in found["aliases"] if _OF_A_TURN.search(each)}
                if turns != {wanted}:
                    actions.append({"add": {"index": index, "alias": wanted}})
                # Where somebody else was quicker, nothing of this is done.
                actions += [
                    {"remove": {"index": index, "alias": each, "must_exist": True}}
                    for each in sorted(turns - {wanted})
                ]
            if not actions:
                return True
            with suppress(NotFoundError):
                if self._client.indices.update_aliases(actions=actions)["acknowledged"]:
                    return False
        raise self._failures.store_error("nodes_stay_behind")

    def _keep_renewing(self, ended: threading.Event) -> None:
        pause = RENEWED_SECONDS
        while not ended.wait(pause):
            with self._guard:
                if ended.is_set() or self._lost_to:
                    return
                pause = RENEWED_SECONDS if self._renew() else RENEWED_SECONDS / 5

    def _renew(self) -> bool:
        """Whether it could be done. A server that is away keeps nobody from going on: what he does
        fails by itself, or somebody else has the next turn."""
        assert self._held
        try:
            self._held = self._write(self._held.told, self._held.version)
        except ConflictError:
            with suppress(ApiError, TransportError):
                seen, own = self._read(), self._held.told
                told = seen.told if seen else _Told("", "")
                if seen and (told.place, told.turn) == (own.place, own.turn):
                    # Another process of this place, or the index was moved.
                    self._held = replace(seen, told=replace(seen.told, is_free=False))
                    self._renewed_at = _now()
                    return True
                self._lost_to = told.shown or "another place"
            return False
        except (ApiError, TransportError):
            return False
        return True

    def _read(self) -> _Seen | None:
        """Raises NotFoundError where there is no index."""
        try:
            answer = self._client.get(index=self._index, id=_ID)
        except NotFoundError as error:
            if isinstance(error.body, dict) and error.body.get("found") is False:
                return None
            raise
        told = _Told(*orjson.loads(answer["_source"]["value"]))
        return _Seen(told, (answer["_seq_no"], answer["_primary_term"]))

    def _write(self, told: _Told, version: tuple[int, int] | None) -> _Seen:
        """Raises ConflictError where the version is another one."""
        now = _now()
        value = orjson.dumps([told.place, told.shown, told.turn, told.is_free, told.told])
        replacing: dict[str, Any] = (
            {"if_seq_no": version[0], "if_primary_term": version[1]}
            if version
            else {"op_type": "create"}
        )
        answer = self._client.index(
            index=self._index,
            id=_ID,
            document={"kind": "lease", "name": _ID, "value": value.decode()},
            require_alias=True,
            **replacing,
        )
        self._renewed_at = now
        return _Seen(told, (answer["_seq_no"], answer["_primary_term"]))


def _now() -> float:
    """Goes on while the machine sleeps, where the system has such a clock."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


_leases: dict[tuple[tuple[str, ...], str, Path], ElasticsearchLease] = {}
_making = threading.Lock()


def lease_at(address: Address, file: Path) -> ElasticsearchLease:
    """One for a library and a place in this process."""
    key = (address.hosts, address.prefix, file)
    with _making:
        if key not in _leases:
            _leases[key] = ElasticsearchLease(address, file)
        return _leases[key]


def held_of(address: Address) -> ElasticsearchLease | None:
    """The lease under which this process writes, if there is one."""
    library = (address.hosts, address.prefix)
    held = (each for each in [*_leases.values()] if each.library == library and each.is_held)
    return next(held, None)
