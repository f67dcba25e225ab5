"""What noise looks like in a crowd: margins, and estimates from few and from many reports."""

import numpy as np

from privet import Estimate, Survey
from privet.cli.demo import QUESTION, SHARES
from privet.plan import plan
from privet.simulate import counts

from .look import GREY, INK, RED, STEPS, new_figure, tidy, title

BREAKFASTS = Survey(QUESTION, list(SHARES), 1.0, mechanism="k-subset")
TRUTH = np.array(list(SHARES.values())) / 100


def estimate(people: int, seed: int, survey: Survey = BREAKFASTS) -> Estimate:
    """Return what so many people's reports say, who have the true shares exactly."""
    crowd = np.round(TRUTH * people).astype(np.int64)
    return Estimate(survey, int(crowd.sum()), counts(survey.mechanism, crowd, seed))


def draw_survey():
    """Draw an estimate as `privet estimate --figure` does, with the truth marked."""
    return estimate(20_000, seed=3).plot(target="sample", truth=TRUTH).figure


def draw_margins():
    """Draw the margin against people, for several ε."""
    figure = new_figure(6.8, 4.2)
    ax = figure.gca()
    people = np.geomspace(300, 3e6, 15).astype(int)
    for epsilon, colour in zip((0.25, 0.5, 1.0, 2.0, 4.0), STEPS, strict=True):
        margins = [100 * plan(30, epsilon=epsilon, n=int(n)).margin for n in people]
        ax.plot(people, margins, color=colour, lw=2.2)
        ax.annotate(
            f"ε = {epsilon:g}", (people[-1], margins[-1]), (6, 0), textcoords="offset points",
            va="center", color=INK, annotation_clip=False,
        )  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="people", ylabel="95 % margin, ± percentage points")
    ax.set_xticks([1e3, 1e4, 1e5, 1e6], ["1,000", "10,000", "100,000", "1,000,000"])
    marks = [0.03, 0.1, 0.3, 1, 3, 10, 30, 100]
    ax.set_yticks(marks, [f"{mark:g}" for mark in marks])
    ax.minorticks_off()
    ax.set_xlim(people[0], people[-1])
    title(ax, "The margin of a rare category among 30: four times the people halve it")
    tidy(ax, grid="both")
    return figure


def draw_crowds():
    """Draw one survey from three crowds."""
    figure = new_figure(8, 3.9)
    panels = figure.subplots(1, 3, sharey=True, sharex=True)
    at = np.arange(len(TRUTH))
    for ax, people in zip(panels, (2_000, 20_000, 200_000), strict=True):
        found = estimate(people, seed=5)
        low, high = found.interval(0.95, target="sample")
        ax.hlines(at, 100 * low, 100 * high, color=STEPS[1], lw=5, label="95 % interval")
        ax.plot(100 * found.frequencies, at, "o", color=STEPS[3], ms=5, label="estimate")
        ax.plot(100 * TRUTH, at, "D", mfc="none", mec=RED, ms=6, mew=1.4, label="truth")
        ax.axvline(0, color=GREY, lw=0.8)
        ax.set_xlabel("share, %")
        title(ax, f"{people:,} people")
        tidy(ax, grid="x")
    panels[0].set_yticks(at, list(SHARES))
    panels[0].invert_yaxis()
    panels[2].legend(frameon=False, loc="lower right", fontsize=9)
    return figure
