"""Cleaning: the text that an answer is taken for, and what becomes of missing and unknown ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from ..device.answers.names import Names
from ..device.survey import Survey
from ..errors import InvalidArgument

__all__ = ["AS_THEY_ARE", "MISSING", "UNKNOWN", "Cleaning", "means_missing"]

# In place of a position among the categories.
UNKNOWN, MISSING = -1, -2
# What other programs write for no answer; it may also be one, such as Namibia's code.
_NO_ANSWER = {"na", "n/a", "#n/a", "<na>", "nan", "nat", "null"}


# What may become of a missing answer, by the kind of answer.
def means_missing(text: str) -> bool:
    """Return whether a text may mean that there is no answer.

    >>> means_missing("NaN"), means_missing("none of these")
    (True, False)
    """
    return text.casefold() in _NO_ANSWER


@dataclass(frozen=True)
class Cleaning:
    """How answers are cleaned before they are looked up among a survey's categories.

    Parameters
    ----------
    strip : bool
        Leave out the space around an answer.
    ignore_case : bool
        Take "Tea" for "tea".
    na : sequence of str
        Texts that mean that there is no answer, such as "NA".
    missing : "error", "drop" or a category
        What becomes of a row without an answer: an error, no report, or a report of that category.
    unknown : "error", "drop" or a category
        The same for an answer that is no category.

    >>> Cleaning(strip=True, na=["NA"]).text(" tea "), Cleaning(na=["NA"]).text("NA")
    ('tea', None)

    """

    strip: bool = False
    ignore_case: bool = False
    na: Sequence[str] = ()
    missing: str = "error"
    unknown: str = "error"

    def fold(self, text: str) -> str:
        """Return a text as it is compared."""
        return normalize("NFC", text.casefold() if self.ignore_case else text)

    def text(self, answer: Any) -> Any:
        """Return the text of an answer, and None if there is none; bytes are no text, and stay."""
        if not isinstance(answer, str):
            return answer
        text = answer.strip() if self.strip else answer
        absent = self.na and self.fold(text) in map(self.fold, self.na)
        return None if not text or absent else text

    def place(self, names: Names, answer: Any) -> int:
        """Return the position of an answer among names, or MISSING, or UNKNOWN."""
        text = self.text(answer)
        if text is None:
            return MISSING
        place = names.place(text)
        if place < 0 and self.ignore_case and isinstance(text, str):
            return _folded(names).get(self.fold(text), UNKNOWN)
        return place

    def spelled(self, names: Names, answer: Any) -> Any:
        """Return the name that an answer is taken for, or else the answer."""
        place = self.place(names, answer)
        return names[place] if place >= 0 else answer

    def check(self, owner: str, survey: Survey) -> None:
        """Refuse what does not go with the survey."""
        names = survey.answers.names
        if isinstance(self.na, str) or any(names.place(text) >= 0 for text in self.na):
            rule = "texts that mean no answer, and no categories of the survey"
            raise InvalidArgument(owner, "na", rule, self.na)
        if self.ignore_case and len(_folded(names)) < len(names):
            rule = "False where categories differ in case alone"
            raise InvalidArgument(owner, "ignore_case", rule, self.ignore_case)

    def remedy(self, names: Names, answer: Any) -> str | None:
        """Return the parameter that would help with an answer that is not found, if any."""
        if self.place(names, answer) == MISSING:
            return "missing"
        if not isinstance(answer, str):
            return None
        for parameter in ("strip", "ignore_case"):
            if Cleaning(strip=True, ignore_case=parameter != "strip").place(names, answer) >= 0:
                return parameter
        return "na" if means_missing(answer.strip()) else None


AS_THEY_ARE = Cleaning()


@lru_cache(maxsize=1)
def _folded(names: Names) -> dict[str, int]:
    """Return the positions of names by their text without case."""
    fold = Cleaning(ignore_case=True).fold
    return {fold(name): place for place, name in enumerate(names)}
