"""How often one address may ask, without a note of any address.

Who asks is known by HMAC(salt, network), with a salt that lives in memory for a day. Each has one
number, the time at which all that it has asked for would be paid off at the steady rate (the
generic cell rate algorithm): a request may come up to a minute ahead of it.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from secrets import token_bytes
from time import monotonic

__all__ = ["RateLimit"]

_MINUTE, _DAY = 60.0, 86_400.0
_MOST_KNOWN = 100_000
# People of one household share these bits of an address; on IPv4, often many more people do.
_IPV6_BITS = 56


class RateLimit:
    """So many requests a minute from one address, and as many at once; 0 is no limit."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._cost = _MINUTE / per_minute if per_minute else 0.0
        self._clock = clock
        self._paid: dict[bytes, float] = {}
        self._forget(clock())

    def wait(self, address: str) -> float:
        """Count a request; return after how many seconds to come again, or 0 if it may go on.

        This machine's own address is a proxy's or its owner's, and is not limited.
        """
        if not self._cost or address.startswith("127.") or address == "::1":
            return 0.0
        now = self._clock()
        if now >= self._until:
            self._forget(now)
        who = hmac.digest(self._salt, _network(address), "sha256")
        paid = max(self._paid.get(who, now), now) + self._cost
        if paid > now + _MINUTE:
            return paid - now - _MINUTE
        if len(self._paid) >= _MOST_KNOWN:
            self._paid = {one: at for one, at in self._paid.items() if at > now}
            if len(self._paid) >= _MOST_KNOWN:  # as when all of the world asks
                self._paid.clear()
        self._paid[who] = paid
        return 0.0

    def _forget(self, now: float) -> None:
        self._salt, self._until = token_bytes(32), now + _DAY
        self._paid.clear()


def _network(address: str) -> bytes:
    r"""Return what stands for all addresses of a household.

    >>> _network("2001:db8::1") == _network("2001:db8::2"), _network("1.2.3.4")
    (True, b'\x01\x02\x03\x04')
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:  # such as the name of a socket
        return address.encode()
    if isinstance(found, IPv6Address):
        return (found.ipv4_mapped or found).packed[: _IPV6_BITS // 8]
    return found.packed
