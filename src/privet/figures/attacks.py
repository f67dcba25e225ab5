"""Pictures of attacks: how many answers repeated reports give away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..simulate.averaging import Averaged
from .canvas import HEDGE, TRUTH, new_figure, set_title

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.figure import Figure

_LOOKS = ((TRUTH, "o"), (HEDGE, "s"), ("#2f5d9b", "D"))


def plot_averaging(curves: Mapping[str, Averaged]) -> Figure:
    """Draw the answers found against the reports of each person, a line for each kind of client."""
    figure = new_figure(7, 4.5)
    ax = figure.gca()
    for (name, curve), (color, mark) in zip(curves.items(), _LOOKS, strict=False):
        percent = [100 * found for found in curve.found]
        reach = [200 * error for error in curve.standard_errors]
        look: dict[str, Any] = {"color": color, "marker": mark, "lw": 1.8, "ms": 5, "elinewidth": 1}
        ax.errorbar(curve.reports, percent, reach, label=name, **look)
    (first, *_) = curves.values()
    ax.set(xscale="log", ylim=(0, 101), xlabel="reports of each person", ylabel="answers found, %")
    ticks = [tick for tick in (1, 10, 100, 1000, 10**4, 10**5, 10**6) if tick <= first.reports[-1]]
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    ax.minorticks_off()
    ax.grid(axis="y", color="0.92")
    ax.legend(frameon=False)
    level = f"ε = {first.mechanism.epsilon:g} in one report"
    set_title(ax, f"{first.mechanism.d:,} values · {level} · ± 2 s.e.", fontsize=12)
    return figure
