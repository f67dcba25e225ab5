"""Pictures of plans: the margin of error against ε."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.answers.scale import Scale
from ..device.answers.several import Several
from ..plan.planning import Plan, ScalePlan, best_mechanism, margin_of
from .canvas import HEDGE, TRUTH, new_figure, set_title


def plot_plan(plan: Plan | ScalePlan) -> Any:
    """Draw the margin of error against ε, for this many people and others; return the figure."""
    figure = new_figure(7, 4.5)
    ax = figure.gca()
    levels = np.geomspace(min(0.1, plan.epsilon / 2), max(6.0, 2 * plan.epsilon), 60)
    answers, percent = plan.answers, 1 if isinstance(plan.answers, Scale) else 100
    made = [best_mechanism(answers, level) for level in levels]
    for n, style in ((max(plan.n // 10, 1), ":"), (plan.n, "-"), (10 * plan.n, "--")):
        margins = [percent * margin_of(answers, one, n, 1 - plan.level) for one in made]
        ax.plot(levels, margins, style, color=HEDGE, lw=1.8, label=f"{n:,} people")
    ax.plot(plan.epsilon, percent * plan.margin, "D", color=TRUTH, ms=8, label="this plan")
    ax.set(xscale="log", yscale="log", xlabel="privacy level ε")
    asked, of = _words(answers)
    ax.set_ylabel(f"{100 * plan.level:g} % margin {of}")
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10) if levels[0] <= tick <= levels[-1]]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    low, high = ax.get_ylim()
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))))
    marks = [m * 10.0**e for e in decades for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    ax.set_yticks(marks, [f"{mark:g}" for mark in marks])
    ax.grid(axis="y", color="0.92")
    ax.legend(frameon=False)
    title = f"{asked} · {plan.n:,} people · ε = {plan.epsilon:g}"
    set_title(ax, title, fontsize=12)
    return figure


def _words(answers: int | Several | Scale) -> tuple[str, str]:
    """Return what people answer, and what the margin is of."""
    if isinstance(answers, int):
        return f"{answers:,} categories", "for a rare category, ± %"
    if answers.kind == "several":
        return answers.described(), "for a rare option, ± %"
    return answers.described(), f"of the mean, ± {answers.unit}".rstrip()  # type: ignore[union-attr]
