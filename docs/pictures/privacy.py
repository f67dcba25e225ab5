"""What ε means for one person: how far a report can move what someone believes."""

import numpy as np

from privet.mechanisms import KSubset

from .look import GREY, INK, STEPS, new_figure, tidy, title

LEVELS = (0.1, 0.5, 1.0, 2.0, 4.0)


def most_believed(prior, epsilon):
    """Return the largest belief after a report, given the belief before."""
    return prior * np.exp(epsilon) / (1 - prior + prior * np.exp(epsilon))


def draw_posterior():
    """Draw the band that beliefs stay in, for several ε."""
    figure = new_figure(6.6, 4.4)
    ax = figure.gca()
    before = np.linspace(0, 1, 401)
    for epsilon, colour in zip(LEVELS, STEPS, strict=True):
        most = most_believed(before, epsilon)
        ax.plot(100 * before, 100 * most, color=colour, lw=2.2, label=f"ε = {epsilon:g}")
        ax.plot(100 * before, 100 * (1 - most[::-1]), color=colour, lw=2.2)
    ax.plot([0, 100], [0, 100], color=GREY, lw=1, ls="--", label="nothing learned")
    ax.set(xlabel="believed before the report, %", ylabel="believed after it, %")
    ax.set(xlim=(0, 100), ylim=(0, 100))
    title(ax, "Belief stays between two lines")
    tidy(ax, grid="both")
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right center", frameon=False)
    return figure


def draw_guesses():
    """Draw how often a guess of the answer is right, with and without the report."""
    figure = new_figure(6.8, 3.6)
    ax = figure.gca()
    levels = np.geomspace(0.1, 8, 60)
    shades = STEPS[1], STEPS[2], STEPS[4]
    for d, colour in zip((2, 10, 100), shades, strict=True):
        mechanisms = [KSubset(d, float(epsilon)) for epsilon in levels]
        right = [100 * mechanism.g / mechanism.k for mechanism in mechanisms]
        ax.plot(levels, right, color=colour, lw=2.2)
        ax.axhline(100 / d, color=colour, lw=1, ls="--")
        ax.annotate(
            f"{d} possible answers", (0.11, right[0]), (0, 9), textcoords="offset points",
            color=INK,
        )  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="privacy level ε", ylabel="right guesses, %")
    ax.set_xticks([0.1, 0.2, 0.5, 1, 2, 4, 8], ["0.1", "0.2", "0.5", "1", "2", "4", "8"])
    ax.set_yticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    ax.minorticks_off()
    ax.set_xlim(0.1, 8)
    title(ax, "The best guess of a report's answer, and (dashed) a guess without it")
    tidy(ax)
    return figure
