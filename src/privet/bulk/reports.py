"""Reports files: Parquet with one fixed-size binary column `report` and the survey beside it.

Messages count reports as people do: the first is report 1.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidFile, InvalidReport, SurveyMismatch
from ..files import replacing
from ..survey import Survey
from .arrow import arrow, reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    from numpy.typing import NDArray

_SURVEY_KEY = b"privet.survey"
_BATCH_BYTES = 1 << 22
_BUFFER_BYTES = 1 << 20
# Reports are random bytes: neither dictionaries nor compression can shorten them, and only a
# checksum can tell that they are damaged.
_OPTIONS = {"use_dictionary": False, "compression": "none", "write_page_checksum": True}


class ReportsWriter:
    """Write reports of one survey to a file, which appears when the block ends without error."""

    def __init__(self, path: Path, survey: Survey) -> None:
        self._path = path
        self._survey = survey

    def __enter__(self) -> Self:
        pa, parquet = arrow(), arrow("parquet")
        kind = pa.binary(self._survey.mechanism.report_bytes)
        self._schema = pa.schema(
            [pa.field("report", kind, nullable=False)],
            metadata={_SURVEY_KEY: self._survey.to_json().encode()},
        )
        with ExitStack() as stack:
            temporary = stack.enter_context(replacing(self._path))
            self._writer = stack.enter_context(
                parquet.ParquetWriter(temporary, self._schema, **_OPTIONS)
            )
            self._stack = stack.pop_all()
        return self

    def write(self, reports: NDArray[np.uint8]) -> None:
        """Append reports, uint8 (n, report_bytes)."""
        pa, kind = arrow(), self._schema.field("report").type
        if reports.dtype != np.uint8 or reports.shape[1:] != (kind.byte_width,):
            raise InvalidReport(
                f"An array of reports must be uint8 of shape (n, {kind.byte_width}). "
                f"Got {reports.dtype} of shape {reports.shape} instead."
            )
        buffers = [None, pa.py_buffer(np.ascontiguousarray(reports))]
        column = pa.Array.from_buffers(kind, len(reports), buffers)
        self._writer.write_batch(pa.record_batch([column], schema=self._schema))

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)


def read_reports(path: Path, survey: Survey) -> Iterator[NDArray[np.uint8]]:
    """Yield chunks of reports, uint8 (n, report_bytes), refusing those of another survey."""
    parquet = arrow("parquet")
    with (
        reading(path, "a Parquet file of reports"),
        parquet.ParquetFile(
            path, page_checksum_verification=True, pre_buffer=False, buffer_size=_BUFFER_BYTES
        ) as file,
    ):
        _check_schema(path, file.schema_arrow, survey)
        rows = max(1, _BATCH_BYTES // survey.mechanism.report_bytes)
        first = 1
        for batch in file.iter_batches(batch_size=rows, columns=["report"]):
            yield _as_array(path, batch.column(0), first)
            first += len(batch)


def _check_schema(path: Path, schema: Any, survey: Survey) -> None:
    text = (schema.metadata or {}).get(_SURVEY_KEY)
    if text is not None:
        try:
            other = Survey.from_json(text)
        except ValueError as error:
            raise InvalidFile(f"{path}: the survey beside the reports: {error}") from None
        if other != survey:
            raise SurveyMismatch(
                f"{path}: these are reports of another survey, {other.id!r} "
                f"({other.fingerprint[:12]}…), not of {survey.id!r} ({survey.fingerprint[:12]}…)."
            )
    if schema.names.count("report") != 1:
        names = ", ".join(repr(name) for name in schema.names)
        raise InvalidFile(f"{path}: there must be one column 'report'; the columns are {names}.")
    kind, size = schema.field("report").type, survey.mechanism.report_bytes
    if kind != arrow().binary(size):
        raise InvalidReport(
            f"{path}: a report of this survey is fixed_size_binary[{size}], the column is {kind}."
        )


def _as_array(path: Path, column: Any, first: int) -> NDArray[np.uint8]:
    if column.null_count:
        row = first + int(np.argmax(column.is_null()))
        raise InvalidFile(f"{path}, report {row}: the report is missing (null).")
    size = column.type.byte_width
    data = np.frombuffer(column.buffers()[1], dtype=np.uint8)
    begin = column.offset * size
    return data[begin : begin + len(column) * size].reshape(-1, size)
