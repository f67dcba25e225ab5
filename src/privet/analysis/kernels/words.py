"""Words of 64 bits: some, and what processors can tell of one that numba does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

ZERO, ONE, SIX, LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
ALL = np.uint64(2**64 - 1)


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """Return the number of set bits of a uint64, as LLVM's ctpop: it vectorises."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def lowest(typing_context: Any, word: Any) -> Any:
    """Return the position of the lowest set bit of a uint64 other than 0, as LLVM's cttz."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate
