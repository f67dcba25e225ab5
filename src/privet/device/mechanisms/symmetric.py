"""Symmetric mechanisms: a report supports some of the values, every wrong one as likely as another.

With the chances g for the person's value and h for any other, the number f of reports that support
a value says all: its share is estimated by (f/n − h)/(g − h), without bias (paper, Algorithm 2).
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property

from ...errors import InvalidArgument
from .base import Channel, Exclusive, Mechanism, exclusive

__all__ = ["Shrinkable", "Symmetric", "shrinkable"]


class Symmetric(Mechanism):
    """A mechanism whose reports support the person's value with probability g, any other with h."""

    @property
    @abstractmethod
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """How likely a report supports the person's value (g) and any other (h), exactly."""

    @cached_property
    def share_variances(self) -> tuple[float, float]:
        """The variances of a share that is 1 and of one that is 0, times the number of people.

        g(1 − g)/(g − h)² and h(1 − h)/(g − h)², computed exactly and rounded once.
        """
        g, h = self.hit_rates
        square = (g - h) ** 2
        return float(g * (1 - g) / square), float(h * (1 - h) / square)

    def share_variance(self, theta: float) -> float:
        """Return n times the variance of an estimated share that is theta among n given people."""
        own, other = self.share_variances
        return theta * own + (1 - theta) * other

    @cached_property
    def g(self) -> float:
        """The probability that a report supports the person's value."""
        return float(self.hit_rates[0])

    @cached_property
    def h(self) -> float:
        """The probability that a report supports any one other value."""
        return float(self.hit_rates[1])


class Shrinkable(Symmetric, Exclusive):
    """A symmetric mechanism of one value a person.

    Its shares are a distribution, and the noise of its counts is known well enough to shrink them
    towards it (`privet.refine.shrink`).
    """


def shrinkable(owner: str, channel: Channel) -> Shrinkable:
    """Return a channel as one whose counts can be shrunk, or raise InvalidArgument."""
    if isinstance(channel, Shrinkable):
        return channel
    if isinstance(channel, Symmetric):
        exclusive(owner, channel)
    rule = "a Symmetric mechanism, whose hit rates say how large the noise is"
    raise InvalidArgument(owner, "mechanism", rule, channel)
