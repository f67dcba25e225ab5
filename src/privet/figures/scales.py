"""Pictures of numbers on a scale: how they are spread, and the share of them below each number."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..analysis.scale_estimate import ScaleEstimate
from . import canvas

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Points of the share below, and the most whole numbers that have a step each.
_POINTS, _STEPS = 60, 30
# Intervals and the line may reach so many times as high as the bars, and are cut off there.
_HIGHEST = 2.5


def plot_scale(estimate: ScaleEstimate, ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """Draw a bar for each band of the scale, with its interval; return the axes.

    The area of a bar is the share of the band, which is written in it. The line is the distribution
    that all shares come from; it has no interval of its own. The mean is marked, with its interval;
    one that lies beyond the scale, as few reports may have it, at its end.
    """
    ax = ax or canvas.shown_figure(8, 3.6).gca()
    edges = np.array(estimate.band_edges)
    widths, middles = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    bands = [band for _, band in estimate.bands()]
    values = np.array([band.value for band in bands])
    low, high = np.array([band.interval(level) for band in bands]).T / widths
    heights = values / widths
    ax.bar(edges[:-1], heights, widths, align="edge", color=canvas.PALE, edgecolor="white")
    reach = heights - low, high - heights
    label = f"share of a band, {100 * level:g} % interval"
    bars: dict[str, Any] = {
        "fmt": "none",
        "ecolor": canvas.HEDGE,
        "elinewidth": 1.8,
        "capsize": 3,
        "label": label,
    }
    ax.errorbar(middles, heights, reach, **bars)
    centres, shares = estimate.curve()
    density = shares / estimate.scale.step
    ax.plot(centres, density, color=canvas.HEDGE, lw=1, alpha=0.7, label="distribution")
    top = 1.05 * min(max(high.max(), density.max()), _HIGHEST * heights.max())
    for middle, value in zip(middles, values, strict=True):
        share = f"{100 * value:.0f} %"
        style: dict[str, Any] = {
            "fontsize": 8,
            "color": canvas.INK,
            "bbox": {"fc": "white", "ec": "none", "pad": 1},
        }
        ax.text(middle, 0.03 * top, share, ha="center", va="bottom", **style)
    mean = estimate.mean()
    ends = mean.interval(level)
    ax.plot(ends, [0, 0], color=canvas.INK, lw=2.5, solid_capstyle="butt", clip_on=False)
    label = f"mean, {100 * level:g} % interval"
    marked = min(max(mean.value, estimate.scale.low), estimate.scale.high)
    ax.plot([marked], [0], "|", color=canvas.INK, ms=12, mew=2, clip_on=False, label=label)
    ax.set_ylim(0, top)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    _dress(ax, estimate)
    ax.legend(frameon=False, fontsize=8)
    return ax


def plot_below(estimate: ScaleEstimate, ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """Draw the share of numbers below each number, with intervals; return the axes.

    The curve is that of the distribution; each whole number counts as below itself. As shares below
    only rise, an end of an interval is drawn no nearer than any that is further along.
    """
    ax = ax or canvas.shown_figure(8, 3.6).gca()
    scale = estimate.scale
    points = scale.cells if _in_steps(estimate) else _POINTS + 1
    numbers = np.linspace(scale.low, scale.high, points)
    shares = [estimate.share(scale.low, float(number)) for number in numbers]
    ends = np.array([one.interval(level) for one in shares])
    low, high = np.minimum.accumulate(ends[::-1, 0])[::-1], np.maximum.accumulate(ends[:, 1])
    below = np.array([one.value for one in shares])
    step: Literal["post"] | None = None
    label = "share below"
    if _in_steps(estimate):
        numbers = np.append(numbers, scale.high + 1)
        below, low, high = (np.append(values, values[-1]) for values in (below, low, high))
        step, label = "post", "share up to each number"
    band: dict[str, Any] = {
        "color": canvas.HEDGE,
        "alpha": 0.22,
        "lw": 0,
        "label": f"{100 * level:g} % intervals",
    }
    ax.fill_between(numbers, 100 * low, 100 * high, step=step, **band)
    style: dict[str, Any] = {
        "drawstyle": "steps-post" if step else "default",
        "lw": 1.8,
        "label": label,
    }
    ax.plot(numbers, 100 * below, color=canvas.HEDGE, **style)
    ax.set_ylim(0, 100)
    ax.set_ylabel("share below, %" if step is None else "share, %")
    ax.grid(color="#dddddd", lw=0.6)
    _dress(ax, estimate)
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    return ax


def plot_scale_groups(groups: Mapping[str, ScaleEstimate], *, level: float = 0.95) -> Figure:
    """Draw a panel for each group, on one scale; return the figure."""
    names = [*groups][:12]
    width = min(len(names), 3)
    height = -(-len(names) // width)
    figure = canvas.new_figure(1 + 3 * width, 0.8 + 2.2 * height)
    figure.set_layout_engine("constrained", w_pad=0.15)
    some, tops = groups[names[0]], []
    panels = canvas.panels(figure, len(names), width, _unit(some))
    for ax, name, shown in zip(panels, names, canvas.labels(names), strict=True):
        across = ax.get_xlabel()  # of the lowest alone
        canvas.set_title(ax, f"{shown} ({groups[name].n:,})", fontsize=10)
        plot_scale(groups[name], ax, level=level)
        ax.set_xlabel(across)
        if (legend := ax.get_legend()) is not None:
            legend.remove()
        tops.append(ax.get_ylim()[1])
    panels[0].set_ylim(0, max(tops))
    canvas.set_suptitle(figure, [some.survey.question, f"ε = {some.survey.epsilon:g}"])
    return figure


def save_scale(estimate: ScaleEstimate, path: Path, *, level: float = 0.95) -> None:
    """Write the distribution, and the shares below each number under it."""
    figure = canvas.new_figure(8, 6.4)
    above, below = figure.subplots(2, 1, sharex=True)
    plot_scale(estimate, above, level=level)
    canvas.set_title(below, " ", fontsize=4)
    plot_below(estimate, below, level=level)
    above.set_xlabel("")
    canvas.save(figure, path)


def _in_steps(estimate: ScaleEstimate) -> bool:
    return not estimate.scale.rounded and estimate.scale.cells <= _STEPS


def _dress(ax: Axes, estimate: ScaleEstimate) -> None:
    ax.set_xlim(estimate.band_edges[0], estimate.band_edges[-1])
    ax.locator_params(axis="x", integer=estimate.scale.whole)
    ax.set_xlabel(_unit(estimate))
    title = fill(estimate.survey.question, 8 * canvas.LETTERS_AN_INCH)
    canvas.set_title(ax, title, pad=18, fontsize=12)
    if ax.get_title() == title:
        canvas.add_note(ax, f"{estimate.n:,} reports · ε = {estimate.survey.epsilon:g}", 5)


def _unit(estimate: ScaleEstimate) -> str:
    return estimate.scale.unit or "number"
