"""Work shared by threads, for loops that release the GIL."""

from __future__ import annotations

import os
from _thread import start_new_thread
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

__all__ = ["ahead", "cores", "in_threads"]

T = TypeVar("T")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(work: Callable[[], None], threads: int) -> None:
    """Run `work` in this thread and in others, until all are done; raise what one of them raised.

    Bare threads: those of `threading` keep their maker waiting until they run, and Linux then tends
    to leave both on one core for milliseconds.
    """
    finished: SimpleQueue[BaseException | None] = SimpleQueue()

    def run() -> None:
        try:
            work()
        except BaseException as error:
            finished.put(error)
        else:
            finished.put(None)

    running = 1
    with suppress(RuntimeError):  # where there are no more threads, fewer do the work
        for _ in range(threads - 1):
            start_new_thread(run, ())
            running += 1
    run()
    for error in [finished.get() for _ in range(running)]:
        if error is not None:
            raise error


def ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """Yield the items; while one is worked on, a thread makes the next."""
    end = object()
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, items, end)
            yield cast("T", item)
