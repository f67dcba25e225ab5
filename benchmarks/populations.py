"""How long a whole population takes to simulate."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from privet.mechanisms import KSubset
from privet.simulate import counts

from .rows import Bar, Row
from .timing import Scale, Work, seconds_a_unit, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator


def population(scale: Scale) -> Iterator[Row]:
    """Simulate a billion people.

    The counts of their reports, from the exact joint law, and those of a hundred thousand.
    """
    for d, epsilon, most in ((1024, 1.0, 15.0), (65_536, 3.0, 500.0)):
        d = scale(d)
        mechanism, rng = KSubset(d, epsilon), np.random.default_rng(1)
        shares = rng.dirichlet(np.ones(d))
        crowds = [rng.multinomial(n, shares) for n in (scale(10**9), scale(10**5))]
        large, small = seconds_a_unit(
            scale.repeats, *(Work(partial(counts, mechanism, crowd, 1)) for crowd in crowds)
        )
        beside = f"100,000 people {show_time(small)}"
        work = f"counts, d = {d:,}, ε = {epsilon:g}"
        yield Row(work, show_time(large), beside, 1e3 * large, "ms", Bar(most, at_most=True))
