"""Reports files: Parquet with one fixed-size binary column `report` and the survey beside it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidFile, InvalidReport, SurveyMismatch
from ..files import replacing
from ..survey import Survey
from .arrow import arrow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    from numpy.typing import NDArray

_SURVEY_KEY = b"privet.survey"
_BATCH_BYTES = 1 << 22


class ReportsWriter:
    """Write reports of one survey to a file, which appears when the block ends without error."""

    def __init__(self, path: Path, survey: Survey) -> None:
        self._path = path
        self._survey = survey
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        pa, parquet = arrow(), arrow("parquet")
        kind = pa.binary(self._survey.mechanism.report_bytes)
        self._schema = pa.schema(
            [pa.field("report", kind, nullable=False)],
            metadata={_SURVEY_KEY: self._survey.to_json().encode()},
        )
        temporary = self._stack.enter_context(replacing(self._path))
        # Reports are random bytes: neither dictionaries nor compression can shorten them.
        self._writer = self._stack.enter_context(
            parquet.ParquetWriter(temporary, self._schema, use_dictionary=False, compression="none")
        )
        return self

    def write(self, reports: NDArray[np.uint8]) -> None:
        """Append reports, uint8 (n, report_bytes)."""
        pa = arrow()
        buffers = [None, pa.py_buffer(np.ascontiguousarray(reports))]
        column = pa.Array.from_buffers(self._schema.field(0).type, len(reports), buffers)
        self._writer.write_batch(pa.record_batch([column], schema=self._schema))

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)


def read_reports(path: Path, survey: Survey) -> Iterator[NDArray[np.uint8]]:
    """Yield chunks of reports, uint8 (n, report_bytes), refusing those of another survey."""
    pa, parquet = arrow(), arrow("parquet")
    try:
        with parquet.ParquetFile(path) as file:
            _check_schema(path, file.schema_arrow, survey)
            rows = max(1, _BATCH_BYTES // survey.mechanism.report_bytes)
            for batch in file.iter_batches(batch_size=rows, columns=["report"]):
                yield _as_array(path, batch.column(0))
    except pa.ArrowInvalid as error:
        raise InvalidFile(f"{path}: not a Parquet file of reports: {error}") from None


def _check_schema(path: Path, schema: Any, survey: Survey) -> None:
    text = (schema.metadata or {}).get(_SURVEY_KEY)
    if text is not None:
        other = Survey.from_json(text)
        if other != survey:
            raise SurveyMismatch(
                f"{path}: these are reports of another survey, {other.id!r} "
                f"({other.fingerprint[:12]}…), not of {survey.id!r} ({survey.fingerprint[:12]}…)."
            )
    if "report" not in schema.names:
        names = ", ".join(repr(name) for name in schema.names)
        raise InvalidFile(f"{path}: there is no column 'report'; the columns are {names}.")
    kind, size = schema.field("report").type, survey.mechanism.report_bytes
    if kind != arrow().binary(size):
        raise InvalidReport(
            f"{path}: a report of this survey is fixed_size_binary[{size}], the column is {kind}."
        )


def _as_array(path: Path, column: Any) -> NDArray[np.uint8]:
    if column.null_count:
        raise InvalidFile(f"{path}: a report is missing (null).")
    size = column.type.byte_width
    data = np.frombuffer(column.buffers()[1], dtype=np.uint8)
    begin = column.offset * size
    return data[begin : begin + len(column) * size].reshape(-1, size)
