"""Surveys that would hang or exhaust a client are refused; any other is read and answered quickly.

A search over the corners of the parameters: every survey of up to 10 kB that is accepted is read
and answered once within 50 ms and 50 MB.
"""

import json
import tracemalloc
from itertools import product
from math import comb
from os import urandom
from time import process_time

import pytest

from privet import Survey
from privet.device.mechanisms.base import MAX_EPSILON, MIN_EPSILON
from privet.device.mechanisms.choices import MOST_OPTIONS
from privet.device.mechanisms.odds import floor_exp
from privet.device.mechanisms.subsets.finite_fields import (
    is_prime,
    prime_factors,
    prime_power,
    primitive_recurrence,
    primitive_root,
)
from privet.entropy import Stream
from privet.errors import InvalidSurvey
from privet.mechanisms import ListedSets, OneOption, SetSubset

LETTERS = [chr(c) for c in range(33, 127) if chr(c) not in '"\\']
NAMES = [a + b for a in ("", *LETTERS) for b in LETTERS]
SIZES = [2, 17, 1950]
EPSILONS = [MIN_EPSILON, 0.01, 1.0, 5.0, MAX_EPSILON]
BIG = [1, 7, 64, 1000, 2**14, 33_554_393, 10**18]


def text(d, epsilon, name, **parameters):
    mechanism = {"name": name, **parameters}
    fields = {"privet": 2, "id": "q", "question": "?", "categories": NAMES[:d]}
    document = {**fields, "epsilon": epsilon, "mechanism": mechanism, "stream": "hmac-sha256"}
    written = json.dumps(document, separators=(",", ":"))
    assert len(written) <= 10_240
    return written


def odds(epsilon):
    """The coarsest and the finest integers that keep the promise of ε, and more."""
    for scale in (0, 40, 52):
        most = floor_exp(epsilon, scale)
        yield from ({"odds": str(number), "scale": scale} for number in {most, (1 << scale) + 1})


def flips(epsilon, power):
    least = -(-(2**128) // (floor_exp(epsilon / power, 64) + 2**64))
    yield from ({"flip": str(number)} for number in {least, least + 1, 2**63 - 2**19, 2**63 - 1})


def k_subsets(d, epsilon):
    starts = [[0, 0], [1, 1], [1, 64], [2**64 - 1, 64], [63, 6]]
    for k, start, o in product({1, 2, d // 2, d - 1}, starts, odds(epsilon)):
        yield text(d, epsilon, "k-subset", k=k, **o, start=start)


def cyclotomics(d, epsilon):
    primes = [p for p in (d, 4 * d + 61, 4 * d + 63, 8191, 33_554_393) for p in (p, p + 2)]
    for p in filter(lambda p: p > 2 and is_prime(p), primes):
        small = [m for m in (2, 3, 5, p // 2, p - 1) if (p - 1) % m == 0]
        for m, o in product({*small, *prime_factors(p - 1)}, odds(epsilon)):
            for u in {1, m - 1}:
                shape = {"p": p, "m": m, "u": u, "root": primitive_root(p)}
                yield text(d, epsilon, "cyclotomic", **shape, **o)


def projectives(d, epsilon):
    for q in (2, 3, 4, 8, 27, 128, 149, 243, 499, 512, 1999, 2048, 8191):
        p, e = prime_power(q)
        for t in range(2, 27):
            points = (q**t - 1) // (q - 1)
            if d <= points <= 2**26 and points <= 600 * d + 2**18:
                shape = {"q": q, "t": t, "recurrence": primitive_recurrence(p, e * t)}
                o = {"odds": str(floor_exp(epsilon, 30)), "scale": 30}
                yield text(d, epsilon, "projective", **shape, **o)


def hadamards(d, epsilon):
    for t, o in product(range(2, 27), odds(epsilon)):
        yield text(d, epsilon, "hadamard", t=t, **o)


def hashes(d, epsilon):
    for buckets, prime, o in product([2, 4, 1000, 2**20, 10**6 + 1], BIG, odds(epsilon)):
        yield text(d, epsilon, "local-hash", buckets=buckets, prime=prime, **o)
    for buckets in (2, 5, 1000):
        prime = next(p for p in range(max(d, buckets), 10_000) if is_prime(p))
        for o in odds(epsilon):
            yield text(d, epsilon, "local-hash", buckets=buckets, prime=prime, **o)
    for cohorts, buckets, o in product(BIG[:5], [2, 3, 64, 4096], odds(epsilon)):
        yield text(d, epsilon, "hashed-rr", cohorts=cohorts, buckets=buckets, **o)


def rappors(d, epsilon):
    for cohorts, bits, hashed in product(BIG[:5], [2, 9, 128, 4096], [1, 2, 16]):
        for flip in flips(epsilon, 2 * hashed):
            shape = {"cohorts": cohorts, "bits": bits, "hashes": hashed}
            yield text(d, epsilon, "rappor", **shape, **flip)


def bits(d, epsilon):
    for name, power in (("binary-rr", 2), ("optimized-unary", 1)):
        yield from (text(d, epsilon, name, **flip) for flip in flips(epsilon, power))
    for flip, limit in product(flips(epsilon, 2), [0, 1, 127, 128, 2**15 - 1]):
        yield text(d, epsilon, "geometric-noise", **flip, limit=limit)


def intervals(d, epsilon):
    for window, o in product([1, 2, d // 2, d, d + 1, 2**40], odds(epsilon)):
        yield text(d, epsilon, "interval", window=window, **o)


KINDS = [k_subsets, cyclotomics, projectives, hadamards, hashes, rappors, bits, intervals]


def answered(written):
    survey = Survey.from_json(written)
    survey.randomize(survey.categories[-1])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_accepted_survey_is_read_and_answered_quickly(kind):
    slowest, accepted = (0.0, ""), []
    for d, epsilon in product(SIZES, EPSILONS):
        for written in kind(d, epsilon):
            begin = process_time()
            try:
                answered(written)
            except InvalidSurvey:
                assert process_time() - begin < 0.2, written
                continue
            taken = process_time() - begin
            if taken > 0.03:  # again, without what others do to this machine
                for _ in range(3):
                    begin = process_time()
                    answered(written)
                    taken = min(taken, process_time() - begin)
            slowest = max(slowest, (taken, written[-200:]))
            accepted.append(written)
    assert len(accepted) >= 20
    assert slowest[0] < 0.05, slowest
    tracemalloc.start()
    try:
        for written in accepted[:: max(1, len(accepted) // 40)]:
            answered(written)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_every_accepted_mechanism_of_sets_is_read_and_samples_quickly():
    """Its integers are read as a survey's are."""
    slowest, accepted = 0.0, 0
    for d, epsilon in product([2, 17, 1950, MOST_OPTIONS], EPSILONS):
        for most, k in product({1, 2, d // 2, d}, repeat=2):
            everything = comb(d + most, k)
            meeting = everything - comb(d, k)
            odds = floor_exp(epsilon, 64) * meeting
            largest = (odds << 64) // (odds + (everything - meeting << 64))
            for meet in {largest, (meeting << 64) // everything + 1, 2**64 - 2, 1}:
                integers = {"most": most, "k": k, "meet": str(meet)}
                taken = []
                for _ in range(3):  # again, without what others do to this machine
                    begin = process_time()
                    try:
                        mechanism = SetSubset.from_parameters(d, epsilon, integers)
                        value = tuple(range(d - most // 2, d))
                        mechanism.sample(value, Stream(urandom, mechanism.stream_bytes))
                        accepted += 1
                    except InvalidSurvey:
                        pass
                    taken.append(process_time() - begin)
                    if taken[-1] < 0.03:
                        break
                slowest = max(slowest, min(taken))
    assert accepted >= 100
    assert slowest < 0.05


def test_single_options_and_listed_sets_are_read_and_sampled_quickly():
    slowest, accepted = 0.0, 0
    for d, epsilon in product([2, 12, 90, MOST_OPTIONS - 1, MOST_OPTIONS], EPSILONS):
        odds = {"odds": str(floor_exp(epsilon, 9)), "scale": 9}
        for most, k in product({1, 2, d // 2, d}, {1, d // 3, d}):
            listed = {"most": most, "k": k, **odds, "start": [0, 0]}
            for kind, integers in ((OneOption, {"most": most, **odds}), (ListedSets, listed)):
                taken = []
                for _ in range(3):  # again, without what others do to this machine
                    begin = process_time()
                    try:
                        mechanism = kind.from_parameters(d, epsilon, integers)
                        value = tuple(range(d - most, d))
                        mechanism.sample(value, Stream(urandom, mechanism.stream_bytes))
                        accepted += 1
                    except InvalidSurvey:
                        pass
                    taken.append(process_time() - begin)
                    if taken[-1] < 0.03:
                        break
                slowest = max(slowest, min(taken))
    assert accepted >= 50
    assert slowest < 0.05


@pytest.mark.parametrize("epsilon", [2.3e6, 3e6, 1e300, 101.0, 1e-160, 1e-13, 5e-324])
@pytest.mark.parametrize("name", ["k-subset", "binary-rr", "rappor", "geometric-noise"])
def test_an_epsilon_out_of_bounds_is_refused_at_once(name, epsilon):
    begin = process_time()
    with pytest.raises(InvalidSurvey, match="'epsilon'"):
        Survey.from_json(text(3, epsilon, name, k=1, odds="2", scale=0, start=[0, 0]))
    assert process_time() - begin < 0.05


@pytest.mark.parametrize(
    "parameters",
    [
        {"name": "projective", "q": 2, "t": 26, "recurrence": primitive_recurrence(2, 26)},
        {"name": "cyclotomic", "p": 33_554_393, "m": 2, "u": 1, "root": 3},
        {"name": "rappor", "cohorts": 16_384, "bits": 4096, "hashes": 16},
        {"name": "hadamard", "t": 26},
    ],
    ids=lambda parameters: parameters["name"],
)
def test_designs_and_cohorts_far_larger_than_the_question_are_refused(parameters):
    integers = {"flip": str(2**62)} if "cohorts" in parameters else {"odds": "2", "scale": 0}
    with pytest.raises(InvalidSurvey, match=f"of {parameters['name']}"):
        Survey.from_json(text(2, 1.0, **parameters, **integers))


def test_repeated_fields_are_refused():
    good = text(3, 1.0, "k-subset", k=1, odds="2", scale=0, start=[0, 0])
    Survey.from_json(good)
    for name, twice in (
        ("k", good.replace('"k":1', '"k":1,"k":2')),
        ("id", good.replace('"id":"q"', '"id":"q","id":"q"')),
    ):
        with pytest.raises(InvalidSurvey, match=f"'{name}'"):
            Survey.from_json(twice)


@pytest.mark.parametrize("unseen", ["\u3164", "\u2800", "\ufe0f", "\u115f\u1160", "\U000e0101"])
def test_categories_that_cannot_be_seen_are_refused(unseen):
    document = json.loads(text(3, 1.0, "k-subset", k=1, odds="2", scale=0, start=[0, 0]))
    document["categories"][1] = unseen
    with pytest.raises(InvalidSurvey, match=r"categories\[1\]"):
        Survey.from_json(json.dumps(document))
