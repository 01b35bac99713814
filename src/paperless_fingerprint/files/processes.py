"""Processes that do a part of the work."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, Literal, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class ProcessDiedError(Exception):
    """One has ended before its work was done, most likely for want of memory."""


class Processes(Generic[Task, Answer]):
    """Several that share the work; the answers come in the order of the tasks.

    The library's executors keep threads beside, and where one of these dies of a lack of memory,
    everybody waits for ever. Here a pipe breaks.
    """

    def __init__(
        self,
        number: int,
        begin: Callable[..., Callable[[Task], Answer]],
        given: tuple[Any, ...] = (),
        *,
        start: Literal["fork", "spawn"] | None = None,
    ) -> None:
        """In each of them `begin`, with what is given, makes what works on a task."""
        context = multiprocessing.get_context(start)
        self._there: dict[Connection, BaseProcess] = {}
        self._numbers = count()
        #: The number of the task that each works on.
        self._under_way: dict[Connection, int] = {}
        for _ in range(number):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, begin, given), daemon=True)
            process.start()
            theirs.close()  # that of a process that has died is open nowhere
            self._there[ours] = process

    def done(self, tasks: Iterable[Task]) -> Iterator[Answer]:
        # Only a few tasks at a time are on their way: what they speak of is in memory. Some may still
        # be from an earlier call that ended before its answers came; nobody wants those.
        turn = next(self._numbers) + 1
        coming = zip(self._numbers, tasks, strict=False)
        answers: dict[int, Answer] = {}
        while True:
            idle = [process for process in self._there if process not in self._under_way]
            for process, (number, task) in zip(idle, coming, strict=False):
                with _told_of_death():
                    process.send(task)
                self._under_way[process] = number
            while turn in answers:
                yield answers.pop(turn)
                turn += 1
            if not self._under_way:
                return
            ready = wait(list(self._under_way))
            for process in [each for each in self._under_way if each in ready]:
                with _told_of_death():
                    answer = process.recv()
                number = self._under_way.pop(process)
                if number < turn:
                    continue
                if isinstance(answer, Exception):
                    raise answer
                answers[number] = answer

    def close(self) -> None:
        for connection, process in self._there.items():
            connection.close()
            process.kill()  # nobody waits for what it is at
            process.join()


@contextmanager
def _told_of_death() -> Iterator[None]:
    try:
        yield
    except (EOFError, ConnectionError) as error:
        raise ProcessDiedError from error


def _work(
    asked: Connection, begin: Callable[..., Callable[[Any], Any]], given: tuple[Any, ...]
) -> None:
    """What one process does: answers with what was found, or with the error that there was."""
    # Of a lack of memory it dies, which the one that asks is told by its silence.
    with suppress(EOFError, OSError, MemoryError, RuntimeError):
        _end_with_parent()
        work = begin(*given)
        # What was there before is shared with the process that this one came from, as long as nobody
        # writes to it; to look for cycles in it would be to write to all of it.
        gc.freeze()
        while True:
            answer: Any
            task = asked.recv()
            try:
                answer = work(task)
            except Exception as error:
                error.add_note(traceback.format_exc())
                answer = error
            asked.send(answer)


def _end_with_parent() -> None:
    """Where the one that started it is killed, nobody would ever tell it that there is nothing more
    to do."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()
