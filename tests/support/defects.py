"""Clients with mistakes, most of them found in published code: an audit must name each.

Each makes reports of values, a chunk at a time, that look like those of a mechanism; those of
scales make reports of numbers.
"""

import numpy as np

from privet.audit.subjects import Direct
from privet.device.mechanisms.paged import Paged
from privet.entropy import Entropy
from privet.mechanisms import KSubset, SetSubset


def with_coin(mechanism, heads, total):
    """The same mechanism, whose hits have another chance."""
    twin = type(mechanism).from_parameters(mechanism.d, mechanism.epsilon, mechanism.parameters)
    scale = (2**64 - 1) // total  # so that a word is rarely drawn again
    vars(twin)["coin"] = scale * heads, scale * total
    return twin


class Defect:
    """A client by itself: `make` turns one value into so many reports."""

    def __init__(self, mechanism, seed=None):
        self.mechanism = mechanism
        self.rng = np.random.default_rng(seed)
        self.entropy = Entropy(self.rng.bytes(32))

    def reports(self, answers):
        return self.make(answers[0], len(answers))

    def repeats(self, answer, times):
        return []

    def drawn(self, mechanism, value, n):
        """Reports of a mechanism as it should be."""
        return Direct(mechanism, self.entropy).reports([value] * n)


class MissOfAll(Defect):
    """A miss is any set at all: it may hold the person's value."""

    def make(self, value, n):
        m = self.mechanism
        hits = self.rng.random(n) < m.g
        reports = np.empty((n, m.report_bytes), dtype=np.uint8)
        reports[hits] = self.drawn(with_coin(m, 1, 1), value, int(hits.sum()))
        reports[~hits] = self.drawn(with_coin(m, m.k, m.d), value, int((~hits).sum()))
        return reports


class OrderKept(Defect):
    """Members are listed in the order of drawing: on a hit, the person's value comes last."""

    def make(self, value, n):
        m = self.mechanism
        others = self.rng.random((n, m.d - 1), dtype=np.float32).argpartition(m.k, axis=1)
        members = np.where(others[:, : m.k] >= value, others[:, : m.k] + 1, others[:, : m.k])
        members[self.rng.random(n) < m.g, -1] = value
        bits = members[:, :, None] >> np.arange(m.index_bits) & 1
        packed = np.packbits(bits.reshape(n, -1).astype(np.uint8), axis=1, bitorder="little")
        return packed[:, : m.report_bytes]


class IndependentBits(Defect):
    """Every value is in the set or not, each by itself, at the right rates."""

    def make(self, value, n):
        rates = np.full(self.mechanism.d, self.mechanism.h, dtype=np.float32)
        rates[value] = self.mechanism.g
        bits = self.rng.random((n, self.mechanism.d), dtype=np.float32) < rates
        return np.packbits(bits, axis=1, bitorder="little")


class OneMore(Defect):
    """A rule for k that is off by one."""

    def make(self, value, n):
        m = self.mechanism
        return self.drawn(KSubset(m.d, m.epsilon, k=m.k + 1), value, n)


class LikelierHit(Defect):
    """A hit is likelier by .01."""

    def make(self, value, n):
        heads, total = self.mechanism.coin
        return self.drawn(with_coin(self.mechanism, heads + total // 100, total), value, n)


class NeverCleared(Defect):
    """A bit that is truly 1 is never cleared."""

    def make(self, value, n):
        reports = self.drawn(self.mechanism, value, n)
        reports[:, value >> 3] |= np.uint8(1 << (value & 7))
        return reports


class BiasedBits(Entropy):
    """Random bits of which 51 % are ones: fair ones, or where 5 of 256 coins come up, one."""

    def keystream(self):
        return _Biased(super().keystream())


class _Biased:
    def __init__(self, fair):
        self._fair = fair

    def read(self, size):
        words = np.frombuffer(self._fair.read(9 * size), dtype=np.uint8).reshape(9, size)
        rare = np.zeros(size, dtype=np.uint8)
        for bit, plane in enumerate(words[1:]):  # the digits of 5/256, the lowest first
            rare = plane | rare if 5 >> bit & 1 else plane & rare
        return (words[0] | rare).tobytes()

    def fill(self, buffer, size):
        buffer[:size] = np.frombuffer(self.read(size), dtype=np.uint8)
        return buffer[:size]


class BiasedGenerator(Defect):
    """The right sampler on 51 % ones."""

    def __init__(self, mechanism, seed=None):
        super().__init__(mechanism, seed)
        self.entropy = BiasedBits(self.rng.bytes(32))

    def make(self, value, n):
        return self.drawn(self.mechanism, value, n)


class LastBlanks(Defect):
    """A set that is filled up with the last blanks rather than the first."""

    def make(self, value, n):
        m = self.mechanism
        assert isinstance(m, SetSubset)
        assert not m.index_bits
        bits = np.unpackbits(self.drawn(m, value, n), axis=1, bitorder="little")
        bits[:, m.d : m.points] = self.moved(bits[:, m.d : m.points])
        return np.packbits(bits, axis=1, bitorder="little")

    def moved(self, blanks):
        return blanks[:, ::-1].copy()


class AnyBlanks(LastBlanks):
    """A set that is filled up with blanks at random."""

    def moved(self, blanks):
        return self.rng.permuted(blanks, axis=1)


class NoBlanks(Defect):
    """A set that is not filled up with blanks: what meets it must meet the options themselves."""

    def make(self, value, n):
        m = self.mechanism
        assert isinstance(m, SetSubset)
        keys = self.rng.random((n, m.points), dtype=np.float32)
        own = np.zeros(m.points, dtype=bool)
        own[list(value)] = True
        keys[:, own] += 2  # a miss holds none of them
        meets = (self.rng.random(n) < m.meet / 2**64) & bool(value)
        if value:
            first = self.rng.choice(list(value), n)
            keys[np.flatnonzero(meets), first[meets]] = -1
        members = keys.argpartition(m.k - 1, axis=1)[:, : m.k]
        bits = np.zeros((n, m.points), dtype=np.uint8)
        np.put_along_axis(bits, members, 1, axis=1)
        if not m.index_bits:
            return np.packbits(bits, axis=1, bitorder="little")
        listed = np.sort(members, axis=1)[:, :, None] >> np.arange(m.index_bits) & 1
        return np.packbits(listed.reshape(n, -1).astype(np.uint8), axis=1, bitorder="little")


class PageByAnswer(Defect):
    """People whose first answer is the first one draw the first page more often."""

    def make(self, value, n):
        m = self.mechanism
        first, *others = m.weights
        weights = [2 * first if value[0] == 0 else first, *others]
        return self.drawn(Paged(m.parts, weights), value, n)


# --- numbers --------------------------------------------------------------------------------------


class Rounded(Defect):
    """Numbers are rounded to one of the two nearest centres by a fair coin: no mistake at all."""

    def __init__(self, survey, seed=None):
        super().__init__(survey.mechanism, seed)
        self.scale = survey.answers

    def make(self, value, n):
        inside = min(max(value, self.scale.low), self.scale.high)
        place = round((inside - self.scale.low) / self.scale.step, 9)
        cells = self.cells(np.full(n, place)).astype(int)
        return self.mechanism.randomize(cells, entropy=self.entropy)

    def cells(self, places):
        return np.floor(places) + (self.rng.random(len(places)) < places % 1)


class Floored(Rounded):
    """Numbers go to the centre below."""

    def cells(self, places):
        return np.floor(places)


class Nearest(Rounded):
    """Numbers go to the nearest centre."""

    def cells(self, places):
        return np.rint(places)


class EvenCoin(Rounded):
    """Numbers go to either centre by an even coin, wherever they lie between them."""

    def cells(self, places):
        return np.where(self.rng.random(len(places)) < 0.5, np.floor(places), np.ceil(places))


class ReversedCoin(Rounded):
    """Numbers go to the farther centre more often."""

    def cells(self, places):
        return np.ceil(places) - (self.rng.random(len(places)) < places % 1)
