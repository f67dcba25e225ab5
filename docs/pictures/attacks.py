"""What attackers can do: ask again and again, and send false reports."""

import numpy as np

from privet.entropy import seeded
from privet.mechanisms import KSubset, MultivariateRR

from .look import GREEN, GREY, INK, ORANGE, STEPS, new_figure, tidy, title


def identified(d: int, epsilon: float, times: int, people: int, seed: int) -> np.ndarray:
    """Return the part of people whose answer is the likeliest one, after 1, 2, … fresh reports.

    The likeliest answer is the one in most reports; where several are, one is guessed.
    """
    mechanism = KSubset(d, epsilon)
    entropy = seeded(seed)
    seen = np.zeros((people, d), dtype=np.int64)
    right = np.zeros(times)
    own = np.arange(people) % d
    for at in range(times):
        reports = mechanism.randomize(own, entropy=entropy)
        seen += np.unpackbits(reports, axis=1, bitorder="little")[:, :d]
        best = seen == seen.max(axis=1, keepdims=True)
        right[at] = (best[np.arange(people), own] / best.sum(axis=1)).mean()
    return right


def draw_repeats():
    """Draw how fresh reports of one answer give it away."""
    figure = new_figure(6.8, 3.6)
    ax = figure.gca()
    for epsilon, colour in zip((0.25, 0.5, 1.0), (STEPS[1], STEPS[2], STEPS[4]), strict=True):
        right = 100 * identified(100, epsilon, 100, 2000, seed=1)
        ax.plot(np.arange(1, 101), right, color=colour, lw=2.2)
        ax.annotate(
            f"ε = {epsilon:g}", (100, right[-1]), (6, 0), textcoords="offset points",
            va="center", color=INK, annotation_clip=False,
        )  # fmt: skip
    ax.axhline(100 * KSubset(100, 1.0).g / KSubset(100, 1.0).k, color=GREY, lw=1.2, ls="--")
    ax.annotate(
        "ε = 1, secret", (100, 0), (6, 2), textcoords="offset points", va="center", color=INK,
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
