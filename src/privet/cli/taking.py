"""The categories that people's answers make, and what looks wrong with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..analysis.cleaning import means_missing
from ..bulk import count_answers
from ..bulk.answers import CountedAnswers
from ..device.values import is_number
from ..errors import InvalidFile
from .output import plural, taken
from .terminal import progress

# With fewer answers, one that stands out says nothing.
_MANY = 10


def take_categories(
    paths: Sequence[Path],
    column: str | None,
    count: str | None,
    top: int | None,
    given: Collection[str],
    **reading: Any,
) -> tuple[list[str], list[str]]:
    """Return the different answers in files, and lines that say what was taken and looks wrong.

    Their order does not say how frequent they are. What is `given` is a category for sure; other
    answers that may be none are refused, or noted. How files are read is as count_answers takes it.
    """
    found = count_answers(paths, column, count=count, progress=progress, **reading)
    counts, rows = found.counts, found.rows
    for refuse in (_refuse_no_answers, _refuse_header, _refuse_space):
        refuse(found, given)
    said = [taken(paths, found.column, rows=rows, different=len(counts), missing=found.missing)]
    for note in (_number_for_a_name, _case_alone, _second_header):
        said += note(found)
    frequent = {*sorted(counts, key=lambda answer: -counts[answer])[:top]}
    return [answer for answer in counts if answer in frequent], said


def _refuse_no_answers(found: CountedAnswers, given: Collection[str]) -> None:
    """Ask what NA and the like mean."""
    for answer, count in found.counts.items():
        if answer not in given and means_missing(answer):
            raise InvalidFile(
                f"The column {found.column!r} has {plural(count, 'answer')} {answer!r}. If that "
                f"means that there is none, use --na {answer}; if it is an answer, -c {answer}."
            )


def _refuse_header(found: CountedAnswers, given: Collection[str]) -> None:
    """Notice a file without a header, whose first answer was taken for one, or with several."""
    name, counts = found.column, found.counts
    if name in counts and name not in given:
        raise InvalidFile(
            f"The column's name, {name!r}, is among the answers: the file has no header, and needs "
            f"one, or has it twice. If {name!r} is an answer and a name, use -c {name}."
        )


def _refuse_space(found: CountedAnswers, given: Collection[str]) -> None:
    if spaced := [answer for answer in found.counts if answer != answer.strip()]:
        raise InvalidFile(
            f"The column {found.column!r} has answers with space around them, such as "
            f"{spaced[0]!r}.",
            parameter="strip",
        )


def _number_for_a_name(found: CountedAnswers) -> Iterator[str]:
    """Notice a number that may be the first answer of a file without a header."""
    if all(map(is_number, (found.column, *found.counts))):
        yield f"Note: the column's name is a number, {found.column}, like its answers."


def _case_alone(found: CountedAnswers) -> Iterator[str]:
    alike = defaultdict(list)
    for answer in found.counts:
        alike[answer.casefold()].append(repr(answer))
    several = [" and ".join(texts) for texts in alike.values() if len(texts) > 1]
    if several:
        yield f"Note: {several[0]} differ in case alone; --ignore-case makes them one category."


def _second_header(found: CountedAnswers) -> Iterator[str]:
    """Notice a line such as the wording of a question, above answers that are codes."""
    words = [answer for answer in found.counts if not is_number(answer)]
    if len(words) == 1 and found.counts[words[0]] == 1 and found.counts.total() >= _MANY:
        yield f"Note: all answers but {words[0]!r}, given once, are numbers; is it a second header?"
