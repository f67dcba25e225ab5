"""Questions of other kinds: numbers on a scale, tables, and what a questionnaire costs."""

import numpy as np

from privet import Questionnaire, Scale, Survey
from privet.entropy import seeded
from privet.figures import plot_below, plot_scale, plot_table
from privet.tables import compare

from .look import INK, STEPS, new_figure, tidy, title

SMOKES, REGIONS = ("every day", "sometimes", "no"), ("north", "south", "west")


def ages(n: int) -> np.ndarray:
    """Return the ages of a crowd with many students and many pensioners."""
    rng = np.random.default_rng(1)
    young, old = rng.normal(27, 7, 3 * n // 5), rng.normal(66, 9, n - 3 * n // 5)
    return np.concatenate([young, old]).round().clip(0, 120)


def draw_numbers():
    """Draw the distribution of numbers, and the shares below."""
    survey = Survey("How old are you?", Scale(0, 120, unit="years", whole=True), 1.0)
    tally = survey.tally()
    tally.update(survey.randomize_batch(ages(50_000), entropy=seeded(1)))
    figure = new_figure(6.8, 5.4)
    above, below = figure.subplots(2, 1, sharex=True)
    plot_scale(tally.estimate(), above)
    above.set_xlabel("")
    below.set_title(" ", fontsize=3)
    plot_below(tally.estimate(), below)
    return figure


def draw_table():
    """Draw a table of two questions."""
    smokes = Survey("Do you smoke?", SMOKES, 1.0, id="smokes")
    region = Survey("Where do you live?", REGIONS, 1.0, id="region")
    asked = Questionnaire("Health", [smokes, region], 1.0, tables=[("smokes", "region")])
    rng, n = np.random.default_rng(2), 60_000
    place = rng.integers(0, 3, n)
    habits = np.array([[0.4, 0.2, 0.4], [0.15, 0.15, 0.7], [0.2, 0.1, 0.7]])
    habit = (rng.random(n)[:, None] > habits.cumsum(axis=1)[place]).sum(axis=1)
    answers = {"smokes": np.array(SMOKES)[habit], "region": np.array(REGIONS)[place]}
    tally = asked.tally()
    tally.update(asked.randomize_batch(answers, entropy=seeded(2)))
    figure = new_figure(6.8, 3.4)
    plot_table(tally.estimate().table("smokes", "region"), figure.gca())
    return figure


def split_factors(questions: int, levels: np.ndarray) -> list[float]:
    """Return how much larger the variance is where ε is split over questions of four answers."""
    pages = [(q,) for q in range(questions)]
    costs = []
    for epsilon in levels:
        (found,) = compare((4,) * questions, pages, [1.0] * questions, float(epsilon), [(0,)])
        costs.append(found.split / found.one_each)
    return costs


def draw_split():
    """Draw what splitting ε costs."""
    figure = new_figure(6.8, 3.6)
    ax = figure.gca()
    levels = np.linspace(0.25, 9, 36)
    for questions, colour in zip((2, 4, 8, 16), STEPS[1:], strict=True):
        costs = split_factors(questions, levels)
        ax.plot(levels, costs, color=colour, lw=2.2)
        at = int(np.argmax(levels >= 2))
        ax.annotate(
            f"{questions} questions", (levels[at], costs[at]), (0, 5), textcoords="offset points",
            ha="center", color=INK,
        )  # fmt: skip
    ax.axhline(1, color=INK, lw=1, ls="--")
    ax.set(yscale="log", xlabel="ε of a whole person", ylabel="variance, times that of pages")
    ax.set_yticks([0.5, 1, 2, 4, 8, 16], ["½", "1", "2", "4", "8", "16"])
    ax.minorticks_off()
    ax.set_xlim(levels[0], levels[-1])
    title(ax, "Splitting ε over all questions, compared with one page a person")
    tidy(ax, grid="both")
    return figure
