"""Pictures of plans: the margin of error against ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..plan.planners import planner_of
from ..plan.plans import SurveyPlan
from .canvas import HEDGE, TRUTH, new_figure, set_title

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.figure import Figure


def plot_plan(plan: SurveyPlan) -> Figure:
    """Draw the margin of error against ε, for this many people and others; return the figure."""
    figure = new_figure(7, 4.5)
    ax = figure.gca()
    levels = np.geomspace(min(0.1, plan.epsilon / 2), max(6.0, 2 * plan.epsilon), 60)
    planner = planner_of(plan.answers)
    factor, made = planner.unit.factor, [planner.best(level) for level in levels]
    for n, style in ((max(plan.n // 10, 1), ":"), (plan.n, "-"), (10 * plan.n, "--")):
        margins = [factor * planner.reach(one, n, 1 - plan.level) for one in made]
        ax.plot(levels, margins, style, color=HEDGE, lw=1.8, label=f"{n:,} people")
    ax.plot(plan.epsilon, factor * plan.margin, "D", color=TRUTH, ms=8, label="this plan")
    ax.set(xscale="log", yscale="log", xlabel="privacy level ε")
    ax.set_ylabel(f"{100 * plan.level:g} % margin {planner.label}")
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10) if levels[0] <= tick <= levels[-1]]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    low, high = ax.get_ylim()
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))))
    marks = [m * 10.0**e for e in decades for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    ax.set_yticks(marks, [f"{mark:g}" for mark in marks])
    ax.grid(axis="y", color="0.92")
    ax.legend(frameon=False)
    title = f"{planner.described} · {plan.n:,} people · ε = {plan.epsilon:g}"
    set_title(ax, title, fontsize=12)
    return figure
