"""One-hot answers with noise added to every entry."""

from __future__ import annotations

from .compiled import kernel


@kernel
def fill_noise(values, tail, out, first, flip, rest, limit):  # type: ignore[no-untyped-def]
    """Write one-hot answers with two-sided geometric noise, entry by entry; GeometricNoise.sample.

    Words of the tail are coins, in order of need. Return the first row that is not written, and how
    many words the others took.
    """
    at = 0
    for row in range(first, values.size):
        begin = at
        for entry in range(out.shape[1]):
            if at == tail.size:
                return row, begin
            up = (tail[at] < flip) != (entry == values[row])
            at += 1
            steps = 0
            while steps < limit:
                if at == tail.size:
                    return row, begin
                word = tail[at]
                at += 1
                if word < flip:
                    steps += 1
                elif word < rest:
                    break
            out[row, entry] = limit + 1 + steps if up else limit - steps
    return values.size, at
