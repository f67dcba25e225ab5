"""What one report reveals: a set, and how likely it is under each answer."""

from itertools import combinations

import numpy as np

from privet.cli.demo import SHARES
from privet.entropy import Stream, seeded
from privet.mechanisms import KSubset

from .look import BLUE, GREEN, INK, ORANGE, PALE, new_figure, tidy, title

FOODS = tuple(SHARES)
ANSWER = "porridge"


def a_report():
    """Return a mechanism for the breakfasts at ε = 1, and one report of an answer."""
    mechanism = KSubset(len(FOODS), 1.0)
    stream = Stream(seeded(16).keystream().read, mechanism.stream_bytes)
    return mechanism, mechanism.sample(FOODS.index(ANSWER), stream)


def draw_report():
    """Draw the set that was reported beside the likelihood of that very set."""
    mechanism, report = a_report()
    members = mechanism.members(report)
    chance = [float(mechanism.probability(report, value)) for value in range(mechanism.d)]
    figure = new_figure(7.6, 4.2)
    chips, bars = figure.subplots(1, 2, width_ratios=(1, 1.5), sharey=True)
    at = np.arange(mechanism.d)
    for value, food in enumerate(FOODS):
        inside = value in members
        chips.text(
            0.5, value, food, ha="center", va="center", color="white" if inside else INK,
            bbox={"boxstyle": "round,pad=0.32", "fc": GREEN if inside else "white", "ec": PALE},
        )  # fmt: skip
    chips.set(xlim=(0, 1), ylim=(mechanism.d - 0.4, -0.6))
    chips.axis("off")
    title(chips, f"One report of “{ANSWER}”: a set of {mechanism.k}")
    colours = [GREEN if value in members else PALE for value in at]
    bars.barh(at, 100 * np.array(chance), height=0.7, color=colours)
    bars.set_xlabel("how likely this very set is, if that is the answer, %")
    bars.tick_params(axis="y", left=False, labelleft=False)
    title(bars, "What can be told from it: e times, no more")
    tidy(bars, grid="x")
    return figure


def draw_likelihoods():
    """Draw every possible report of five values under two answers."""
    drinks = ("tea", "coffee", "juice", "milk", "water")
    mechanism = KSubset(len(drinks), 1.0, k=2)
    sets = sorted(combinations(range(5), 2), key=lambda pair: (0 in pair) - (1 in pair))
    reports = [bytes([sum(1 << value for value in pair)]) for pair in sets]
    figure = new_figure(7.6, 3.9)
    ax = figure.gca()
    at = np.arange(len(sets))
    for value, colour, hatch, shift in ((1, ORANGE, "", -0.2), (0, BLUE, "//", 0.2)):
        chance = [100 * float(mechanism.probability(report, value)) for report in reports]
        ax.bar(
            at + shift, chance, 0.4, color=colour, hatch=hatch, edgecolor="white",
            label=f"if the answer is {drinks[value]}",
        )  # fmt: skip
    ax.set_xticks(at, ["\n".join(drinks[value] for value in pair) for pair in sets])
    ax.tick_params(axis="x", length=0)
    ax.set(ylabel="how likely, %", ylim=(0, 20), yticks=[0, 5, 10, 15])
    title(ax, "All ten reports of two of five drinks, at ε = 1: ratios are 1/e, 1 or e")
    tidy(ax)
    ax.legend(frameon=False, loc="upper center", ncols=2)
    return figure
