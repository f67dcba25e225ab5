"""Cleaning: the text that an answer is taken for, and what becomes of missing and unknown ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from ..errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..survey import Survey

__all__ = ["MISSING", "UNKNOWN", "Cleaning", "means_missing"]

# In place of a position among the categories.
UNKNOWN, MISSING = -1, -2
# What other programs write for no answer; it may also be one, such as Namibia's code.
_NO_ANSWER = {"na", "n/a", "#n/a", "<na>", "nan", "nat", "null"}


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

    def place(self, survey: Survey, answer: Any) -> int:
        """Return the position of an answer among the categories, or MISSING, or UNKNOWN."""
        text = self.text(answer)
        if text is None:
            return MISSING
        place = survey.place(text)
        if place < 0 and self.ignore_case and isinstance(text, str):
            return _folded(survey).get(self.fold(text), UNKNOWN)
        return place

    def check(self, owner: str, survey: Survey) -> None:
        """Refuse what does not go with the survey."""
        for parameter, choice in (("missing", self.missing), ("unknown", self.unknown)):
            if choice not in ("error", "drop") and survey.place(choice) < 0:
                rule = "'error', 'drop' or a category of the survey"
                raise InvalidArgument(owner, parameter, rule, choice)
        if isinstance(self.na, str) or any(survey.place(text) >= 0 for text in self.na):
            rule = "texts that mean no answer, and no categories of the survey"
            raise InvalidArgument(owner, "na", rule, self.na)
        if self.ignore_case and len(_folded(survey)) < len(survey.categories):
            rule = "False where categories differ in case alone"
            raise InvalidArgument(owner, "ignore_case", rule, self.ignore_case)

    def remedy(self, survey: Survey, answer: Any) -> str | None:
        """Return the parameter that would help with an answer that is not found, if any."""
        if self.place(survey, answer) == MISSING:
            return "missing"
        if not isinstance(answer, str):
            return None
        for parameter in ("strip", "ignore_case"):
            if Cleaning(strip=True, ignore_case=parameter != "strip").place(survey, answer) >= 0:
                return parameter
        return "na" if means_missing(answer.strip()) else None


@lru_cache(maxsize=1)
def _folded(survey: Survey) -> dict[str, int]:
    """Return the positions of the categories by their text without case."""
    fold = Cleaning(ignore_case=True).fold
    return {fold(category): place for place, category in enumerate(survey.categories)}
