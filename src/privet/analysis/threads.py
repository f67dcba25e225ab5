"""Work shared by threads, for loops that release the GIL."""

from __future__ import annotations

import os
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from operator import itemgetter
from queue import SimpleQueue
from typing import TypeVar, cast

__all__ = ["ahead", "cores", "in_threads"]

T = TypeVar("T")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(work: Callable[[T], object], items: Sequence[T], threads: int) -> None:
    """Do the work on all items, in this thread and in others, or raise what it raised on the first.

    Items are begun in order, so that the first on which it fails is the same every time. Bare
    threads: those of `threading` keep their maker waiting until they run, and Linux then tends to
    leave both on one core for milliseconds.
    """
    waiting = iter(range(len(items)))
    failures: list[tuple[int, BaseException]] = []
    finished: SimpleQueue[None] = SimpleQueue()

    def run() -> None:
        at = -1
        try:
            for at in waiting:
                work(items[at])
        except BaseException as error:
            failures.append((at, error))
            deque(waiting, maxlen=0)  # nothing is left to do for other threads
        finally:
            finished.put(None)

    running = 1
    with suppress(RuntimeError):  # where there are no more threads, fewer do the work
        for _ in range(min(threads, len(items)) - 1):
            start_new_thread(run, ())
            running += 1
    run()
    for _ in range(running):
        finished.get()
    if failures:
        raise min(failures, key=itemgetter(0))[1]


def ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """Yield the items; while one is worked on, a thread makes the next."""
    end = object()
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, items, end)
            yield cast("T", item)
