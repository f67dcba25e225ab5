"""A questionnaire out of the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..analysis.kinds.several import SEPARATOR
from ..bulk import count_answers
from ..device.answers.scale import Scale
from ..device.answers.several import Several
from ..device.questionnaire import Questionnaire
from ..device.survey import Survey
from ..device.values import in_order
from ..device.wording import slug
from ..errors import InvalidFile
from .kinds import RANGE
from .options import Reading
from .terminal import progress

# A column with more different answers is hardly a choice of categories.
_MOST_CATEGORIES = 100
_DEFAULT_MOST = 3


def questionnaire_from(
    paths: Sequence[Path],
    *,
    title: str | None,
    epsilon: float | None,
    columns: Sequence[str],
    several: Sequence[str],
    scales: Sequence[str],
    tables: Sequence[str],
    reading: Reading,
) -> Questionnaire:
    """Return a questionnaire with a question for each of these columns, in this order."""
    if title is None or epsilon is None:
        raise click.UsageError("--from needs --title and --epsilon.")
    for one in scales:
        if "=" not in one:
            raise click.UsageError(f"--scale is COLUMN=LOW:HIGH, not {one!r}.")
    lists, numbers = (_by_column(given) for given in (several, scales))
    names = [*dict.fromkeys([*columns, *lists, *numbers])]
    if not names:
        raise click.UsageError("--from needs a --column, --several or --scale.")
    surveys = []
    for name in names:
        if name in numbers:
            answers: Any = Scale(*RANGE.convert(numbers[name], None, click.get_current_context()))
        else:
            answers = _categories(paths, name, reading, listed=name in lists)
            if name in lists:
                answers = _several(answers, lists[name])
        surveys.append(Survey(name, answers, epsilon, id=slug(name, "question")))
    asked = [tuple(slug(part.strip(), "") for part in one.split(",")) for one in tables]
    return Questionnaire(title, surveys, epsilon, tables=asked)


def _by_column(given: Sequence[str]) -> dict[str, str]:
    """Return what is said of each column, as in COLUMN=WHAT."""
    parts = (one.partition("=") for one in given)
    return {name: said for name, _, said in parts}


def _several(found: Sequence[str], most: str) -> Any:
    if most and not most.isdecimal():
        raise click.UsageError(f"--several is COLUMN or COLUMN=MOST, not {most!r}.")
    return Several(found, int(most or min(_DEFAULT_MOST, len(found))))


def _categories(paths: Sequence[Path], column: str, reading: Reading, *, listed: bool) -> list[str]:
    """Return the different answers of a column, or the options that its cells hold."""
    counted = count_answers(paths, column, progress=progress, **reading.options())
    found = [*counted.counts]
    if listed:
        parts = {part.strip() for answer in found for part in answer.split(SEPARATOR)}
        found = in_order(parts - {""})
    if len(found) > _MOST_CATEGORIES:
        raise InvalidFile(
            f"The column {column!r} has {len(found):,} different answers, which is more than "
            f"{_MOST_CATEGORIES}: if they are numbers, use --scale {column}=LOW:HIGH; if not, "
            "write a draft with the categories to ask for."
        )
    return found
