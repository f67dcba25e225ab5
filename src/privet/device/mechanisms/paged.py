"""Pages: each person draws one of several mechanisms by public chances, and answers by it alone.

Whatever the page, its report is ε-private; which page it is depends on nothing about the person. So
the page's number and its report together are ε-private over all answers of the person at once:

    Q(page, z | values) = weight_page / Σ weights · Q_page(z | the page's value).

A report is the page's number, in one or two bytes, and the page's report with zeros after it, so
that all reports are equally long.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar, Self

from ...errors import InvalidSurvey
from ...errors.arguments import is_whole
from ..entropy import Stream
from .base import Mechanism, Randomizer, exactly
from .registry import by_name

__all__ = ["MOST_PAGES", "MOST_WEIGHT", "Paged"]

MOST_PAGES = 2**16
# The largest sum of weights.
MOST_WEIGHT = 2**32


class Paged(Randomizer):
    r"""One of several mechanisms, drawn with integer weights.

    Parameters
    ----------
    parts : sequence of Mechanism
        The pages' mechanisms, of one privacy level.
    weights : sequence of int
        How likely each is drawn, at least 1.

    >>> from privet.mechanisms import KSubset
    >>> pages = Paged([KSubset(3, 1.0), KSubset(4, 1.0)], [2, 1])
    >>> pages.report_bytes, pages.probability(b"\x01\x02", [0, 1]) > 0
    (2, True)

    """

    name: ClassVar[str] = "paged"
    parts: tuple[Mechanism, ...]
    weights: tuple[int, ...]

    def __init__(self, parts: Sequence[Mechanism], weights: Sequence[int]) -> None:
        parts, weights = tuple(parts), tuple(weights)
        if not 1 <= len(parts) <= MOST_PAGES:
            raise self._error("parts", f"1 to {MOST_PAGES} mechanisms", len(parts))
        if len({part.epsilon for part in parts}) > 1:
            raise self._error("parts", "mechanisms of one epsilon", list(parts))
        if len(weights) != len(parts) or not all(is_whole(one) and one > 0 for one in weights):
            raise self._error("weights", f"{len(parts)} integers > 0", list(weights))
        if sum(weights) > MOST_WEIGHT:
            raise self._error("weights", f"integers that add up to at most {MOST_WEIGHT}", weights)
        d = sum(part.d for part in parts)
        self._freeze(
            d=d, epsilon=parts[0].epsilon, parts=parts, weights=tuple(int(one) for one in weights)
        )

    @property
    def needs_secret(self) -> bool:
        """Whether a page has a permanent response."""
        return any(part.needs_secret for part in self.parts)

    def __repr__(self) -> str:
        return f"Paged({len(self.parts)} pages, epsilon={self.epsilon})"

    @property
    def parameters(self) -> dict[str, Any]:
        """The integers of all pages."""
        pages = [
            {"weight": weight, "d": part.d, "name": part.name, "parameters": part.parameters}
            for weight, part in zip(self.weights, self.parts, strict=True)
        ]
        return {"pages": pages}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing integers that would break the promise of ε."""
        pages = parameters["pages"]
        for page in pages:
            if page["name"] not in by_name:
                raise InvalidSurvey(f"There is no mechanism {page['name']!r:.60}.")
        parts = [
            by_name[page["name"]].from_parameters(page["d"], epsilon, page["parameters"])
            for page in pages
        ]
        return cls(parts, [page["weight"] for page in pages])

    # --- the law of a report ------------------------------------------------------------------

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """The largest of the pages' ratios."""
        return max(part.likelihood_ratio for part in self.parts)

    @property
    def number_bytes(self) -> int:
        """In how many bytes a page's number is."""
        return 1 if len(self.parts) <= 1 << 8 else 2

    @cached_property
    def report_bytes(self) -> int:
        """A page's number, and the longest of the pages' reports."""
        return self.number_bytes + max(part.report_bytes for part in self.parts)

    @cached_property
    def stream_bytes(self) -> int:
        """A word for the page, and what the pages need at most."""
        return 8 + max(part.stream_bytes for part in self.parts)

    @property
    def server_steps(self) -> tuple[float, float]:
        """Those of the most expensive page for a report, and of all pages together at the end."""
        counting, decoding = zip(*(part.server_steps for part in self.parts), strict=True)
        return 1 + max(counting), sum(decoding)

    def _opened(self, report: bytes) -> tuple[int, bytes]:
        """Return the page's number and the rest of a report."""
        size = self.number_bytes
        return int.from_bytes(report[:size], "little"), report[size:]

    def problem(self, report: bytes) -> str | None:
        """Return why bytes are not a report, or None."""
        page, rest = self._opened(report)
        if page >= len(self.parts):
            return f"There is no page {page}; the last one is {len(self.parts) - 1}."
        size = self.parts[page].report_bytes
        if any(rest[size:]):
            return f"After the report of page {page}, all bytes must be 0."
        said = self.parts[page].problem(rest[:size])
        return said and f"Page {page}: {said}"

    def checked(self, value: Any) -> Any:
        """Return a value for each page as its `sample` takes it, or raise."""
        try:
            pairs = list(zip(self.parts, value, strict=True))
        except (TypeError, ValueError):
            raise self._error("value", f"{len(self.parts)} values", value) from None
        return [part.checked(one) for part, one in pairs]

    def _chance(self, report: bytes, value: Sequence[Any]) -> Fraction:
        page, rest = self._opened(report)
        part = self.parts[page]
        chance = exactly(self.weights[page], sum(self.weights))
        return chance * part.probability(rest[: part.report_bytes], value[page])

    # --- the sampler --------------------------------------------------------------------------

    @cached_property
    def ends(self) -> list[int]:
        """The sums of the weights of all pages up to each."""
        return [*accumulate(self.weights)]

    def draw(self, stream: Stream) -> int:
        """Return the number of a page."""
        return bisect_right(self.ends, stream.below(self.ends[-1]))

    def enclosed(self, page: int, report: bytes) -> bytes:
        """Return a page's report as one of the whole."""
        sent = page.to_bytes(self.number_bytes, "little") + report
        return sent.ljust(self.report_bytes, b"\0")

    def sample(self, value: Sequence[Any], stream: Stream) -> bytes:
        """Return one report for a value on each page."""
        page = self.draw(stream)
        return self.enclosed(page, self.parts[page].sample(value[page], stream))
