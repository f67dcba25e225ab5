"""The survey that is kept beside the reports that Spark writes.

privet's own files have the survey in the Parquet metadata. Spark writes nothing of a user's there,
but does keep what is said of a column: so each file that it writes carries, with the column
`report`, the survey's id and fingerprint. They are committed with the file and stay with it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import SurveyMismatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..survey import Survey

__all__ = ["COLUMNS_KEY", "check_kept", "kept_beside"]

# Where Spark keeps its description of a file's columns, in the Parquet metadata.
COLUMNS_KEY = b"org.apache.spark.sql.parquet.row.metadata"
_SURVEY_KEY = "privet.survey"


def kept_beside(survey: Survey) -> dict[str, dict[str, str]]:
    """Return what is to be said of the column `report`."""
    return {_SURVEY_KEY: {"id": survey.id, "fingerprint": survey.fingerprint}}


def check_kept(where: object, metadata: Mapping[bytes, bytes], survey: Survey) -> None:
    """Raise SurveyMismatch if a file's metadata says that Spark wrote reports of another survey."""
    identifier, fingerprint = survey.id, survey.fingerprint
    with suppress(KeyError, StopIteration, TypeError, ValueError):  # it says nothing of a survey
        fields = json.loads(metadata[COLUMNS_KEY])["fields"]
        kept = next(field["metadata"] for field in fields if field["name"] == "report")
        identifier, fingerprint = kept[_SURVEY_KEY]["id"], kept[_SURVEY_KEY]["fingerprint"]
    if fingerprint != survey.fingerprint:
        raise SurveyMismatch(
            f"{where}: these are reports of another survey, {identifier!r} "
            f"({str(fingerprint)[:12]}…), not of {survey.id!r} ({survey.fingerprint[:12]}…)."
        )
