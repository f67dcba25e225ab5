"""The page of what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..timing import show_time
from . import SERIES, a_day
from .exponents import SLACK, growths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from . import Point
    from .exponents import Growth

_HEAD = """\
# Growth

`make scale` measures every stage, each point in a process of its own: the median of up to nine
rounds, on both cores. Memory is what the stage adds to a process that holds a million reports at
most; of a server and of Spark, it is what all their processes take.
"""

_EXPONENTS = f"""\
## Exponents

Time grows as a power of n or d: the exponent is the slope of a line through the logarithms of the
four largest sizes, and that of theory is of the term that grows most. Caches that overflow and
noise are allowed {SLACK}. Spark takes a second for any job, which keeps its exponents low.
"""

_TABLES = {
    "people": """\
## More people, d = 64

Reports of 8 bytes by the k-subset mechanism. They are real up to a billion people, a million in
memory at a time, except where a stage needs only counts: these are simulated, by their exact law.
""",
    "bitmaps": """\
## More categories: bitmaps of 10,000 people

The k-subset mechanism, whose reports have a bit for each category: 1.25 GB at a million of them.
""",
    "numbers": """\
## More categories: numbers of 1,000,000 people

The mechanism that a survey takes by itself: from a hundred categories on, a block design, whose
reports are numbers of two or three bytes.
""",
}

_STAGES = """\
The stages: *randomize* answers, *write* and *read* a file of reports, *count* them into a tally,
*fold* them from a store's inbox into its chunks and tally, *keep* keyed reports that come one by
one (its memory is the database file), *decode* what a tally holds into counts, *estimate* shares
with intervals and p-values, and *shrink* them. What a server does for reports that come up to
10,000 in a request is *take*, and for those that come one in each *post*; CPU is its computing.
"""

_DAY = f"""\
## A billion people a day, on paper

{a_day.MEAN:,.0f} reports a second on average, and {a_day.PEAK} times as many in the busiest hour:
what this machine did, at the largest size that was measured, against what is needed. What happens
after people have answered can be spread over the day.
"""

_AFTERWARDS = """\
Next to break is the index of keys. Keys are random, so each insertion touches a page of the index
that nothing has touched lately: that is quick as long as the index fits into memory. Beyond it, a
report costs a random read and a random write, 35,000 of both a second at the peak, which a local
NVMe drive should do, and most network volumes not (neither was tried here). Reports that come in
batches, from a queue that delivers once, need neither so many requests nor so many keys.

If every person opens a new connection, that comes first: a TLS handshake takes some 5 kB on the
wire and some .2 ms of a core (neither was measured here), so 1.4 Gbit/s and 7 cores at the peak,
best left to a proxy in front.

What does not break: a tally holds up to 2^47 reports, or 140,000 such days, in 8 bytes a category;
decoding, estimating and shrinking take about the same time for a billion people as for ten
thousand; and the memory of every stage is bounded. Bitmaps of a million categories do break, at
125 TB a day, where numbers of three bytes do as well.
"""

_SHORT = {"people": "n", "bitmaps": "d, bitmaps", "numbers": "d, numbers"}


def markdown(points: Sequence[Point], machine: Iterable[str]) -> str:
    """Return the whole page."""
    lines = [
        _HEAD,
        *(f"- {line}" for line in machine),
        "",
        "![time and memory against people and categories](growth.png)",
        "",
        *_exponents(growths(points)),
        _STAGES,
        *(line for name in SERIES for line in _table(name, points)),
        *_a_day(points),
    ]
    return "\n".join(lines)


def _exponents(found: Sequence[Growth]) -> Iterator[str]:
    yield _EXPONENTS
    names = "> theory", "> exponent", "> of time", "> of memory", "no faster"
    yield from _rows("where", "stage", "grows with", *names)
    for one in found:
        memory = "" if one.memory is None else f"{one.memory:.2f}"
        numbers = one.law, f"{one.theory:.2f}", f"{one.time:.2f}", memory
        verdict = "yes" if one.holds else "**no**"
        yield _row(one.where, one.stage, _SHORT[one.series], *numbers, verdict)
    worst = sorted(found, key=lambda one: one.theory - one.time)[:5]
    named = ", ".join(
        f"{one.stage} with {_SHORT[one.series]} ({one.where}) {one.time:.2f} for {one.theory:.2f}"
        for one in worst
    )
    held = sum(one.holds for one in found)
    yield from (
        "",
        f"{held} of {len(found)} grow no faster than theory says. The worst: {named}.",
        "",
    )


def _table(name: str, points: Iterable[Point]) -> Iterator[str]:
    some = [point for point in points if point.series == name]
    grows = SERIES[name].grows
    sizes = sorted({getattr(point, grows) for point in some})
    yield _TABLES[name]
    yield from _rows("where", "stage", *(f"> {grows} = {_power(size)}" for size in sizes))
    for where, stage in dict.fromkeys((point.where, point.stage) for point in some):
        cells = {getattr(p, grows): p for p in some if (p.where, p.stage) == (where, stage)}
        yield _row(where, stage, *(_cell(cells.get(size)) for size in sizes))
    yield ""


def _cell(point: Point | None) -> str:
    if point is None:
        return ""
    memory = f", {point.megabytes:,.0f} MB" if point.megabytes >= 1 else ""
    return show_time(point.seconds) + memory


def _a_day(points: Sequence[Point]) -> Iterator[str]:
    needs = a_day.needs(points)
    first = needs[0]
    yield _DAY
    yield from _rows(
        "what", "> reports a second here", "> needed", "> of what is needed", "what helps"
    )
    for need in needs:
        numbers = f"{need.can:,.0f}", f"{need.must:,.0f}", f"{need.share:,.2f} ×"
        yield _row(need.what, *numbers, need.then)
    people = first.share * a_day.PEOPLE / 1e6
    yield from (
        "",
        f"First to break: {first.what}, which is enough for {people:,.0f} million people.",
        "",
    )
    yield from _rows("on disk after a day", "> GB")
    yield from (_row(what, f"{size:,.0f}") for what, size in a_day.stored(points))
    yield from ("", _AFTERWARDS)


def _power(size: int) -> str:
    power = len(str(size)) - 1
    raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if size == 10**power and power > 1 else f"{size:,}"


def _rows(*names: str) -> Iterator[str]:
    """Yield the head of a table; a name after > is of numbers."""
    yield _row(*(name.removeprefix("> ") for name in names))
    yield _row(*("--:" if name.startswith("> ") else "---" for name in names))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
