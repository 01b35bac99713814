"""A process that starts workers quickly, by forking, and kills them at a given step or time.

Commands come as JSON lines on stdin, one answer a line goes to stdout:

    {"workers": 2, "kill_at": 17}          the first worker kills itself before its 17th step
    {"workers": 2, "kill_after": [0.05]}   the first is killed after 50 ms; the second is let be

A step is a request to Paperless or a change of a file: just before it, between its two halves
(before the commit) and just after it. Workers do what `consume --inbox` does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from contextlib import contextmanager

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


def work(kill_at: int | None) -> int:
    steps = Steps(kill_at)
    steps.around_transactions(SqliteStore, "writing")
    steps.around_transactions(WorkerFile, "writing")
    steps.around(Transport, "once")
    steps.around(Spool, "remove")
    with open_workplace(load()) as place:
        report = drain(place)
    return 1 if report.outage or report.tried else 0


def started(kill_at: int | None) -> int:
    number = os.fork()
    if number:
        return number
    status = 99
    try:
        # The answers go to stdout; whatever the worker says must not come between.
        os.dup2(2, 1)
        status = work(kill_at)
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
        workers = [started(told.get("kill_at"))]
        workers += [started(None) for _ in range(told.get("workers", 1) - 1)]
        for number, seconds in zip(workers, told.get("kill_after", ()), strict=False):
            signal.sigtimedwait({signal.SIGCHLD}, seconds)
            os.kill(number, signal.SIGKILL)
        statuses = [os.waitstatus_to_exitcode(os.waitpid(n, 0)[1]) for n in workers]
        while signal.sigtimedwait({signal.SIGCHLD}, 0):
            pass
        print(json.dumps(statuses), flush=True)


if __name__ == "__main__":
    main()
