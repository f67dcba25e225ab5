"""Which number to take: for whom (population, sample) and for what (unbiased, shrunk)."""

import numpy as np

from privet import Estimate, Survey
from privet.simulate import counts

from .look import BLUE, GREEN, GREY, INK, ORANGE, RED, new_figure, tidy, title


def draw_targets():
    """Draw forty surveys of 500 people each, with the intervals of both kinds."""
    survey = Survey("Do you cycle to work?", ["yes", "no"], 3.0, mechanism="k-subset")
    rng, share, people = np.random.default_rng(2), 0.3, 500
    figure = new_figure(7.6, 4.0)
    ax = figure.gca()
    for at in range(40):
        yes = int(rng.binomial(people, share))
        drawn = counts(survey.mechanism, [yes, people - yes], int(rng.integers(2**32)))
        found = Estimate(survey, people, drawn)
        for target, width, colour in (("population", 2, GREEN), ("sample", 5, ORANGE)):
            low, high = found.interval(0.95, target=target)
            label = f"95 % interval for the {target}" if at == 0 else None
            ax.vlines(at, 100 * low[0], 100 * high[0], color=colour, lw=width, label=label)
        label = "true share among these 500" if at == 0 else None
        ax.plot(at, 100 * yes / people, "_", color=INK, ms=9, mew=2, label=label)
    ax.axhline(100 * share, color=RED, lw=1.2, ls="--", label="true share in the population")
    ax.set(ylabel="“yes”, %", xlabel="forty surveys of 500 people each, ε = 3")
    ax.set_xticks([])
    title(ax, "Two questions, two intervals")
    tidy(ax)
    figure.legend(loc="outside lower center", frameon=False, ncols=2, fontsize=9)
    return figure


def draw_shrunk():
    """Draw the three estimates of sixty-four shares beside the truth."""
    d, people = 64, 20_000
    truth = 1 / np.arange(1, d + 1) ** 1.1
    crowd = np.round(people * truth / truth.sum()).astype(np.int64)
    survey = Survey("Which?", [f"c{i}" for i in range(d)], 1.0, mechanism="k-subset")
    found = Estimate(survey, int(crowd.sum()), counts(survey.mechanism, crowd, 1))
    shares = crowd / crowd.sum()
    kinds = {
        "unbiased": (found.frequencies, BLUE, "o"),
        "projected": (found.project(), ORANGE, "s"),
        "shrunk": (found.shrink(), GREEN, "D"),
    }
    figure = new_figure(8, 3.6)
    panels = figure.subplots(1, 3, sharey=True, sharex=True)
    for ax, (name, (values, colour, mark)) in zip(panels, kinds.items(), strict=True):
        ax.plot(100 * values, mark, color=colour, ms=4)
        ax.plot(100 * shares, color=INK, lw=1.2, label="truth")
        ax.axhline(0, color=GREY, lw=0.8)
        error = float(((values - shares) ** 2).sum())
        title(ax, f"{name}\nsquared error {10_000 * error:.0f} · 10⁻⁴")
        ax.set_xlabel("category")
        tidy(ax)
    panels[0].set_ylabel("share, %")
    panels[2].legend(frameon=False)
    return figure
