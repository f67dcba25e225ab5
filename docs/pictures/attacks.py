"""What attackers can do: ask again and again, and send false reports."""

import numpy as np

from privet.mechanisms import KSubset, MultivariateRR, TwoLevelUnary
from privet.simulate import averaging

from .look import GREEN, GREY, INK, ORANGE, STEPS, new_figure, tidy, title

# Where curves that level off are drawn.
_FEW = (1, 2, 3, 5, 8, 13, 20, 35, 60, 100)


def draw_repeats():
    """Draw how fresh reports of one answer give it away, and keyed ones do not."""
    figure = new_figure(6.8, 3.6)
    ax = figure.gca()
    shown = [
        (KSubset(100, 0.25), False, "ε = 0.25", STEPS[1], 0),
        (KSubset(100, 0.5), False, "ε = 0.5", STEPS[2], 0),
        (KSubset(100, 1.0), False, "ε = 1", STEPS[4], 0),
        (TwoLevelUnary(100, 2.0, 1.0), True, "ε = 1, two levels", ORANGE, 6),
        (KSubset(100, 1.0), True, "ε = 1, secret", GREY, -4),
    ]
    for mechanism, keyed, name, colour, above in shown:
        at, people = (_FEW, 20_000) if keyed else (range(1, 101), 2000)
        curve = averaging(mechanism, at, keyed=keyed, people=people, seed=1)
        found = 100 * np.array(curve.found)
        ax.plot(curve.reports, found, color=colour, lw=2.2, ls="--" if keyed else "-")
        ax.annotate(
            name, (100, found[-1]), (6, above), textcoords="offset points", va="center", color=INK,
            annotation_clip=False,
        )  # fmt: skip
    ax.set(xlabel="reports of one person's answer", ylabel="answers found, %", ylim=(0, 101))
    ax.set_xlim(1, 100)
    title(ax, "Fresh reports add up: 100 categories, the likeliest one guessed")
    tidy(ax)
    return figure


def draw_liars():
    """Draw how many percentage points a percent of liars adds to one category."""
    figure = new_figure(6.8, 3.6)
    ax = figure.gca()
    levels = np.geomspace(0.1, 6, 60)
    shown = ((KSubset, GREEN, "-"), (MultivariateRR, ORANGE, "--"))
    for kind, colour, style in shown:
        made = [kind(100, float(epsilon)) for epsilon in levels]
        moved = [(1 - mechanism.h) / (mechanism.g - mechanism.h) for mechanism in made]
        ax.plot(levels, moved, style, color=colour, lw=2.2, label=made[0].name)
    ax.axhline(1, color=GREY, lw=1.2, ls=":", label="a survey without privacy")
    ax.set(
        xscale="log", yscale="log", xlabel="privacy level ε", ylabel="honest answers it is worth"
    )
    ax.set_xticks([0.1, 0.2, 0.5, 1, 2, 5], ["0.1", "0.2", "0.5", "1", "2", "5"])
    ax.set_yticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    ax.minorticks_off()
    ax.set_xlim(0.1, 6)
    title(ax, "What one false report adds to one category of 100")
    tidy(ax)
    ax.legend(frameon=False)
    return figure
