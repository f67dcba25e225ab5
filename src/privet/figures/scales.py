"""Pictures of numbers on a scale: how they are spread, and the share of them below each number."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import alpha_of
from . import canvas

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from ..analysis.scale_estimate import ScaleEstimate

    Floats = NDArray[np.float64]

# How many times reports are drawn anew for the band around a curve, and points of a curve below.
_DRAWS, _POINTS = 60, 40


def plot_scale(estimate: ScaleEstimate, ax: Any = None, *, level: float = 0.95) -> Any:
    """Draw how the numbers are spread, smoothly; return the axes.

    The band holds `level` of the curves that come from reports drawn anew from these; it shows how
    far the curve could be elsewhere for want of reports, and not what smoothing hides. The mean is
    marked, with its interval.
    """
    if ax is None:
        ax = canvas.shown_figure(8, 3.6).gca()
    alpha = alpha_of("plot_scale", level)
    centres, curve, low, high = _curves(estimate, alpha)
    ax.fill_between(centres, low, high, color=canvas.HEDGE, alpha=0.22, lw=0, label="band")
    ax.plot(centres, curve, color=canvas.HEDGE, lw=1.8, label="smooth distribution")
    mean = estimate.mean()
    ends = mean.interval(level)
    ax.plot(ends, [0, 0], color=canvas.INK, lw=2.5, solid_capstyle="butt", clip_on=False)
    ax.plot([mean.value], [0], "|", color=canvas.INK, ms=12, mew=2, clip_on=False, label="mean")
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    _dress(ax, estimate)
    ax.legend(frameon=False, fontsize=8)
    return ax


def plot_below(estimate: ScaleEstimate, ax: Any = None, *, level: float = 0.95) -> Any:
    """Draw the share of numbers below each number, with intervals; return the axes."""
    if ax is None:
        ax = canvas.shown_figure(8, 3.6).gca()
    scale = estimate.scale
    numbers = np.linspace(scale.low, scale.high, _POINTS + 1)
    shares = [estimate.share(scale.low, float(number)) for number in numbers]
    values = np.maximum.accumulate([min(max(one.value, 0), 1) for one in shares])
    low, high = zip(*(one.interval(level) for one in shares), strict=True)
    label = f"{100 * level:g} % intervals"
    ax.fill_between(
        numbers, 100 * np.array(low), 100 * np.array(high), color=canvas.HEDGE, alpha=0.22, lw=0,
        label=label,
    )  # fmt: skip
    ax.plot(numbers, 100 * values, color=canvas.HEDGE, lw=1.8, label="share below")
    ax.set_ylim(0, 100)
    ax.set_ylabel("share below, %")
    ax.grid(color="#dddddd", lw=0.6)
    _dress(ax, estimate)
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    return ax


def plot_scale_groups(groups: Mapping[str, ScaleEstimate], *, level: float = 0.95) -> Any:
    """Draw a panel for each group, on one scale; return the figure."""
    names = [*groups][:12]
    width = min(len(names), 3)
    height = -(-len(names) // width)
    figure = canvas.new_figure(1 + 3 * width, 0.8 + 2.2 * height)
    some = groups[names[0]]
    for ax, name in zip(canvas.panels(figure, len(names), width, _unit(some)), names, strict=True):
        canvas.set_title(ax, f"{canvas.shorten(name)} ({groups[name].n:,})", fontsize=10)
        plot_scale(groups[name], ax, level=level)
        ax.get_legend().remove()
    said = [some.survey.question, f"ε = {some.survey.epsilon:g}"]
    letters = int(figure.get_figwidth() * canvas.LETTERS_AN_INCH)
    canvas.set_suptitle(figure, fill(" · ".join(said), letters), 11)
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


def save_scale_groups(groups: Mapping[str, ScaleEstimate], path: Path, **options: Any) -> None:
    """Write a panel for each group."""
    canvas.save(plot_scale_groups(groups, **options), path)


def _curves(estimate: ScaleEstimate, alpha: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the centres of cells, the smooth distribution, and the band around it."""
    from ..refine.smooth import smooth

    scale, mechanism = estimate.scale, estimate.numbers.mechanism
    centres = np.linspace(scale.low, scale.high, scale.cells)
    curve = estimate.distribution()
    rng = np.random.default_rng(estimate.windows)  # the same picture every time
    chances = estimate.numbers.chances(curve)
    drawn = [smooth(mechanism, rng.multinomial(estimate.n, chances)) for _ in range(_DRAWS)]
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=0)
    return centres, curve, np.minimum(low, curve), np.maximum(high, curve)


def _dress(ax: Any, estimate: ScaleEstimate) -> None:
    ax.set_xlim(estimate.scale.low, estimate.scale.high)
    ax.set_xlabel(_unit(estimate))
    title = fill(estimate.survey.question, 8 * canvas.LETTERS_AN_INCH)
    canvas.set_title(ax, title, pad=18, fontsize=12)
    if ax.get_title() == title:
        ax.annotate(
            f"{estimate.n:,} reports · ε = {estimate.survey.epsilon:g}",
            (0, 1), (0, 5), xycoords="axes fraction", textcoords="offset points",
            ha="left", va="bottom", fontsize=8, color="grey",
        )  # fmt: skip


def _unit(estimate: ScaleEstimate) -> str:
    return estimate.scale.unit or "number"
