"""Which share of the people should draw each page of a questionnaire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..pages import cell_names
from ..tables.sharing import page_shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..mechanisms.base import Mechanism
    from ..survey import Survey

    Ids = tuple[str, ...]

__all__ = ["best_shares", "spread_alone"]

# As good as infinitely many, for variances that depend on their number.
_MANY = 10**9


def best_shares(
    surveys: Sequence[Survey], asked: Sequence[Ids], mechanisms: Sequence[Mechanism]
) -> list[float]:
    """Return the shares of people with the least summed mean variance of all that is asked.

    Shares of answers count with the mean of their variances (`privet.tables.page_shares`), numbers
    on a scale with the variance of their mean on [-1, 1], which is about as large.
    """
    by_id = {one.id: one for one in surveys}
    joined = {name for ids in asked if len(ids) > 1 for name in ids}
    tabled = [one.id for one in surveys if one.answers.kind == "choice" or one.id in joined]
    sizes = [len(cell_names(by_id[name].answers)) for name in tabled]
    apart = [
        i for i, ids in enumerate(asked) if len(ids) == 1 and by_id[ids[0]].answers.kind != "choice"
    ]
    together = [i for i in range(len(asked)) if i not in apart]
    places = [tuple(tabled.index(name) for name in asked[i]) for i in together]
    made = [mechanisms[i] for i in together]
    alone = [spread_alone(by_id[asked[i][0]], mechanisms[i]) for i in apart]
    shares = page_shares(places, sizes, made, places, alone=alone)
    found = dict(zip([*together, *apart], shares.tolist(), strict=True))
    return [found[i] for i in range(len(asked))]


def spread_alone(survey: Survey, mechanism: Mechanism) -> float:
    """Return n times the variance that a page counts with which joins no table."""
    if survey.answers.kind == "scale":
        windows = np.arange(mechanism.numbers)  # type: ignore[attr-defined]
        slope = float(mechanism.slope)  # type: ignore[attr-defined]
        chances = mechanism.analyst.estimator.chances.mean(axis=1)  # type: ignore[attr-defined]
        spread = chances @ windows**2 - (chances @ windows) ** 2
        return float(spread * (2 / slope / (mechanism.d - 1)) ** 2)
    share = survey.answers.most / (2 * mechanism.d)  # type: ignore[attr-defined]
    variance = mechanism.variance(np.full(mechanism.d, share), _MANY)
    return _MANY * float(variance.mean())
