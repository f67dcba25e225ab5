"""Other libraries' clients and aggregators, called as their documentation does.

A client makes one report a call; `randomize` calls it in a loop, without anything around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np

from .timing import Scale, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Peer:
    """`randomize(d, epsilon, values)` and `count(d, epsilon, reports)` return what to run."""

    name: str
    module: str
    randomize: Callable[[int, float, Sequence[int]], Callable[[], Sequence[Any]]]
    count: Callable[[int, float, Sequence[Any]], Callable[[], object]] | None
    calls: int = 2000

    def randomizing(self, d: int, epsilon: float) -> Work:
        """Make reports; a unit is a report."""
        values = np.random.default_rng(1).integers(0, d, self.calls).tolist()
        return Work(self.randomize(d, epsilon, values), self.calls)

    def counting(self, d: int, epsilon: float) -> Work:
        """Count what its own client made; a unit is a report."""
        return Work(self.count(d, epsilon, self.randomizing(d, epsilon).run()), self.calls)


def _multi_freq(protocol: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    module = import_module(f"multi_freq_ldpy.pure_frequency_oracles.{protocol}")
    return getattr(module, f"{protocol}_Client"), getattr(module, f"{protocol}_Aggregator_MI")


def _multi_freq_randomize(protocol, *options):
    def randomize(d, epsilon, values):
        client, _ = _multi_freq(protocol)
        return lambda: [client(value, d, epsilon, *options) for value in values]

    return randomize


def _multi_freq_count(protocol):
    def count(d, epsilon, reports):
        _, aggregator = _multi_freq(protocol)
        return lambda: aggregator(reports, d, epsilon)

    return count


def _multi_freq_count_bits(d, epsilon, reports):
    _, aggregator = _multi_freq("UE")
    return lambda: aggregator(reports, epsilon, False)


def _pure_ldp_randomize(oracle):
    def randomize(d, epsilon, values):
        from pure_ldp import frequency_oracles

        client = getattr(frequency_oracles, f"{oracle}Client")(epsilon, d, index_mapper=int)
        return lambda: [client.privatise(value) for value in values]

    return randomize


def _pure_ldp_hr_randomize(d, epsilon, values):
    from pure_ldp.frequency_oracles import HadamardResponseClient, HadamardResponseServer

    hashes = HadamardResponseServer(epsilon, d, index_mapper=int).get_hash_funcs()
    client = HadamardResponseClient(epsilon, d, hashes, index_mapper=int)
    return lambda: [client.privatise(value) for value in values]


def _pure_ldp_hr_count(d, epsilon, reports):
    from pure_ldp.frequency_oracles import HadamardResponseServer

    server = HadamardResponseServer(epsilon, d, index_mapper=int)

    def run():
        server.reset()
        for report in reports:
            server.aggregate(report)
        server.estimate(0, suppress_warnings=True)

    return run


def _pure_ldp_lh_randomize(d, epsilon, values):
    from pure_ldp.frequency_oracles import LHClient

    client = LHClient(epsilon, d, use_olh=True, index_mapper=int)
    return lambda: [client.privatise(value) for value in values]


def _pure_ldp_lh_count(d, epsilon, reports):
    from pure_ldp.frequency_oracles import LHServer

    server = LHServer(epsilon, d, use_olh=True, index_mapper=int)

    def run():
        server.reset()
        for report in reports:
            server.aggregate(report)

    return run


def _pure_ldp_count(oracle):
    def count(d, epsilon, reports):
        from pure_ldp import frequency_oracles

        server = getattr(frequency_oracles, f"{oracle}Server")(epsilon, d, index_mapper=int)

        def run():
            server.reset()
            for report in reports:
                server.aggregate(report)

        return run

    return count


def _opendp_randomize(d, epsilon, values):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    truth = exp(epsilon) / (exp(epsilon) + d - 1)
    measurement = dp.m.make_randomized_response(list(range(d)), truth)
    return lambda: [measurement(value) for value in values]


def _opendp_randomize_bits(d, epsilon, values):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    measurement = dp.m.make_randomized_response_bitvec(
        dp.bitvector_domain(max_weight=1), dp.discrete_distance(), _opendp_noise(epsilon)
    )
    one_hot = np.packbits(np.eye(d, dtype=np.uint8), axis=1)
    answers = [one_hot[value].tobytes() for value in values]
    return lambda: [measurement(answer) for answer in answers]


def _opendp_count_bits(d, epsilon, reports):
    from opendp.measurements import debias_randomized_response_bitvec

    return lambda: debias_randomized_response_bitvec(reports, _opendp_noise(epsilon))


def _opendp_noise(epsilon):
    return 2 / (exp(epsilon / 2) + 1)


_PEERS = {
    "k-subset": (
        Peer(
            "multi-freq-ldpy SS",
            "multi_freq_ldpy",
            _multi_freq_randomize("SS"),
            _multi_freq_count("SS"),
        ),
    ),
    "binary-rr": (
        Peer(
            "multi-freq-ldpy SUE",
            "multi_freq_ldpy",
            _multi_freq_randomize("UE", False),
            _multi_freq_count_bits,
        ),
        Peer("pure-ldp SUE", "pure_ldp", _pure_ldp_randomize("UE"), _pure_ldp_count("UE")),
        Peer("opendp RR bitvec", "opendp", _opendp_randomize_bits, _opendp_count_bits, calls=500),
    ),
    "multivariate-rr": (
        Peer(
            "multi-freq-ldpy GRR",
            "multi_freq_ldpy",
            _multi_freq_randomize("GRR"),
            _multi_freq_count("GRR"),
        ),
        Peer("pure-ldp DE", "pure_ldp", _pure_ldp_randomize("DE"), _pure_ldp_count("DE")),
        Peer("opendp RR", "opendp", _opendp_randomize, None, calls=500),
    ),
    "hadamard": (Peer("pure-ldp HR", "pure_ldp", _pure_ldp_hr_randomize, _pure_ldp_hr_count),),
    "local-hash": (
        Peer("pure-ldp LH", "pure_ldp", _pure_ldp_lh_randomize, _pure_ldp_lh_count, calls=100),
    ),
}

NAMES = {"multi-freq-ldpy", "pure-ldp", "opendp"}


def with_mechanism(mechanism: str, scale: Scale) -> list[Peer]:
    """Return the installed libraries that have the same mechanism, or none for a quick run."""
    if scale.quick:
        return []
    return [peer for peer in _PEERS[mechanism] if find_spec(peer.module)]


def nearest(scale: Scale) -> list[Peer]:
    """Return each library once, with the mechanism that is most like the k-subset one."""
    first: dict[str, Peer] = {}
    for mechanism in ("k-subset", "binary-rr"):
        for peer in with_mechanism(mechanism, scale):
            first.setdefault(peer.module, peer)
    return list(first.values())
