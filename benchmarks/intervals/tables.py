"""Questions of questionnaires, and tables: what all pages together say, held to its level.

People answer one of four pages: two questions together, each of them alone, or something else. The
sample is all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet import Survey
from privet.analysis.estimate import Estimate
from privet.analysis.laws import draw_counts
from privet.analysis.pooled import Pooled
from privet.mechanisms import KSubset
from privet.tables import Combined, PageCounts

from .study import Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .study import Once, Score

    Floats = NDArray[np.float64]

__all__ = ["STUDIES", "Crowd"]

_PAGES = (0, 1), (0,), (1,), ()  # the last page asks something else
_SHARES = 0.4, 0.15, 0.15, 0.3
_TOGETHER = 1.0, 0.0, 0.0, 0.0
_CLEAR = 6  # standard errors

_GIANT = np.multiply.outer([0.9, 0.06, 0.027, 0.01, 0.003], [0.6, 0.397, 0.003])
_FLAT = np.full((5, 3), 1 / 15)
_UNUSED = np.multiply.outer([0.5, 0.5, 0, 0, 0], [0.7, 0.3, 0])
_ONE = np.zeros((5, 3))
_ONE[0, 0] = 1
_TIED = np.zeros((5, 3))
_TIED[[0, 1, 2, 3, 3, 3, 4], [0, 1, 2, 0, 1, 2, 1]] = 0.5, 0.3, 0.1, 0.05, 0.037, 0.01, 0.003
_WEAK = np.multiply.outer([0.4, 0.3, 0.2, 0.06, 0.04], [0.5, 0.3, 0.2])
_WEAK[:2, :2] += [[0.05, -0.05], [-0.05, 0.05]]
_RARE = np.array([[0.9, 0.005, 0.005], [0.005, 0.04, 0.005], [0.003, 0.007, 0.03]])
_TRUTHS = {
    "giant and rare": _GIANT,
    "flat": _FLAT,
    "unused answers": _UNUSED,
    "everybody in one cell": _ONE,
    "tied": _TIED,
}


class Crowd:
    """Draws people from a joint distribution of two questions, and the counts of their pages."""

    def __init__(self, joint: Floats, epsilon: float, n: int, shares: tuple[float, ...]) -> None:
        self.joint, self.n, self.shares = joint, n, shares
        sizes = joint.shape
        cells = joint.size, *sizes
        self.mechanisms = [KSubset(d, epsilon) for d in cells]

    def draw(self, random: np.random.Generator) -> tuple[Combined, Floats]:
        """Return the pages of new people, and the shares of cells among all of these."""
        crowd = random.multinomial(self.n, self.joint.ravel())
        drew = random.multinomial(self.n, self.shares)
        left, pages = crowd.copy(), []
        for page, mechanism, many in zip(_PAGES, self.mechanisms, drew.tolist(), strict=False):
            some = random.multivariate_hypergeometric(left, many)
            left -= some
            away = tuple({0, 1} - {*page})
            held = some.reshape(self.joint.shape).sum(axis=away)
            counts = draw_counts(mechanism, held.ravel(), random)
            pages.append(PageCounts(page, held.shape, mechanism, many, counts))
        combined = Combined(pages, self.joint.shape, people=self.n)
        return combined, crowd.reshape(self.joint.shape) / self.n

    def expected(self) -> Combined:
        """Return the pages as they are on average."""
        pages = []
        for page, mechanism, share in zip(_PAGES, self.mechanisms, self.shares, strict=False):
            shares = self.joint.sum(axis=tuple({0, 1} - {*page}))
            many = round(self.n * share)
            rates = mechanism.h + (mechanism.g - mechanism.h) * shares.ravel()
            counts = np.rint(many * rates).astype(np.int64)
            pages.append(PageCounts(page, shares.shape, mechanism, many, counts))
        return Combined(pages, self.joint.shape, people=self.n)


def _questions(joint: Floats, epsilon: float, n: int) -> Once:
    crowd, names = Crowd(joint, epsilon, n, _SHARES), [str(i) for i in range(len(joint))]
    survey = Survey("?", names, epsilon, mechanism=crowd.mechanisms[1], id="q")
    truth = joint.sum(axis=1)

    def once(random: np.random.Generator, score: Score) -> None:
        combined, held = crowd.draw(random)
        pooled, sample = Pooled(survey, combined.question(0)), held.sum(axis=1)
        score.interval("pooled question, population", *pooled.interval(), truth)
        score.interval("pooled question, sample", *pooled.interval(target="sample"), sample)
        low, high = pooled.interval(simultaneous=True)
        score.interval("pooled question, all at once", *_joined(low, high, truth), 0)
        score.error(
            "pooled question, standard error", pooled.frequencies, pooled.standard_errors, truth
        )
        if (truth == 0).any():
            score.test("pooled question, nobody holds it", pooled.p_values[truth == 0])
        page = combined.pages[1]
        alone = Estimate(survey, page.n, page.counts)
        alone.took_part = n
        score.interval("question with one page, sample", *alone.interval(target="sample"), sample)

    return once


def _cells(joint: Floats, epsilon: float, n: int) -> Once:
    crowd = Crowd(joint, epsilon, n, _SHARES)
    row = joint.sum(axis=1, keepdims=True)
    among = np.divide(joint, row, out=np.full(joint.shape, np.nan), where=row > 0)
    shown = np.unravel_index([0, 1, 4, 8, 10, 13], joint.shape)
    real = row[:, 0][shown[0]] > 0
    truths = among[shown][real]
    # Where the row is clearly above 0 by luck alone, its share is too large and errors too small.
    given = crowd.expected().question(0)
    clear = given.frequencies[0] >= _CLEAR * given.standard_errors[0]

    def once(random: np.random.Generator, score: Score) -> None:
        combined, held = crowd.draw(random)
        table = combined.table(0, 1)
        for target, truth in (("population", joint), ("sample", held)):
            low, high = table.interval(target=target)  # type: ignore[arg-type]
            score.interval(f"cell of a table, {target}", low[shown], high[shown], truth[shown])
        ends = table.interval(simultaneous=True)
        score.interval("cell of a table, all at once", *_joined(*ends, joint), 0)
        values, errors = table.frequencies[shown], table.standard_errors[shown]
        score.error("cell of a table, standard error", values, errors, joint[shown])
        if (joint[shown] == 0).any():
            nobody = joint[shown] == 0
            score.test("cell of a table, nobody is in it", table.p_values[shown][nobody])
        shares = table.row_shares()
        low, high = (end[shown][real] for end in shares.interval())
        score.interval("conditional share", low, high, truths)
        low, high = (end[among >= 0] for end in shares.interval(simultaneous=True))
        held_at_once = _joined(low, high, among[among >= 0])
        score.interval("conditional share, all at once", *held_at_once, 0)
        error = "conditional share, standard error"
        if not clear or np.isnan(shares.standard_errors[0]).any():
            score.withheld(error, "error")
        else:
            score.error(error, shares.frequencies[0], shares.standard_errors[0], among[0])

    return once


def cramers_v(joint: Floats) -> float:
    """Return Cramér's V, 0 where there is no more than one answer to a question."""
    free = np.multiply.outer(joint.sum(axis=1), joint.sum(axis=0))
    squares = np.divide((joint - free) ** 2, free, out=np.zeros(free.shape), where=free > 0)
    return float(np.sqrt(squares.sum() / (min(joint.shape) - 1)))


def _association(asked: tuple[Floats, tuple[float, ...]], epsilon: float, n: int) -> Once:
    joint, shares = asked
    crowd, truth = Crowd(joint, epsilon, n, shares), cramers_v(joint)

    def once(random: np.random.Generator, score: Score) -> None:
        table = crowd.draw(random)[0].table(0, 1)
        p_value, v = table.independence().p_value, table.association()
        low, high = v.interval()
        score.interval("Cramér's V", low, high, truth)
        agrees = (low > 0) == (p_value <= 0.05)
        score.interval("V excludes 0 exactly when p <= .05", agrees, 1, 1)
        if truth < 1e-9:
            score.test("independence", p_value)
        elif np.isnan(v.standard_error):
            score.withheld("Cramér's V, standard error", "error")
        else:
            score.error("Cramér's V, standard error", v.value, v.standard_error, truth)

    return once


def _joined(low: Floats, high: Floats, truth: Floats) -> tuple[float, float]:
    """Return an interval that holds 0 exactly if all intervals hold their truths."""
    return (-1.0, 1.0) if ((low <= truth) & (truth <= high)).all() else (1.0, 1.0)


STUDIES = [
    Study(
        "questions of questionnaires",
        (
            "privet.analysis.pooled.Pooled.interval",
            "privet.analysis.pooled.Pooled.p_values",
            "privet.analysis.pooled.Pooled.standard_errors",
            "privet.analysis.questionnaire_estimate.QuestionnaireEstimate.questions",
            "privet.analysis.shown.Shown.interval",
            "privet.analysis.shown.Shown.p_values",
            "privet.analysis.shown.Shown.standard_errors",
            "privet.analysis.tables.table.Table.margin",
        ),
        _TRUTHS,
        _questions,
    ),
    Study(
        "tables",
        (
            "privet.analysis.tables.likeness.Likeness.of",
            "privet.analysis.tables.likeness.Likeness.p_values",
            "privet.analysis.tables.table.Shares.interval",
            "privet.analysis.tables.table.Shares.likeness",
            "privet.analysis.tables.table.Shares.p_values",
            "privet.analysis.tables.table.Shares.standard_errors",
            "privet.analysis.tables.table.Table.column_shares",
            "privet.analysis.tables.table.Table.row_shares",
            "privet.analysis.tables.ratios.ConditionalShares.interval",
            "privet.analysis.tables.ratios.ConditionalShares.standard_errors",
        ),
        _TRUTHS,
        _cells,
    ),
    Study(
        "association",
        (
            "privet.analysis.tables.association.association",
            "privet.analysis.tables.independence.Independence.p_value",
            "privet.analysis.tables.independence.independence",
            "privet.analysis.tables.table.Table.association",
            "privet.analysis.tables.table.Table.independence",
        ),
        {
            "giant and rare": (_GIANT, _SHARES),
            "unused answers": (_UNUSED, _SHARES),
            "everybody in one cell": (_ONE, _SHARES),
            "weak": (_WEAK, _SHARES),
            "rare and tied": (_RARE, _SHARES),
            "two answers each": (np.array([[0.02, 0.01], [0.03, 0.94]]), _TOGETHER),
            "the same answers": (np.diag([0.5, 0.3, 0.2]), _TOGETHER),
            "8 x 8, flat": (np.full((8, 8), 1 / 64), _TOGETHER),
        },
        _association,
    ),
]
