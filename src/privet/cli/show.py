"""What is shown of surveys and estimates: tables to read, documents for JSON."""

from __future__ import annotations

from dataclasses import asdict
from math import floor, log10
from typing import TYPE_CHECKING, Any

from .terminal import console, new_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..analysis.estimate import Estimate, Sort
    from ..mechanisms.forwards import Target
    from ..survey import Survey

# Of a bar, and of a category's name next to it where there is little room.
_BAR, _LEAST_BAR, _NAME = 24, 6, 20
_NARROW = 56
# How many categories that may lead are named.
_MOST_NAMED = 3
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_estimate(
    estimate: Estimate,
    *,
    level: float,
    target: Target,
    truth: NDArray[np.float64] | None = None,
    top: int = 40,
    sort: Sort = "share",
    title: str | None = None,
    simultaneous: bool | None = None,
    ranks: bool = False,
) -> None:
    """Print a table: category, bar, share, interval, and the truth where it is known.

    In a narrow terminal the bars are shorter, or left out, and then the shrunk shares. There are
    two decimals, or as many as it takes to tell the ends of each interval apart. Shares that cannot
    be told from none are dim, and in brackets. Intervals hold together where rows are picked by
    their size, unless one says otherwise. At the end, a sentence says who leads.
    """
    from ..analysis.estimate import decimals

    shares, found = estimate.frequencies, estimate.found()
    order = estimate.order(top, sort)
    if simultaneous is None:
        simultaneous = len(order) < len(shares)
    low, high = estimate.interval(level, target=target, simultaneous=simultaneous)
    screen = console()
    shrunk = estimate.shrink() if estimate.can_shrink and screen.width >= _NARROW else None
    names = [estimate.survey.categories[i] for i in order]
    digits = decimals(100 * low[order], 100 * high[order], 2)
    unsure = not found[order].all()
    standing = _ranks(estimate, level)[order].tolist() if ranks else []
    numbers = 34 + 2 * unsure + 10 * simultaneous
    numbers += 3 + max(4, *map(len, standing)) if ranks else 0
    numbers += 11 * (shrunk is not None) + 14 * (truth is not None)
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
    if ranks:
        columns.append(standing)
        table.add_column("rank", justify="right", no_wrap=True)
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
        screen.print(_what_is_found(estimate, level))
    screen.print(_who_leads(estimate, level))


def _what_is_found(estimate: Estimate, level: float) -> str:
    """Return sentences on the categories that cannot be told from none."""
    from ..analysis.presence import detectable_share

    others = int((~estimate.found()).sum())
    words = "1 category cannot" if others == 1 else f"{others:,} categories cannot"
    words = f"{words} be told from none"
    if (rest := estimate.remainder(level)) is not None and 1 < others < len(estimate.counts):
        low, high = 100 * rest.low, 100 * rest.high
        words += f"; together {low:.1f} – {high:.1f} % (an interval that allows for the choice)"
    least = detectable_share(estimate.survey.mechanism, estimate.n)
    if least is None:
        return f"{words}."
    return f"{words}.\nA share of {100 * least:.2g} % would be found 19 times out of 20."


def _who_leads(estimate: Estimate, level: float) -> str:
    """Return a sentence on the category with the largest share, as far as it is known."""
    from ..sums.ranks import lead

    found = lead(estimate, level)
    names = found.possible
    if len(names) > _MOST_NAMED:
        return f"The leader is one of {len(names):,} categories."
    if len(names) > 1:
        return f"The leader is {', '.join(names[:-1])} or {names[-1]}."
    digits = max(1, 1 - floor(log10(100 * found.margin)))
    value, margin = (f"{100 * number:.{digits}f}" for number in (found.value, found.margin))
    return f"{names[0]} leads {found.second} by {value} ± {margin} points."


def _ranks(estimate: Estimate, level: float) -> NDArray[np.str_]:
    """Return the ranks that each category may have, in words such as 2–5."""
    import numpy as np

    pairs = zip(*(ends.tolist() for ends in estimate.ranks(level)), strict=True)
    return np.array([str(low) if low == high else f"{low}–{high}" for low, high in pairs])


def describe_survey(survey: Survey) -> dict[str, Any]:
    """Return what JSON output says of the survey that it is about."""
    return {
        "survey": survey.id,
        "fingerprint": survey.fingerprint,
        "question": survey.question,
        "epsilon": survey.epsilon,
        "mechanism": repr(survey.mechanism),
    }


def describe_estimate(estimate: Estimate, level: float, **options: Any) -> dict[str, Any]:
    """Return what JSON output says of an estimate, one object per category."""
    columns = plain_columns(estimate, level, **options)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    rest = estimate.remainder(level)
    return {
        "n": estimate.n,
        "not_found": None if rest is None else asdict(rest),
        "categories": rows,
    }


def plain_columns(
    estimate: Estimate, level: float, *, ranks: bool = False, **options: Any
) -> dict[str, list[Any]]:
    """Return the estimate's table as lists of Python's own numbers; options as its intervals'."""
    columns = estimate.columns(level, **options)
    if ranks:
        columns |= dict(zip(("rank_low", "rank_high"), estimate.ranks(level), strict=True))
    return {k: v.tolist() if hasattr(v, "tolist") else v for k, v in columns.items()}


def _bar(share: float, width: int = _BAR) -> str:
    """Return a bar of block characters.

    >>> _bar(0.5), _bar(0.02), _bar(-1)
    ('████████████', '▌', '')
    """
    eighths = round(8 * width * min(max(share, 0), 1))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
