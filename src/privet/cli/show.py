"""What is shown of surveys and estimates: tables to read, documents for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.estimate import Estimate
from ..analysis.presence import detectable_share
from ..analysis.scale_estimate import ScaleEstimate
from ..analysis.shown import Shown, Sort, decimals
from ..analysis.sums.ranks import lead
from ..device.contract import Contract
from ..device.mechanisms.forwards import Target
from .output import in_lists, rows_of
from .terminal import console, new_table, print_table

# How many rows a table has, and each of several.
ROWS, ROWS_OF_A_GROUP = 40, 10
# Of a bar, and of a category's name next to it where there is little room.
_BAR, _LEAST_BAR, _NAME = 24, 6, 20
_NARROW = 56
# How many categories that may lead are named.
_MOST_NAMED = 3
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_estimate(
    estimate: Shown,
    *,
    level: float,
    target: Target,
    truth: NDArray[np.float64] | None = None,
    top: int = ROWS,
    sort: Sort = "share",
    title: str | None = None,
    simultaneous: bool | None = None,
    ranks: bool = False,
    shrunk: NDArray[np.float64] | None = None,
) -> None:
    """Print a table: category, bar, share, interval, and the truth where it is known.

    In a narrow terminal the bars are shorter, or left out, and then the shrunk shares. If the
    target is a number of people, shares and intervals are also shown as such. There are
    two decimals, or as many as it takes to tell the ends of each interval apart. Shares that cannot
    be distinguished from zero are dim, and in brackets. Intervals hold together where rows are
    picked by their size, unless one says otherwise. At the end, a sentence says who leads.
    """
    found, order = estimate.found(), estimate.order(top, sort)
    if simultaneous is None:
        simultaneous = len(order) < len(found)
    low, high = estimate.interval(level, target=target, simultaneous=simultaneous)
    digits = decimals(100 * low[order], 100 * high[order], 2)
    if shrunk is None and estimate.can_shrink:
        shrunk = estimate.shrink()

    def percent(values: NDArray[np.float64]) -> list[str]:
        return [f"{100 * value:z.{digits}f} %" for value in values[order]]

    texts = percent(estimate.frequencies)
    if not found[order].all():
        pairs = zip(texts, found[order], strict=True)
        texts = [f"{text} " if here else f"({text})" for text, here in pairs]
    ends = [
        f"{a:{digits + 4}.{digits}f} – {b:{digits + 3}.{digits}f} %"
        for a, b in zip(100 * low[order], 100 * high[order], strict=True)
    ]
    columns = {"share": texts}
    columns[f"{100 * level:g} % interval{'s, all at once' if simultaneous else ''}"] = ends
    if ranks and isinstance(estimate, Estimate):
        columns["rank"] = _ranks(estimate, level)[order].tolist()
    if not isinstance(target, str):
        values = (values[order] for values in (estimate.frequencies, low, high))
        columns |= _in_people(target, *values)
    screen = console()
    if shrunk is not None and screen.width >= _NARROW + _width(columns) - _width(columns, 2):
        columns["shrunk"] = percent(shrunk)
    if truth is not None:
        columns["truth"] = percent(truth)
        inside = (low <= truth) & (truth <= high)
        columns[""] = ["✓" if here else "✗" for here in inside[order]]
    names = [estimate.survey.categories[i] for i in order]
    room = screen.width - _width(columns) - min(max(map(len, names)), _NAME) - 8
    table = new_table(title or estimate.survey.question)
    several = estimate.survey.answers.kind == "several"
    table.add_column("option" if several else "category", overflow="fold")
    shown = [names]
    if room >= _LEAST_BAR:
        bar = min(_BAR, room)
        longest = max(float(estimate.frequencies.max()), 1e-9)
        shown.append([_bar(float(estimate.frequencies[i]) / longest, bar) for i in order])
        table.add_column("", no_wrap=True, min_width=bar, style="green")
    for head in columns:
        middle = "center" if "interval" in head else "right"
        table.add_column(head, justify=middle, no_wrap=True)  # type: ignore[arg-type]
    for here, row in zip(found[order], zip(*shown, *columns.values(), strict=True), strict=True):
        table.add_row(*row, style="" if here else "dim")
    screen.print(table)
    if hidden := len(found) - len(order):
        screen.print(f"… and {hidden:,} categories with smaller shares (--top shows more)")
    if not found.all():
        screen.print(_what_is_found(estimate, level))
    if isinstance(estimate, Estimate) and estimate.is_distribution:
        screen.print(_who_leads(estimate, level))


def _width(columns: Mapping[str, Sequence[str]], first: int | None = None) -> int:
    """Return how wide the first columns are, or all, with the space between them."""
    some = list(columns.items())[:first]
    return sum(3 + max(map(len, [head, *texts])) for head, texts in some)


def _in_people(people: int, *values: NDArray[np.float64]) -> dict[str, list[str]]:
    """Return columns of shares and the ends of their intervals, as numbers of people."""
    shares, low, high = ([f"{people * value:z,.0f}" for value in one] for one in values)
    wide = max(map(len, high))
    ends = [f"{a} – {b:>{wide}}" for a, b in zip(low, high, strict=True)]
    return {"people": shares, "interval": ends}


def _what_is_found(estimate: Shown, level: float) -> str:
    """Return sentences on the categories that cannot be distinguished from zero."""
    others = int((~estimate.found()).sum())
    words = "1 category cannot" if others == 1 else f"{others:,} categories cannot"
    words = f"{words} be distinguished from zero"
    rest = estimate.remainder(level) if isinstance(estimate, Estimate) else None
    if rest is not None and 1 < others < len(estimate.counts):
        low, high = 100 * rest.low, 100 * rest.high
        words += f"; together {low:.1f} – {high:.1f} % (an interval that allows for the choice)"
    least = detectable_share(estimate.survey.mechanism, estimate.n)
    if least is None:
        return f"{words}."
    return f"{words}.\nA share of {100 * least:.2g} % would be found 19 times out of 20."


def _who_leads(estimate: Estimate, level: float) -> str:
    """Return a sentence on the category with the largest share, as far as it is known."""
    found = lead(estimate, level)
    if found.contenders > _MOST_NAMED:
        return f"The leader is one of {found.contenders:,} categories."
    names = found.possible
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


def print_figures(
    estimate: ScaleEstimate,
    *,
    level: float,
    quantiles: Sequence[float] = (),
    title: str | None = None,
) -> None:
    """Print the mean of numbers, their quantiles, and the shares of bands."""
    unit = f" {estimate.scale.unit}" if estimate.scale.unit else ""
    figures = estimate.figures(quantiles) if quantiles else estimate.figures()
    rows = []
    for name, one in figures.items():
        low, high = one.interval(level)
        numbers = one.value, one.standard_error, low, high
        if name.startswith("share"):
            value, error, low_text, high_text = (f"{100 * number:z.2f} %" for number in numbers)
        else:
            digits = max(0, 2 - floor(log10(max(abs(high - low), 1e-9))))
            value, error, low_text, high_text = (f"{number:z.{digits}f}" for number in numbers)
            value += unit
        rows.append((name, value, error, f"{low_text} – {high_text}"))
    heads = ("estimate", "± s.e.", f"{100 * level:g} % interval")
    print_table([""], heads, rows, title or estimate.survey.question, no_wrap=True)


def describe_survey(survey: Contract) -> dict[str, Any]:
    """Return what JSON output says of the survey or questionnaire that it is about."""
    return {
        "survey": survey.id,
        "fingerprint": survey.fingerprint,
        "question": survey.heading,
        "epsilon": survey.epsilon,
        "mechanism": repr(survey.mechanism),
    }


def describe_estimate(estimate: Shown, level: float, **options: Any) -> dict[str, Any]:
    """Return what JSON output says of an estimate, one object per category."""
    columns = plain_columns(estimate, level, **options)
    if "figure" in columns:
        return {"n": estimate.n, "figures": rows_of(columns)}
    rest = estimate.remainder(level) if isinstance(estimate, Estimate) else None
    not_found = None if rest is None else asdict(rest)
    return {"n": estimate.n, "not_found": not_found, "categories": rows_of(columns)}


def plain_columns(
    estimate: Shown,
    level: float,
    *,
    ranks: bool = False,
    shrunk: NDArray[np.float64] | None = None,
    **options: Any,
) -> dict[str, list[Any]]:
    """Return the estimate's table as lists of Python's own numbers; options as its intervals'.

    Other shares than its own may be the `shrunk` ones.
    """
    columns: dict[str, Any] = estimate.columns(level, **options)
    if "figure" in columns:
        return columns
    if shrunk is not None:
        columns["shrunk"] = shrunk
    if ranks and isinstance(estimate, Estimate):
        columns |= dict(zip(("rank_low", "rank_high"), estimate.ranks(level), strict=True))
    return in_lists(columns)


def _bar(share: float, width: int = _BAR) -> str:
    """Return a bar of block characters.

    >>> _bar(0.5), _bar(0.02), _bar(-1)
    ('████████████', '▌', '')
    """
    eighths = round(8 * width * min(max(share, 0), 1))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
