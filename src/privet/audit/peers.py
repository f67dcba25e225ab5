"""Clients of other packages, audited as any client is: their own code, called as they document.

The event that exceeds ε most is searched on one half of the reports and tested on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from pkgutil import resolve_name

from ..device.survey import Survey
from ..errors import ClientFailure
from ..errors.arguments import alpha_of, whole
from . import clients
from .leaks import search

__all__ = ["EPSILON", "VALUES", "Audited", "Peer", "audit_peers", "markdown", "named"]

VALUES, EPSILON = 16, 1.0  # what every peer is asked to protect, and how well
_CLAIM = Survey("Which?", [str(value) for value in range(VALUES)], EPSILON)
_X, _Y = "3", "12"


@dataclass(frozen=True)
class Peer:
    """A protocol of a package; `made` returns its client, from a value to bytes."""

    package: str
    protocol: str
    made: Callable[[], Callable[[int], bytes]]


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


def audit_peers(
    peers: Sequence[Peer], trials: int = 100_000, confidence: float = 0.99
) -> list[Audited]:
    """Audit the peers whose packages are installed; raise ClientFailure if none is.

    All verdicts together are right with this confidence, so far as they say that ε is exceeded.
    """
    trials = whole("audit_peers", "trials", trials, 100)
    alpha = alpha_of("audit_peers", confidence, "confidence")
    versions = _installed(peer.package for peer in peers)
    if not versions:
        packages = ", ".join(sorted({peer.package for peer in peers}))
        raise ClientFailure(f"None of these packages is installed: {packages}.")
    found = []
    for peer in peers:
        if peer.package in versions:
            own = peer.made()
            client = clients.Callable(lambda answer, own=own: own(int(answer)), _CLAIM)
            first, second = client.reports([_X] * trials), client.reports([_Y] * trials)
            leak = search(first, second, alpha / len(peers))
            about = peer.package, versions[peer.package], peer.protocol
            found.append(Audited(*about, EPSILON, leak.lower_bound, leak.event))
    return found


def named(name: str) -> Sequence[Peer]:
    """Return the peers at a place, such as benchmarks.audited_peers:PEERS."""
    try:
        peers: Sequence[Peer] = resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ClientFailure(f"{name} cannot be imported: {error}.") from None
    if not isinstance(peers, list | tuple) or not all(isinstance(one, Peer) for one in peers):
        raise ClientFailure(f"{name} must be a list of privet.audit.peers.Peer.")
    return peers


def _installed(packages: Iterable[str]) -> dict[str, str]:
    found = {}
    for package in packages:
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
