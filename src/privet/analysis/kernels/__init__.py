"""The loops that numba compiles; the tests compare each with a naive implementation.

| file | loops |
|---|---|
| `subset_draws` | k-subset reports from random words |
| `option_draws` | rows of options: checked, numbered, and reports of several choices |
| `entry_draws` | one-hot answers with flipped bits or noise |
| `block_numbers` | reports that are numbers of blocks: drawn, written and counted |
| `report_counts` | bitmaps, packed indices and hashed answers: checked and counted |
| `population_counts` | the counts of a whole population, without reports |
| `member_sums` | sums over the members of sets, for likelihoods |
| `row_orders` | rows dealt to piles and put in random order |
| `simplex_newton` | the projection onto the simplex |
| `words`, `compiled` | sets of 64 positions; the decorators of the loops |

Other modules call them as `kernels.subset_draws.toss(…)`. A file is imported when it is first used,
because importing numba takes half a second.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

# How many reports of k-subsets are made side by side, and the most words that such a report has.
# The order of the random words depends on both, and so does what a seed means.
TILE, MOST_WORDS = 32, 4


def __getattr__(name: str) -> Any:
    """Import a file of loops when it is first used."""
    if find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
