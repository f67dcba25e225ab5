"""Published packages, audited as any client is: their own code, called as their documentation does.

What a client of theirs returns becomes bytes here, outside of their code: numbers, lists as they
come, vectors of bits or of floats; for a hash function, which values it maps to what was reported.
Nothing that a report says is lost by that, and nothing is added. The event that exceeds ε most is
searched on one half of the reports and tested on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from math import exp, isfinite
from pkgutil import resolve_name
from typing import Any

import numpy as np

from ..device.survey import Survey
from ..errors import ClientFailure
from ..errors.arguments import alpha_of, whole
from . import clients
from .leaks import search

_Made = Callable[[], Callable[[int], bytes]]

__all__ = ["PEERS", "Audited", "Peer", "audit_peers", "markdown"]

D, EPSILON = 16, 1.0
_BUCKETS = round(exp(EPSILON)) + 1  # that both packages hash to
_PACKAGES = "multi-freq-ldpy", "pure-ldp"
# pure-ldp imports two packages without saying so, and neither works with xxhash 4.
_INSTALL = "pip install multi-freq-ldpy pure-ldp 'xxhash<4' scikit-learn statsmodels"
_CLAIM = Survey("Which?", [str(value) for value in range(D)], EPSILON)
_X, _Y = "3", "12"


@dataclass(frozen=True)
class Peer:
    """A protocol of a package; `made` returns its client, from a value to bytes."""

    package: str
    protocol: str
    made: _Made


@dataclass(frozen=True)
class Audited:
    """What was found of a protocol."""

    package: str
    version: str
    protocol: str
    epsilon: float
    lower_bound: float
    event: str

    @property
    def passed(self) -> bool:
        """Whether ε may be held."""
        return self.lower_bound <= self.epsilon


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
    digests = (xxh32(str(value), seed=seed).intdigest() for value in range(D))
    return _bits([digest % _BUCKETS == bucket for digest in digests])


# --- their clients ------------------------------------------------------------------------------


def _multi_freq(protocol: str, encoded: Callable[[Any], bytes], *options: bool) -> _Made:
    def made() -> Callable[[int], bytes]:
        home = f"multi_freq_ldpy.pure_frequency_oracles.{protocol}"
        client = resolve_name(f"{home}:{protocol}_Client")
        return lambda value: encoded(client(value, D, EPSILON, *options))

    return made


def _pure(oracle: str, encoded: Callable[[Any], bytes], **options: Any) -> _Made:
    def made() -> Callable[[int], bytes]:
        kind = resolve_name(f"pure_ldp.frequency_oracles:{oracle}Client")
        client = kind(EPSILON, D, index_mapper=int, **options)
        return lambda value: encoded(client.privatise(value))

    return made


def _pure_rappor() -> Callable[[int], bytes]:
    """One hash function, for which the package itself turns ε into its parameter."""
    oracles = resolve_name("pure_ldp.frequency_oracles")
    f = oracles.RAPPORClient(0.5, D, []).convert_eps_to_f(EPSILON)
    functions = oracles.RAPPORServer(f, D, 1, D, num_of_cohorts=8).get_hash_funcs()
    client = oracles.RAPPORClient(f, D, functions, num_of_cohorts=8, index_mapper=int)

    def report(value: int) -> bytes:
        """Whether the bit of each value is set."""
        bits, cohort = client.privatise(value)
        (function,) = functions[cohort]
        return _bits([bits[function(str(one))] for one in range(D)])

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


# --- the audit ----------------------------------------------------------------------------------


def audit_peers(trials: int = 100_000, confidence: float = 0.99) -> list[Audited]:
    """Audit the packages that are installed; raise ClientFailure if none is.

    All verdicts together are right with this confidence, so far as they say that ε is exceeded.
    """
    trials = whole("audit_peers", "trials", trials, 100)
    alpha = alpha_of("audit_peers", confidence, "confidence") / len(PEERS)
    versions = _installed()
    if not versions:
        raise ClientFailure(f"No peer is installed: {_INSTALL}")
    found = []
    for peer in PEERS:
        if peer.package in versions:
            own = peer.made()
            client = clients.Callable(lambda answer, own=own: own(int(answer)), _CLAIM)
            leak = search(client.reports([_X] * trials), client.reports([_Y] * trials), alpha)
            about = peer.package, versions[peer.package], peer.protocol
            found.append(Audited(*about, EPSILON, leak.lower_bound, leak.event))
    return found


def _installed() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def markdown(rows: Sequence[Audited]) -> str:
    """Return the table of what was found."""
    lines = [
        "| package | protocol | ε claimed | ε at least | verdict | the event that tells most |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        bound = f"{row.lower_bound:.3f}" if isfinite(row.lower_bound) else "–"
        verdict = "ε held" if row.passed else "**ε exceeded**"
        package = f"{row.package} {row.version}"
        cells = package, row.protocol, f"{row.epsilon:g}", bound, verdict, row.event
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
