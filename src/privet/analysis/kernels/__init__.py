"""The compiled loops, one family a file; each has a plain twin in the tests.

Those that are called from outside are `kernels.toss(…)` and so on. They are looked up when they are
first used, because the files that they are in import numba, which takes a while.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# Reports side by side in lanes.py, and the most words that one may have there.
TILE, MOST_WORDS = 32, 4
# The planes and slots of a line of columns in adder.py, and one line more, so that those of
# different lines are not 2^n bytes apart.
STATE_BYTES = 41 * 64

KERNELS = {
    "sampling": ("toss", "fill_words", "fill_single", "fill_indices"),
    "lanes": ("fill_lanes",),
    "sets": ("pick", "fill_sets", "fill_small_sets"),
    "choices": ("first_wrong_set", "fill_asked", "number_sets"),
    "flips": ("fill_flips", "toss_own_bits", "narrow"),
    "designs": ("draw_places", "write_translates", "write_parities", "count_blocks"),
    "hashes": ("count_hashed",),
    "noise": ("fill_noise",),
    "adder": ("count_columns", "count_fields"),
    "shuffling": ("deal", "permute"),
    "likelihood": ("sum_bitmaps", "spread_bitmaps", "sum_members", "spread_members"),
    "simplex": ("project",),
    "population": ("draw_counts",),
}


def _say_nothing(name: str) -> None:
    pass


# Called with the name of a kernel that is about to be compiled, for it takes seconds.
announce: Callable[[str], object] = _say_nothing


def __getattr__(name: str) -> Any:
    for file, names in KERNELS.items():
        if name in names:
            kernel = getattr(import_module(f"{__name__}.{file}"), name)
            globals()[name] = kernel  # where the next use finds it without asking here
            return kernel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
