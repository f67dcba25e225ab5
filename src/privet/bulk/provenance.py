"""Which survey a file of reports belongs to, as the file says.

privet's own files carry the survey in the Parquet metadata. Spark writes nothing of a user's there,
but keeps a note on a column: so each file that Spark writes carries the survey's id and fingerprint
with the column `report`. The note is committed with the file and stays with it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..analysis.columns import arrow
from ..device.contract import Contract
from ..errors import InvalidFile, SurveyMismatch
from .reading import reading
from .seals import damaged, read_seal

__all__ = ["PARQUET", "SPARK_KEY", "SURVEY_KEY", "carried_survey", "check_survey", "column_note"]

SURVEY_KEY = b"privet.survey"
PARQUET = b"PAR1"
# Where Spark keeps its description of a file's columns.
SPARK_KEY = b"org.apache.spark.sql.parquet.row.metadata"


def column_note(survey: Contract) -> dict[str, dict[str, str]]:
    """Return the note for Spark to keep on the column `report`."""
    return {SURVEY_KEY.decode(): {"id": survey.id, "fingerprint": survey.fingerprint}}


def carried_survey(path: Path) -> Contract | None:
    """Return the survey that a file of reports carries, if it is such a file and carries one."""
    with path.open("rb") as file:
        if file.read(len(PARQUET)) != PARQUET:
            return None
    read_seal(path)  # which refuses a damaged footer
    with (
        reading(path, "a Parquet file of reports"),
        arrow().OSFile(os.fsencode(path)) as raw,
        arrow("parquet").ParquetFile(raw) as file,
    ):
        metadata, again = file.schema_arrow.metadata or {}, file.metadata.metadata or {}
    if SURVEY_KEY not in metadata:
        return None
    # Arrow keeps the metadata twice, so that also a file without a seal shows damage to them.
    if again.get(SURVEY_KEY, metadata[SURVEY_KEY]) != metadata[SURVEY_KEY]:
        raise damaged(path, "the survey in the metadata")
    return _parsed(path, metadata[SURVEY_KEY])


def _parsed(path: object, text: bytes) -> Contract:
    try:
        return Contract.from_json(text)
    except ValueError as error:
        raise InvalidFile(f"{path}: the survey in the metadata: {error}") from None


def check_survey(path: object, metadata: Mapping[bytes, bytes], survey: Contract) -> None:
    """Raise SurveyMismatch if a file's metadata says that its reports are of another survey."""
    identifier, fingerprint = survey.id, survey.fingerprint
    # Metadata of another shape says nothing of a survey.
    with suppress(KeyError, StopIteration, TypeError, ValueError, RecursionError):
        fields = json.loads(metadata[SPARK_KEY])["fields"]
        notes = next(field["metadata"] for field in fields if field["name"] == "report")
        note = notes[SURVEY_KEY.decode()]
        identifier, fingerprint = note["id"], note["fingerprint"]
    text = metadata.get(SURVEY_KEY)
    if text is not None and text != survey.to_json().encode():
        other = _parsed(path, text)
        identifier, fingerprint = other.id, other.fingerprint
    if fingerprint != survey.fingerprint:
        raise SurveyMismatch(
            f"{path}: these are reports of another survey, {identifier!r:.70} "
            f"({str(fingerprint)[:12]}…), not of {survey.id!r} ({survey.fingerprint[:12]}…)."
        )
