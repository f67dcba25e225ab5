"""Names: texts in their order, and where an answer is among them."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cached_property
from itertools import count
from unicodedata import normalize

from ...errors import InvalidAnswer
from ..values import plain, text_of

__all__ = ["Names"]

# Looking for the nearest name compares with all of them.
_MOST_TO_COMPARE = 10_000


class Names(tuple[str, ...]):
    """The names of categories, options or cells.

    >>> names = Names(["tea", "1"])
    >>> names.place("tea"), names.place(1.0), names.place("milk"), names.nearest("Tea")
    (0, 1, -1, 'tea')
    """

    # Not __slots__ = (): what is looked up is kept.

    def index_of(self, answer: object) -> int:
        """Return the position of an answer, or raise InvalidAnswer."""
        place = self.place(answer)
        if place < 0:
            text = text_of(answer)
            raise InvalidAnswer(text, nearest=self.nearest(text))
        return place

    def place(self, answer: object) -> int:
        """Return the position of an answer, -1 if it is none of them.

        Numbers, truth values and dates are taken by their text, however that is spelled: 1.0 and
        "1.0" are the name "1", unless there is another that is spelled just so.
        """
        place = self.positions.get(answer) if type(answer) is str else None
        if place is not None:
            return place

        text = text_of(answer)
        if not isinstance(text, str):
            return -1
        text = normalize("NFC", text)
        place = self.positions.get(text)
        return self._plain_positions.get(plain(text), -1) if place is None else place

    def nearest(self, answer: object) -> str | None:
        """Return the name spelled most like an answer, if any is close."""
        if not isinstance(answer, str) or len(self) > _MOST_TO_COMPARE:
            return None

        folded = {name.casefold(): name for name in self}
        close = get_close_matches(answer.strip().casefold(), folded, n=1)
        return folded[close[0]] if close else None

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each name."""
        return dict(zip(self, count()))

    @cached_property
    def _plain_positions(self) -> dict[str, int]:
        """The positions by plain spelling, the first where several share it."""
        places = reversed(list(enumerate(self)))
        return {plain(name): position for position, name in places}
