"""What is done to a line, 64 bytes or 512 columns of bits at once, as LLVM's vector operations.

LLVM does not find such vectors in loops over words (a stride that it does not know is enough to
stop it), so they are spelt out, and it chooses the instructions: AVX-512, AVX2, NEON. Addresses may
be any; words are little-endian, as wherever numba runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from .words import instruction

I64 = ir.IntType(64)
VECTOR = ir.VectorType(I64, 8)
_LINE = ir.Constant(I64, 64)


def load(builder: Any, address: Any, stride: Any = _LINE, i: int = 0, kind: Any = VECTOR) -> Any:
    """Load what is i strides behind the address."""
    place = builder.add(address, builder.mul(stride, ir.Constant(I64, i)))
    return builder.load(builder.inttoptr(place, kind.as_pointer()), align=1)


def store(builder: Any, value: Any, address: Any, i: int = 0) -> None:
    """Store a line or a word as the i-th of its kind behind the address."""
    place = builder.add(address, ir.Constant(I64, (64 if value.type == VECTOR else 8) * i))
    builder.store(value, builder.inttoptr(place, value.type.as_pointer()), align=1)


def _shuffle(builder: Any, a: Any, b: Any, order: Sequence[int]) -> Any:
    kind = ir.VectorType(ir.IntType(32), len(order))
    return builder.shuffle_vector(a, b, ir.Constant(kind, list(order)))


def splat(builder: Any, number: Any) -> Any:
    """Return a line of which each word is the number."""
    line = builder.insert_element(ir.Constant(VECTOR, None), number, ir.Constant(I64, 0))
    return _shuffle(builder, line, line, [0] * 8)


def count_ones(builder: Any, line: Any, words: int) -> Any:
    """Return, in each word, the ones of the aligned 1, 2, 4 or 8 words that it is one of."""
    kind = ir.FunctionType(VECTOR, [VECTOR])
    ctpop = cgutils.get_or_insert_function(builder.module, kind, "llvm.ctpop.v8i64")
    ones, step = builder.call(ctpop, [line]), words // 2
    while step:
        ones = builder.add(ones, _shuffle(builder, ones, ones, [i ^ step for i in range(8)]))
        step //= 2
    return ones


@instruction
def word_at(builder: Any, address: Any) -> Any:
    """Return the word at an address."""
    return load(builder, address, kind=I64)


@instruction
def ones(builder: Any, address: Any, mask: Any) -> Any:
    """Return how many ones of a line are in a mask."""
    line = builder.and_(load(builder, address), load(builder, mask))
    return builder.extract_element(count_ones(builder, line, 8), ir.Constant(I64, 0))


def _checker(words: int, parts: int) -> Any:
    """Return what tells if any of 8 / words rows is bad, given as a line in parts `size` apart.

    A row is bad that has another number of ones than k in its mask, or any in the mask behind.
    """

    @instruction
    def bad(builder: Any, address: Any, size: Any, masks: Any, k: Any) -> Any:
        kind, zero = ir.VectorType(I64, 8 // parts), ir.Constant(VECTOR, None)
        loaded = [load(builder, address, size, i, kind) for i in range(parts)]
        while len(loaded) > 1:
            order, pairs = range(16 // len(loaded)), zip(loaded[::2], loaded[1::2], strict=True)
            loaded = [_shuffle(builder, a, b, order) for a, b in pairs]
        inside, outside = (builder.and_(*loaded, load(builder, masks, i=i)) for i in range(2))
        wrong = builder.xor(count_ones(builder, inside, words), splat(builder, k))
        lanes = builder.icmp_unsigned("!=", builder.or_(wrong, outside), zero)
        return builder.zext(builder.bitcast(lanes, ir.IntType(8)), I64)

    return bad


bad_words = _checker(1, 1)  # rows of 8 bytes; then rows of up to as many:
bad_8, bad_16, bad_32, bad_64 = _checker(1, 8), _checker(2, 4), _checker(4, 2), _checker(8, 1)


def _adder(depth: int) -> Any:
    """Return the tree that adds 2^depth rows to `depth` planes and stores the carry."""

    def add(builder: Any, rows: Any, stride: Any, planes: Any, slot: Any) -> None:
        sums = [load(builder, planes, i=i) for i in range(depth)]

        def carry(level: int, i: int) -> Any:
            """Add the i-th 2^level rows; return their carry, of that weight."""
            if level == 0:
                return load(builder, rows, stride, i)
            x, y, z = carry(level - 1, 2 * i), carry(level - 1, 2 * i + 1), sums[level - 1]
            differ = builder.xor(x, y)
            sums[level - 1] = builder.xor(differ, z)
            return builder.xor(x, builder.and_(differ, builder.xor(x, z)))

        store(builder, carry(depth, 0), slot)
        for i, line in enumerate(sums):
            store(builder, line, planes, i)

    return instruction(add, types.void)


add_4, add_8, add_16 = _adder(2), _adder(3), _adder(4)
