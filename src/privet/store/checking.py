"""All reports counted again, and compared with what the store says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidReport, InvalidTally, SurveyMismatch
from .folding import read_tally, waiting

if TYPE_CHECKING:
    from ..contract import Contract
    from .database import Run

__all__ = ["problem"]


def problem(run: Run, contract: Contract, *, counts_only: bool) -> str | None:
    """Return in what chunks, tally and inbox disagree, or None. To be run in one snapshot."""
    try:
        tally = read_tally(run, contract)
    except (InvalidTally, SurveyMismatch) as error:
        return str(error)
    recount, n, size = contract.tally(), 0, contract.mechanism.report_bytes
    chunks = run("SELECT id FROM chunks WHERE survey = ? ORDER BY id", contract.id).fetchall()
    for (chunk,) in chunks:
        said, reports = run("SELECT n, reports FROM chunks WHERE id = ?", chunk).fetchone()
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
