"""Words of 64 bits: some, and what processors can tell of one that numba does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

ZERO, ONE, SIX, LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
ALL = np.uint64(2**64 - 1)


def instruction(build: Callable[..., Any], result: Any = types.uint64) -> Any:
    """Return what loops can call with words, given how to build it: from a builder and the words.

    Addresses are words too. What returns nothing has the result `types.void`.
    """

    @intrinsic
    @wraps(build)  # whose parameters are those of a call, but for the first
    def called(typing: Any, *words: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            built = build(builder, *args)
            return context.get_dummy_value() if result is types.void else built

        return result(*(types.uint64,) * len(words)), generate

    return called


@instruction
def popcount(builder: Any, word: Any) -> Any:
    """Return the number of set bits of a uint64, as LLVM's ctpop: it vectorises."""
    return builder.ctpop(word)


@instruction
def lowest(builder: Any, word: Any) -> Any:
    """Return the position of the lowest set bit of a uint64 other than 0, as LLVM's cttz."""
    return builder.cttz(word, ir.Constant(ir.IntType(1), 1))
