"""What notebooks show of tallies, estimates and fits: tables for light and dark pages."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..device.html import CELL, NUMBER, ROWS, and_more, page, privacy, table
from .tallied import Tallied

if TYPE_CHECKING:  # they show themselves by these functions
    from .scale_estimate import ScaleEstimate
    from .shown import Shown

__all__ = ["of_estimate", "of_scale", "of_table", "of_tally"]

_WIDTH, _HEIGHT = 140, 16
_GREEN = "#6a994e"
_PALE = 0.35


def of_scale(estimate: ScaleEstimate) -> str:
    """Return the mean of numbers, their quantiles and the shares of bands."""
    rows = []
    for name, one in estimate.figures().items():
        low, high = one.interval()
        times, unit = (100, " %") if name.startswith("share") else (1, "")
        ends = f"{times * low:.4g} – {times * high:.4g}{unit}"
        rows.append((escape(name), f"{times * one.value:.4g}{unit}", ends))
    heads = [(CELL, ""), (NUMBER, "estimate"), (NUMBER, "95 % interval")]
    return page(estimate.survey.question, _based_on(estimate), table(heads, rows))


def of_tally(tally: Tallied) -> str:
    """Return the estimate of a tally, or that there is none yet."""
    if tally.aggregated()[0]:
        shown: str = tally.estimate()._repr_html_()
        return shown
    return page(tally.survey.heading, f"no reports yet · {privacy(tally.survey)}", "")


def of_estimate(estimate: Shown) -> str:
    """Return a row for each of the largest categories: a bar, its share and its interval."""
    order = [int(i) for i in estimate.order(ROWS)]
    more = len(estimate.counts) - len(order)
    low, high = estimate.interval(simultaneous=more > 0)
    shrunk = estimate.shrink() if estimate.can_shrink else estimate.frequencies.clip(0)
    longest = max(float(high[order].max()), 1e-9)
    found = estimate.found()
    intervals = f"95 % interval{'s, all at once' if more else ''}"
    heads = [(CELL, "category"), (CELL, ""), (NUMBER, "share"), (NUMBER, intervals)]
    heads += [(NUMBER, "shrunk")] if estimate.can_shrink else []
    rows = []
    for i in order:
        share = f"{100 * estimate.frequencies[i]:.2f} %"
        ends = float(low[i]), float(high[i])
        drawn = (float(end) / longest for end in (shrunk[i], *ends, estimate.frequencies[i]))
        cells = (
            escape(estimate.survey.categories[i]),
            _bar(*drawn, pale=not found[i]),
            share if found[i] else f"({share})",
            f"{100 * ends[0]:.2f} – {100 * ends[1]:.2f} %",
            f"{100 * shrunk[i]:.2f} %",
        )
        rows.append(cells[: len(heads)])
    shown = table(heads, rows, [f"opacity:{1 if found[i] else 0.6}" for i in order])
    unsure = "" if found.all() else "<div>(…): cannot be distinguished from zero</div>"
    body = shown + and_more(more) + unsure
    return page(estimate.survey.question, _based_on(estimate), body)


def of_table(title: str, words: list[list[str]], heads: list[str], numbers: list[list[str]]) -> str:
    """Return a table of words, and of numbers under their heads."""
    head = [*((CELL, "") for _ in words), *((NUMBER, text) for text in heads)]
    rows = [tuple(map(escape, row)) for row in zip(*words, *numbers, strict=True)]
    return page(title, "", table(head, rows))


def _bar(shrunk: float, low: float, high: float, share: float, *, pale: bool) -> str:
    """Return a bar, the interval across it and a mark at the unbiased share, each in [0, 1]."""
    bar, left, right, mark = (
        _WIDTH * min(max(one, 0.0), 1.0) for one in (shrunk, low, high, share)
    )
    middle = _HEIGHT / 2
    return (
        f'<svg width="{_WIDTH + 2}" height="{_HEIGHT}" role="presentation">'
        f'<rect y="2" width="{bar:.1f}" height="{_HEIGHT - 4}" fill="{_GREEN}"'
        f' opacity="{_PALE if pale else 1}"/>'
        f'<path d="M{left:.1f} {middle}H{right:.1f}M{mark:.1f} {middle - 4}v8"'
        ' stroke="currentColor" stroke-width="1.2" fill="none"/></svg>'
    )


def _based_on(estimate: Shown) -> str:
    return f"{estimate.n:,} reports · {privacy(estimate.survey)}"
