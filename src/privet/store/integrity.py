"""All that a store has, looked at once more: reports are counted again, and nothing is strange."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..device.contract import Contract
from ..errors import InvalidReport, InvalidSurvey, InvalidTally, SurveyMismatch
from .database import Run
from .folding import read_tally, waiting, waiting_keys

__all__ = ["problem", "strays"]

_RESTORE = "restore a backup that 'privet store check' passes"
_HASH_BYTES = 32


def problem(run: Run, id: str, text: bytes, *, counts_only: bool) -> str | None:
    """Return what is wrong with a survey, or None. To be run in one snapshot."""
    try:
        contract = Contract.from_json(text)
    except InvalidSurvey as error:
        return f"its contract cannot be read: {str(error).rstrip('.')}; {_RESTORE}"
    if contract.id != id:
        return f"its contract is another survey's, {contract.id!r}: {_RESTORE}"
    return _miscounted(run, contract, counts_only=counts_only) or _lost_keys(run, id)


def strays(run: Run, tables: Iterable[str]) -> Iterator[str]:
    """Say which rows are not of any survey."""
    for table in tables:
        select = (
            f"SELECT survey, COUNT(*) FROM {table} WHERE survey NOT IN "  # noqa: S608
            "(SELECT id FROM surveys WHERE state <> 'deleted') GROUP BY survey ORDER BY survey"
        )
        for survey, rows in run(select).fetchall():
            yield (
                f"the table {table!r} has rows of {survey!r}, which is not a survey here "
                f"({rows} in all): {_RESTORE}, or delete them"
            )


def _lost_keys(run: Run, id: str) -> str | None:
    """Return what is wrong with a survey's keys; those that 0.2 counted are not all known."""
    damaged = (
        "SELECT COUNT(*) FROM keys WHERE survey = $1 AND (LENGTH(key) <> $2 OR LENGTH(seal) <> $3)"
    )
    (count,) = run(damaged, id, _HASH_BYTES, _HASH_BYTES).fetchone()
    if count:
        return f"{count} of its keys are damaged, and no longer keep reports from counting twice"
    (there,) = run("SELECT COUNT(*) FROM keys WHERE survey = $1", id).fetchone()
    total = run("SELECT keys FROM key_totals WHERE survey = $1", id).fetchone()
    counted = waiting_keys(run, id) + (total[0] if total else 0)
    if there < counted:
        return (
            f"{counted - there} of its {counted} keys are missing, and reports that are sent again "
            f"would count twice: {_RESTORE}"
        )
    return None


def _miscounted(run: Run, contract: Contract, *, counts_only: bool) -> str | None:
    """Return in what chunks, tally and inbox disagree."""
    try:
        tally = read_tally(run, contract)
    except (InvalidTally, SurveyMismatch) as error:
        return str(error)
    recount, n, size = contract.tally(), 0, contract.mechanism.report_bytes
    chunks = run("SELECT id FROM chunks WHERE survey = $1 ORDER BY id", contract.id).fetchall()
    for (chunk,) in chunks:
        said, reports = run("SELECT n, reports FROM chunks WHERE id = $1", chunk).fetchone()
        n += said
        if counts_only:
            continue
        if reports is None or len(reports) != said * size:
            return f"chunk {chunk} should have {said} reports of {size} bytes"
        try:
            recount.update(np.frombuffer(reports, np.uint8).reshape(-1, size))
        except InvalidReport as error:
            return f"chunk {chunk}: {error}"
    if n != tally.n:
        return f"the tally is of {tally.n} reports, and there are {n}"
    if not counts_only and recount != tally:
        return "the tally is not the sum of the reports"
    try:
        contract.tally().update(waiting(run, contract)[1])
    except ValueError as error:  # of a row that is no whole number of reports too
        return f"inbox: {error}"
    return None
