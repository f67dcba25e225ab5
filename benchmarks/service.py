"""What `privet serve` takes: posts against an echo, batches, memory, estimates, and its start.

    python -m benchmarks.service --postgres postgresql://…      # an empty database

Ratios are of requests a second of the server's own CPU time, and servers take turns.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from threading import Event, Thread
from time import perf_counter, sleep
from typing import TYPE_CHECKING

from rich.console import Console

from privet import Survey
from privet.store import Arrival, open_store

from . import report
from .rows import Bar, Row, Table
from .servers import Privet, Server
from .service_load import Load, Sent, send
from .timing import Scale, show_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HERE = Path(__file__).parent
_BATCH, _CONNECTIONS, _FEW_CONNECTIONS = 10_000, 48, 8
_ROUNDS, _POSTS = 5, 10_000
SURVEY = Survey("Which?", [f"c{i}" for i in range(64)], 1.0, mechanism="k-subset", id="which")
_PATH = f"/surveys/{SURVEY.id}/reports"
POSTGRES: list[str] = []


def single_posts(scale: Scale) -> Iterator[Row]:
    """One report a request, against an echo.

    The echo is a Starlette app that reads the body and answers with a small JSON, served by the
    same uvicorn. What counts is how many requests are done in a second of the server's CPU time; 48
    connections have one request each on its way. privet answers when reports are on disk (SQLite).
    """
    bodies = tuple(one.tobytes() for one in SURVEY.randomize_batch(["c1"] * 256))
    posts, rounds = max(200, scale(_POSTS)), 1 if scale.quick else _ROUNDS
    rates: dict[str, list[float]] = {"echo": [], "keyed": [], "unkeyed": []}
    sent = {}
    with tempfile.TemporaryDirectory() as folder, Server.echo() as echo, Privet(folder) as privet:
        privet.client().create(SURVEY)
        for _ in range(rounds):
            for name, some in rates.items():
                server: Server = echo if name == "echo" else privet
                keyed = name != "unkeyed"
                load = Load(server.port, _PATH, bodies, posts, _CONNECTIONS, keyed)
                before = server.cpu_seconds
                sent[name] = send(load)
                some.append(posts / max(0.01, server.cpu_seconds - before))
        alone = send(Load(privet.port, _PATH, bodies, max(50, scale(500)), 1, True))
    for name, goal in (("keyed", 0.45), ("unkeyed", 0.6)):
        ratio = median(a / b for a, b in zip(rates[name], rates["echo"], strict=True))
        mine, other = median(rates[name]), median(rates["echo"])
        against = f"echo {other:,.0f}/CPU s"
        yield Row(f"{name} posts", f"{mine:,.0f}/CPU s", against, ratio, bar=Bar(goal))
        yield _latency("their latency, median", sent[name], sent["echo"])
    time, bar = show_time(alone.p50), Bar(10, at_most=True)
    yield Row("keyed, one connection", time, _p99(alone), 1e3 * alone.p50, "ms", bar)


def _latency(work: str, mine: Sent, echo: Sent) -> Row:
    against = f"{_p99(mine)}; echo {show_time(echo.p50)}, {_p99(echo)}"
    return Row(work, show_time(mine.p50), against, None)


def _p99(sent: Sent) -> str:
    return f"p99 {show_time(sent.p99)}"


def batches(scale: Scale) -> Iterator[Row]:
    """10,000 reports a request, d = 64.

    Keyed, from 8 connections, until all are answered; folds go on meanwhile. Compiled code is
    loaded by the first million. Memory is that of the server on SQLite.
    """
    bodies = tuple(SURVEY.randomize_batch(["c1"] * _BATCH).tobytes() for _ in range(8))

    def rate(server: Server, requests: int) -> float:
        load = Load(server.port, _PATH, bodies, requests, _FEW_CONNECTIONS, True)
        return requests * _BATCH / send(load).seconds / 1e6

    for name, store, bar in (("SQLite", None, Bar(4)), ("PostgreSQL", POSTGRES, Bar(2))):
        if store == []:
            yield Row(f"into {name}", "not run", "", None, "M/s", bar)
            continue
        with tempfile.TemporaryDirectory() as folder, Privet(folder, *(store or [])) as server:
            server.client().create(SURVEY)
            rate(server, 2 if scale.quick else 100)
            sleep(0 if scale.quick else 2)  # until all is folded
            before = server.megabytes
            rates = [rate(server, 2 if scale.quick else 300) for _ in range(3)]
            after = server.megabytes
        measured, against = median(rates), f"rounds {min(rates):.2f} to {max(rates):.2f}"
        yield Row(f"into {name}", f"{measured:.2f} M/s", against, measured, "M/s", bar)
        if store is None:
            more, most = max(0.0, after - before), Bar(30, at_most=True)
            against = f"after 10⁶: {before:.0f} MB"
            yield Row("memory after 10⁷ reports", f"{after:.0f} MB", against, more, "MB", most)


def estimates(scale: Scale) -> Iterator[Row]:
    """Estimates while reports come in.

    A survey of a million reports and d = 1,000, then one of d = 10⁶. Meanwhile another connection
    posts reports to a third survey: "others" is the 99th percentile of how long those take.
    """
    small, large = ((100, 1000), (200, 1000)) if scale.quick else ((1000, 10**6), (10**6, 10**4))
    yield from _estimates(*small, Bar(50, at_most=True))
    yield from _estimates(*large, None)


def _estimates(d: int, n: int, bar: Bar | None) -> Iterator[Row]:
    survey = Survey("Which?", [f"c{i}" for i in range(d)], 1.0, id="many")
    rows = survey.randomize_batch(["c1"] * n)
    with tempfile.TemporaryDirectory() as folder:
        with open_store(f"{folder}/surveys.db") as store:
            store.create(survey)
            store.add([Arrival(survey.id, None, None, rows.tobytes())])
            store.fold(survey.id, force=True)
        with Privet(folder) as server:
            client = server.client()
            client.create(SURVEY)
            client.send(survey, rows[:50].tobytes())  # by which the contract is read
            client.estimate(survey)
            same = median(_timed(client.estimate, survey) for _ in range(5))
            changed = []
            with _Others(server) as others:
                for _ in range(5):
                    client.send(survey, rows[:50].tobytes())
                    changed.append(_timed(client.estimate, survey))
    again = median(changed)
    yield Row(f"d = {d:,}, no new reports", show_time(same), "", 1e3 * same, "ms")
    yield Row(f"d = {d:,}, 50 reports later", show_time(again), "", 1e3 * again, "ms", bar)
    p99 = others.quantile(0.99)
    against = f"p50 {show_time(others.quantile(0.5))}, worst {show_time(others.quantile(1))}"
    yield Row("others meanwhile", show_time(p99), against, 1e3 * p99, "ms", Bar(100, at_most=True))


class _Others:
    """Requests of another connection, one after the other, and how long each took."""

    def __init__(self, server: Privet) -> None:
        self._client, self._done, self._times = server.client(), Event(), list[float]()
        self._thread = Thread(target=self._run)

    def _run(self) -> None:
        report = SURVEY.randomize("c1")
        while not self._done.wait(0.002):
            self._times.append(_timed(self._client.send, SURVEY, report))

    def __enter__(self) -> _Others:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()

    def quantile(self, q: float) -> float:
        times = sorted(self._times) or [0.0]
        return times[min(len(times) - 1, int(q * len(times)))]


def start(scale: Scale) -> Iterator[Row]:
    """Start of a server.

    Until it listens, for a new store; the median.
    """

    def once() -> float:
        with tempfile.TemporaryDirectory() as folder:
            began = perf_counter()
            with Privet(folder):
                return perf_counter() - began

    seconds = median(once() for _ in range(1 if scale.quick else 5))
    yield Row("privet serve", show_time(seconds), "", seconds, "s", Bar(2, at_most=True))


def _timed(do: Callable[..., object], *arguments: object) -> float:
    began = perf_counter()
    do(*arguments)
    return perf_counter() - began


TABLES = tuple(map(Table, (single_posts, batches, estimates, start)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: only that it runs")
    parser.add_argument("--postgres", help="the URL of an empty database")
    arguments = parser.parse_args()
    scale = Scale(arguments.quick)
    POSTGRES.extend([arguments.postgres] if arguments.postgres else [])
    console = Console(width=None if sys.stdout.isatty() else 140)
    results = []
    for table in TABLES:
        rows = list(table.measure(scale))
        console.print(report.terminal_table(table, rows, judged=not scale.quick))
        results.append((table, rows))
    if not scale.quick:
        (_HERE / "SERVICE.md").write_text(_markdown(results))
        console.print("written: benchmarks/SERVICE.md", highlight=False)


def _markdown(results: list[tuple[Table, list[Row]]]) -> str:
    lines = [
        "# Results of `python -m benchmarks.service`",
        "",
        "Server, client and database share the machine. A bar is what a row is asked to reach.",
        "",
        *(f"- {line}" for line in report.machine()[:2]),
    ]
    return "\n".join([*lines, *report.sections(results)]) + "\n"


if __name__ == "__main__":
    main()
