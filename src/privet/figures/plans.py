"""Pictures of plans: the margin of error against ε."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .canvas import HEDGE, TRUTH, new_figure, save, set_title

if TYPE_CHECKING:
    from pathlib import Path

    from ..plan.planning import Plan


def plot_plan(plan: Plan) -> Any:
    """Draw the margin of error against ε, for this many people and others; return the figure."""
    from ..mechanisms import KSubset
    from ..plan.margins import rare_margin

    figure = new_figure(7, 4.5)
    ax = figure.gca()
    levels = np.geomspace(min(0.1, plan.epsilon / 2), max(6.0, 2 * plan.epsilon), 60)
    for n, style in ((max(plan.n // 10, 1), ":"), (plan.n, "-"), (10 * plan.n, "--")):
        margins = [100 * rare_margin(KSubset(plan.d, e), n, 1 - plan.level) for e in levels]
        ax.plot(levels, margins, style, color=HEDGE, lw=1.8, label=f"{n:,} people")
    ax.plot(plan.epsilon, 100 * plan.margin, "D", color=TRUTH, ms=8, label="this plan")
    ax.set(xscale="log", yscale="log", xlabel="privacy level ε")
    ax.set_ylabel(f"{100 * plan.level:g} % margin for a rare category, ± %")
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10) if levels[0] <= tick <= levels[-1]]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    low, high = ax.get_ylim()
    marks = [m * 10.0**e for e in range(-6, 4) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    ax.set_yticks(marks, [f"{mark:g}" for mark in marks])
    ax.grid(axis="y", color="0.92")
    ax.legend(frameon=False)
    title = f"{plan.d:,} categories · {plan.n:,} people · ε = {plan.epsilon:g}"
    set_title(ax, title, fontsize=12)
    return figure


def save_plan(plan: Plan, path: Path) -> None:
    """Write the picture in the format that the path's ending names."""
    save(plot_plan(plan), path)
