"""The categories that people's answers make, and what looks wrong with them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .output import plural, printable, say, taken
from .terminal import progress

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from ..bulk import Cleaning
    from ..bulk.answers import Counted

# With fewer answers, one that stands out says nothing.
_MANY = 10


def take_categories(
    paths: Sequence[Path],
    column: str | None,
    top: int | None,
    delimiter: str | None,
    cleaning: Cleaning,
    given: Collection[str],
) -> list[str]:
    """Return the different answers in files, in an order that does not say how frequent they are.

    What is `given` is a category for sure. Other answers that may be none are refused, or noted.
    """
    from ..bulk import count_answers

    found = count_answers(paths, column, cleaning=cleaning, delimiter=delimiter, progress=progress)
    counts, rows = found.counts, found.counts.total() + found.missing
    _refuse_no_answers(found, given)
    _refuse_header(found, given)
    _refuse_space(found)
    say(taken(paths, found.column, rows=rows, different=len(counts), missing=found.missing))
    _note_case(counts)
    _note_labels(found)
    frequent = sorted(counts, key=lambda answer: -counts[answer])[:top]
    return [answer for answer in counts if answer in {*frequent}]


def _refuse_no_answers(found: Counted, given: Collection[str]) -> None:
    """Ask what NA and the like mean."""
    from ..analysis.cleaning import means_missing
    from ..errors import InvalidFile

    for answer, count in found.counts.items():
        if answer not in given and means_missing(answer):
            raise InvalidFile(
                f"The column {found.column!r} has {plural(count, 'answer')} {answer!r}. If that "
                f"means that there is none, use --na {answer}; if it is an answer, -c {answer}."
            )


def _refuse_header(found: Counted, given: Collection[str]) -> None:
    """Notice a file without a header, whose first answer was taken for one, or with several."""
    from ..errors import InvalidFile
    from ..values import is_number

    name, counts = found.column, found.counts
    if name in counts and name not in given:
        raise InvalidFile(
            f"The column's name, {name!r}, is among the answers: the file has no header, or has "
            f"one again further down. If it is an answer, use -c {name}."
        )
    if is_number(name) and all(map(is_number, counts)):
        say(f"Note: the column's name is a number, {name}, like its answers; is it a header?")


def _refuse_space(found: Counted) -> None:
    from ..errors import InvalidFile

    if spaced := [answer for answer in found.counts if answer != answer.strip()]:
        raise InvalidFile(
            f"The column {found.column!r} has answers with space around them, such as "
            f"{spaced[0]!r}.",
            parameter="strip",
        )


def _note_case(counts: Collection[str]) -> None:
    alike = defaultdict(list)
    for answer in counts:
        alike[answer.casefold()].append(answer)
    if several := [texts for texts in alike.values() if len(texts) > 1]:
        shown = " and ".join(map(repr, several[0]))
        say(f"Note: {shown} differ in case alone; --ignore-case makes them one category.")


def _note_labels(found: Counted) -> None:
    """Notice a second header, such as the wording of a question, above answers that are codes."""
    from ..values import is_number

    words = [answer for answer in found.counts if not is_number(answer)]
    if len(words) == 1 and found.counts[words[0]] == 1 and found.counts.total() >= _MANY:
        shown = printable(repr(words[0]))
        say(f"Note: all answers but {shown}, given once, are numbers; is it a second header?")
