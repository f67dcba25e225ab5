"""What is shown of surveys and estimates: tables to read, documents for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .terminal import console, new_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..figures.estimates import Shown
    from ..mechanisms.forwards import Target
    from ..survey import Survey

# Of a bar, and of a category's name next to it where there is little room.
_BAR, _LEAST_BAR, _NAME = 24, 6, 20
_NARROW = 56
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_estimate(
    estimate: Shown,
    *,
    level: float,
    target: Target,
    truth: NDArray[np.float64] | None = None,
    top: int = 40,
    title: str | None = None,
    simultaneous: bool | None = None,
    shrunk: NDArray[np.float64] | None = None,
) -> None:
    """Print a table: category, bar, share, interval, and the truth where it is known.

    In a narrow terminal the bars are shorter, or left out, and then the shrunk shares. If the
    target is a number of people, shares and intervals are also shown as such. There are
    two decimals, or as many as it takes to tell the ends of each interval apart. Shares that cannot
    be told from none are dim, and in brackets. Intervals hold together where rows are picked by
    their size, unless one says otherwise.
    """
    from ..analysis.estimate import decimals

    shares, found = estimate.frequencies, estimate.found()
    order = (-shares).argsort(kind="stable")[:top]
    if simultaneous is None:
        simultaneous = len(order) < len(shares)
    low, high = estimate.interval(level, target=target, simultaneous=simultaneous)
    screen = console()
    people = {}
    if not isinstance(target, str):
        people = _in_people(target, level, *(values[order] for values in (shares, low, high)))
    more = sum(2 + max(map(len, [name, *texts])) for name, texts in people.items())
    enough = screen.width >= _NARROW + more
    if shrunk is None and enough and estimate.can_shrink:
        shrunk = estimate.shrink()
    shrunk = shrunk if enough else None
    names = [estimate.survey.categories[i] for i in order]
    digits = decimals(100 * low[order], 100 * high[order], 2)
    unsure = not found[order].all()
    numbers = 34 + 2 * unsure + 10 * simultaneous
    numbers += 11 * (shrunk is not None) + 14 * (truth is not None) + more
    numbers += (digits - 2) * (3 + (shrunk is not None) + (truth is not None))
    bar = min(_BAR, screen.width - numbers - 6 - min(max(map(len, names)), _NAME))
    longest = max(float(shares.max()), 1e-9)
    table = new_table(title or estimate.survey.question)
    columns = [names]
    table.add_column("category", overflow="fold")
    if bar >= _LEAST_BAR:
        columns.append([_bar(float(shares[i]) / longest, bar) for i in order])
        table.add_column("", no_wrap=True, min_width=bar, style="green")
    texts = [f"{100 * shares[i]:z.{digits}f} %" for i in order]
    told = [f"{text} " if found[i] else f"({text})" for i, text in zip(order, texts, strict=True)]
    columns.append(told if unsure else texts)
    table.add_column("share", justify="right", no_wrap=True)
    ends = [(100 * low[i], 100 * high[i]) for i in order]
    columns.append([f"{a:{digits + 4}.{digits}f} – {b:{digits + 3}.{digits}f} %" for a, b in ends])
    together = "s, all at once" if simultaneous else ""
    table.add_column(f"{100 * level:g} % interval{together}", justify="center", no_wrap=True)
    for name, texts in people.items():
        columns.append(texts)
        table.add_column(name, justify="right", no_wrap=True)
    if shrunk is not None:
        columns.append([f"{100 * shrunk[i]:.{digits}f} %" for i in order])
        table.add_column("shrunk", justify="right", no_wrap=True)
    if truth is not None:
        columns.append([f"{100 * truth[i]:.{digits}f} %" for i in order])
        table.add_column("truth", justify="right", no_wrap=True)
        columns.append(["✓" if low[i] <= truth[i] <= high[i] else "✗" for i in order])
        table.add_column("", no_wrap=True)
    for i, row in zip(order, zip(*columns, strict=True), strict=True):
        table.add_row(*row, style="" if found[i] else "dim")
    screen.print(table)
    if hidden := len(shares) - len(order):
        screen.print(f"… and {hidden:,} categories with smaller shares (--top shows more)")
    if not found.all():
        screen.print(_what_is_found(estimate))


def _in_people(people: int, level: float, *values: NDArray[np.float64]) -> dict[str, list[str]]:
    """Return columns of shares and the ends of their intervals, as numbers of people."""
    shares, low, high = ([f"{people * value:z,.0f}" for value in one] for one in values)
    wide = max(map(len, high))
    ends = [f"{a} – {b:>{wide}}" for a, b in zip(low, high, strict=True)]
    return {"people": shares, f"{100 * level:g} % interval": ends}


def _what_is_found(estimate: Shown) -> str:
    """Return a sentence on the categories that can be told from none, and how small they can be."""
    from ..analysis.presence import detectable_share

    found, every = int(estimate.found().sum()), len(estimate.counts)
    words = f"{found:,} of {every:,} categories are found; the others cannot be told from none."
    least = detectable_share(estimate.survey.mechanism, estimate.n)
    if least is None:
        return words
    return f"{words}\nA share of {100 * least:.2g} % would be found 19 times out of 20."


def describe_survey(survey: Survey) -> dict[str, Any]:
    """Return what JSON output says of the survey that it is about."""
    return {
        "survey": survey.id,
        "fingerprint": survey.fingerprint,
        "question": survey.question,
        "epsilon": survey.epsilon,
        "mechanism": repr(survey.mechanism),
    }


def describe_estimate(estimate: Shown, level: float, **options: Any) -> dict[str, Any]:
    """Return what JSON output says of an estimate, one object per category."""
    columns = plain_columns(estimate, level, **options)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {"n": estimate.n, "categories": rows}


def plain_columns(
    estimate: Shown, level: float, shrunk: NDArray[np.float64] | None = None, **options: Any
) -> dict[str, list[Any]]:
    """Return the estimate's table as lists of Python's own numbers; options as its intervals'.

    Other shares than its own may be the `shrunk` ones.
    """
    columns: dict[str, Any] = estimate.columns(level, **options)
    if shrunk is not None:
        columns["shrunk"] = shrunk
    return {k: v.tolist() if hasattr(v, "tolist") else v for k, v in columns.items()}


def _bar(share: float, width: int = _BAR) -> str:
    """Return a bar of block characters.

    >>> _bar(0.5), _bar(0.02), _bar(-1)
    ('████████████', '▌', '')
    """
    eighths = round(8 * width * min(max(share, 0), 1))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
