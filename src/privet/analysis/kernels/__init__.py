"""The compiled loops, one family a file; each has a plain twin in the tests.

Those that are called from outside are `kernels.sampling.toss(…)` and so on. The files that they are
in are imported when they are first used, because they import numba, which takes a while.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

# Reports side by side in lanes.py, and the most words that one may have there.
TILE, MOST_WORDS = 32, 4
# The planes and slots of a line of columns in adder.py, and one line more, so that those of
# different lines are not 2^n bytes apart.
STATE_BYTES = 41 * 64


def __getattr__(name: str) -> Any:
    """Import a file of loops when it is first used."""
    if find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
