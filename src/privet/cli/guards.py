"""Guard rails: arguments in the wrong place, surveys that would be lost, privacy that is thin."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import exp
from pathlib import Path

import click

from ..bulk.paths import OnePath
from ..bulk.provenance import carried_survey
from ..device.contract import Contract
from ..device.survey import Survey
from ..errors import InvalidFile, PrivetError
from .output import plural, say

# Groups with fewer reports single people out, and have no estimate to speak of.
LEAST_GROUP = 10
_WEAK = 5.0
_NO_SURVEYS = {b"PAR1": "a Parquet file", b"privetT": "a tally"}
_NOT_BYTES = {
    ".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".xlsx", ".xls", ".ods",
}  # fmt: skip


def read_survey(path: Path) -> Survey:
    """Read a survey, and nothing else, from its own file or from a file of reports."""
    found = read_contract(path).only
    if found is None:
        raise InvalidFile(f"{path}: this is a questionnaire; see privet questionnaire.")
    return found


def read_contract(path: Path, others: Sequence[OnePath] = ()) -> Contract:
    """Read a survey or questionnaire from its own file, or from reports, which carry it.

    Where it is among the other files instead, that is said.
    """
    carried = carried_survey(path) if path.is_file() else None
    try:
        return carried or Contract.read(path)
    except PrivetError:
        _refuse_swapped(path, others)
        for mark, what in _NO_SURVEYS.items():
            if path.is_file() and _begins(path, mark):
                rule = f"{what}, which carries no survey; the survey's own file comes first"
                raise InvalidFile(f"{path}: {rule}.") from None
        raise


def survey_and_reports(path: Path, reports: Sequence[OnePath]) -> tuple[Contract, list[OnePath]]:
    """Return the survey, and the reports: the first file too, if it carries the survey."""
    carried = carried_survey(path) if path.is_file() else None
    if carried is not None:
        _refuse_swapped(path, reports)
        return carried, [path, *reports]
    found = read_contract(path, reports)
    if not reports:
        raise click.UsageError("Missing argument 'REPORTS...'.")
    return found, [*reports]


def _refuse_swapped(path: Path, others: Sequence[OnePath]) -> None:
    for other in others:
        if is_survey(Path(other)):
            rule = f"The survey comes first: {other} is one, {path} is not."
            raise click.UsageError(rule) from None


def _begins(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def is_survey(path: Path) -> bool:
    """Say whether a file is a survey."""
    return path.is_file() and _begins(path, b"{") and _contract_in(path) is not None


def _contract_in(path: Path) -> Contract | None:
    try:
        return Contract.read(path)
    except PrivetError:
        return None


def refuse_reports(answers: Sequence[Path], out: Path) -> None:
    """Refuse reports in place of answers, and a file of text in place of one for reports."""
    for path in filter(Path.is_file, answers):
        with suppress(PrivetError):  # which is said when it is read
            if carried_survey(path) is not None:
                raise click.UsageError(f"{path}: these are reports already, and no answers.")
    if out.suffix.lower() in _NOT_BYTES:
        name = out.with_suffix(".parquet").name
        raise click.UsageError(f"{out}: reports are bytes, written as Parquet; call it {name}.")


def keep_another(path: Path, survey: Contract) -> None:
    """Refuse to replace a file, unless it is this very survey."""
    if not path.is_file() or not path.stat().st_size:
        return
    before = _contract_in(path)
    if before != survey:
        what = "something else" if before is None else f"another survey, {before.id!r}"
        raise click.UsageError(f"{path}: there is {what}; --force replaces it.")


def note_epsilon(epsilon: float) -> None:
    """Say what a large ε means."""
    if epsilon > _WEAK:
        say(
            f"Note: at ε = {epsilon:g}, a report may be {exp(epsilon):,.0f} times as likely under "
            "one answer as under another, which protects little."
        )


def note_groups(by: Sequence[str], sizes: Sequence[int], epsilon: float) -> None:
    """Say that groups are so small that they single people out."""
    few = [size for size in sizes if size < LEAST_GROUP]
    if not few:
        return
    names, most = ", ".join(by), max(few)
    small = f"{len(few):,} of {plural(len(sizes), 'group')} by {names}"
    say(f"Note: fewer than {LEAST_GROUP} reports in {small}; that singles people out.")
    if 2 * len(few) > len(sizes):
        several = f", and {most} reports of one may reveal as much as one at ε = {most * epsilon:g}"
        say(f"Note: {names} may identify people{several if most > 1 else ''}.")
