"""A process that starts workers quickly, by forking, and kills them at a given step or time.

Commands come as JSON lines on stdin, one answer a line goes to stdout:

    {"workers": 2, "kill_at": 17}          the first worker kills itself before its 17th step
    {"workers": 2, "kill_after": [0.05]}   the first is killed after 50 ms; the second is let be
    {"args": ["analyze"], "said": "out"}   the command line instead, what it says into that file
    {"file_limit": 65536}                  no file may grow beyond this
    {"memory": 10000000}                   no more than so much beside what it has at its beginning
    {"plain": true}                        root, too, may write only what the modes of files allow
    {"environment": {"NAME": "value"}}     beside the one that all have

A step is a request to Paperless or a change of a file: just before it, between its two halves
(before the commit) and just after it. Workers do what `consume --inbox` does.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import traceback
from contextlib import contextmanager
from pathlib import Path

from paperless_fingerprint.integration.consume import drain
from paperless_fingerprint.integration.context import open_workplace
from paperless_fingerprint.integration.state import WorkerFile
from paperless_fingerprint.paperless.spool import Spool
from paperless_fingerprint.paperless.transport import Transport
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.sqlite import SqliteStore


class Steps:
    def __init__(self, kill_at: int | None) -> None:
        self.count = 0
        self.kill_at = kill_at

    def __call__(self) -> None:
        self.count += 1
        if self.count == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: type, name: str) -> None:
        original = getattr(owner, name)

        def call(*arguments, **named):
            self()
            result = original(*arguments, **named)
            self()
            return result

        setattr(owner, name, call)

    def around_transactions(self, owner: type, name: str) -> None:
        original = getattr(owner, name)

        @contextmanager
        def transaction(*arguments, **named):
            self()
            with original(*arguments, **named) as connection:
                yield connection
                self()
            self()

        setattr(owner, name, transaction)


def work(kill_at: int | None, args: list[str] | None) -> int:
    steps = Steps(kill_at)
    steps.around_transactions(SqliteStore, "writing")
    steps.around_transactions(WorkerFile, "writing")
    steps.around(Transport, "once")
    steps.around(Spool, "remove")
    if args is not None:
        return command(args)
    with open_workplace(load()) as place:
        report = drain(place)
    return 1 if report.outage or report.tried else 0


def command(args: list[str]) -> int:
    from paperless_fingerprint.cli import main as program

    try:
        program(args)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def limited(told: dict) -> None:
    if limit := told.get("file_limit"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if "memory" in told:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + told["memory"]
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if told.get("plain") and os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        if ctypes.CDLL(None, use_errno=True).capset(header, (ctypes.c_uint32 * 6)()):
            raise OSError(ctypes.get_errno(), "capset")


def started(told: dict, kill_at: int | None = None) -> int:
    number = os.fork()
    if number:
        return number
    status = 99
    try:
        # The answers go to stdout; whatever the worker says must not come between.
        if "said" in told:
            said = os.open(told["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(said, 2)
        os.dup2(2, 1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        limited(told)
        os.environ.update(told.get("environment", {}))
        status = work(kill_at, told.get("args"))
    except BaseException:
        # The exit below would swallow it, and nobody would learn what happened.
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def main() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    for line in sys.stdin:
        told = json.loads(line)
        workers = [started(told, told.get("kill_at"))]
        workers += [started(told) for _ in range(told.get("workers", 1) - 1)]
        for number, seconds in zip(workers, told.get("kill_after", ()), strict=False):
            signal.sigtimedwait({signal.SIGCHLD}, seconds)
            os.kill(number, signal.SIGKILL)
        statuses = [os.waitstatus_to_exitcode(os.waitpid(n, 0)[1]) for n in workers]
        while signal.sigtimedwait({signal.SIGCHLD}, 0):
            pass
        print(json.dumps(statuses), flush=True)


if __name__ == "__main__":
    main()
