"""Published packages whose clients `make peers` audits, called as their documentation does.

What a client returns becomes bytes here, outside of its code: numbers, lists as they come, vectors
of bits or of floats; for a hash function, the values that it maps to what was reported. Nothing
that a report says is lost by that, and nothing is added.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from pkgutil import resolve_name
from typing import Any

import numpy as np

from privet.audit.peers import EPSILON, VALUES, Peer

_Made = Callable[[], Callable[[int], bytes]]

_BUCKETS = round(exp(EPSILON)) + 1  # that both packages hash to


# --- what reports are as bytes ------------------------------------------------------------------


def _number(report: Any) -> bytes:
    return int(report).to_bytes(4, "little")


def _numbers(report: Any) -> bytes:
    return bytes(int(one) for one in report)


def _bits(report: Any) -> bytes:
    return np.packbits(np.asarray(report) > 0, bitorder="little").tobytes()


def _floats(report: Any) -> bytes:
    return np.asarray(report, dtype="<f8").tobytes()


def _signs(report: Any) -> bytes:
    return bytes(2 * place + (sign > 0) for place, sign in report)


def _mapped(report: Any) -> bytes:
    """Which values the function of a report maps to its bucket."""
    (bucket, seed), xxh32 = report, resolve_name("xxhash:xxh32")
    digests = (xxh32(str(value), seed=seed).intdigest() for value in range(VALUES))
    return _bits([digest % _BUCKETS == bucket for digest in digests])


# --- their clients ------------------------------------------------------------------------------


def _multi_freq(protocol: str, encoded: Callable[[Any], bytes], *options: bool) -> _Made:
    def made() -> Callable[[int], bytes]:
        home = f"multi_freq_ldpy.pure_frequency_oracles.{protocol}"
        client = resolve_name(f"{home}:{protocol}_Client")
        return lambda value: encoded(client(value, VALUES, EPSILON, *options))

    return made


def _pure(oracle: str, encoded: Callable[[Any], bytes], **options: Any) -> _Made:
    def made() -> Callable[[int], bytes]:
        kind = resolve_name(f"pure_ldp.frequency_oracles:{oracle}Client")
        client = kind(EPSILON, VALUES, index_mapper=int, **options)
        return lambda value: encoded(client.privatise(value))

    return made


def _pure_rappor() -> Callable[[int], bytes]:
    """One hash function, for which the package itself turns ε into its parameter."""
    oracles = resolve_name("pure_ldp.frequency_oracles")
    f = oracles.RAPPORClient(0.5, VALUES, []).convert_eps_to_f(EPSILON)
    functions = oracles.RAPPORServer(f, VALUES, 1, VALUES, num_of_cohorts=8).get_hash_funcs()
    client = oracles.RAPPORClient(f, VALUES, functions, num_of_cohorts=8, index_mapper=int)

    def report(value: int) -> bytes:
        """Whether the bit of each value is set."""
        bits, cohort = client.privatise(value)
        (function,) = functions[cohort]
        return _bits([bits[function(str(one))] for one in range(VALUES)])

    return report


PEERS = (
    Peer("multi-freq-ldpy", "GRR", _multi_freq("GRR", _number)),
    Peer("multi-freq-ldpy", "SS", _multi_freq("SS", _numbers)),
    Peer("multi-freq-ldpy", "SUE", _multi_freq("UE", _bits, False)),
    Peer("multi-freq-ldpy", "OUE", _multi_freq("UE", _bits, True)),
    Peer("multi-freq-ldpy", "OLH", _multi_freq("LH", _mapped)),
    Peer("multi-freq-ldpy", "HE", _multi_freq("HE", _floats)),
    Peer("pure-ldp", "DE", _pure("DE", _number)),
    Peer("pure-ldp", "SUE", _pure("UE", _bits)),
    Peer("pure-ldp", "OUE", _pure("UE", _bits, use_oue=True)),
    Peer("pure-ldp", "OLH", _pure("LH", _mapped, use_olh=True)),
    Peer("pure-ldp", "HE", _pure("HE", _floats)),
    Peer("pure-ldp", "HR", _pure("HadamardResponse", _number, hash_funcs=None)),
    Peer("pure-ldp", "HM", _pure("HadamardMech", _signs, t=1)),
    Peer("pure-ldp", "RAPPOR", _pure_rappor),
)
