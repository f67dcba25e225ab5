"""Reports files: Parquet with a binary column `report`, and the survey beside it.

Other columns are in the clear, and groups can be made by them. Messages count reports as people do:
the first is report 1.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.columns import arrow, as_reports
from ..errors import InvalidFile, InvalidReport, SurveyMismatch
from ..files import replacing
from ..survey import Survey
from .damage import reading
from .kept import check_kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from numpy.typing import NDArray

    from .groups import Groups

__all__ = ["ReportsFile", "ReportsWriter", "read_reports"]

SURVEY_KEY = b"privet.survey"
_BATCH_BYTES = 1 << 22
# A part is what one thread reads, and what is remembered of it takes a few hundred bytes.
_PART_BYTES = 1 << 23
_BUFFER_BYTES = 1 << 20


class ReportsWriter:
    """Write reports of one survey to a file, which appears when the block ends without error.

    With `groups`, each report has its group's values beside it, in the clear.
    """

    def __init__(self, path: Path, survey: Survey, groups: Groups | None = None) -> None:
        self._path = path
        self._survey = survey
        self._groups = groups
        self._waiting: list[Any] = []

    def __enter__(self) -> Self:
        pa, parquet = arrow(), arrow("parquet")
        by = self._groups.by if self._groups is not None else []
        text = pa.dictionary(pa.int32(), pa.string())
        self._schema = pa.schema(
            [
                pa.field("report", pa.binary(self._survey.mechanism.report_bytes), nullable=False),
                *(pa.field(name, text) for name in by),
            ],
            metadata={SURVEY_KEY: self._survey.to_json().encode()},
        )
        with ExitStack() as stack:
            temporary = stack.enter_context(replacing(self._path, private=True))
            # Reports are random bytes: neither dictionaries nor compression can shorten them, and
            # only a checksum can tell that they are damaged.
            self._writer = stack.enter_context(
                parquet.ParquetWriter(
                    temporary, self._schema, compression="none", write_page_checksum=True,
                    use_dictionary=by or False,
                )
            )  # fmt: skip
            self._stack = stack.pop_all()
        return self

    def write(self, reports: NDArray[np.uint8], numbers: NDArray[np.int32] | None = None) -> None:
        """Append reports, uint8 (n, report_bytes), and the numbers of their groups."""
        pa, kind = arrow(), self._schema.field("report").type
        if reports.dtype != np.uint8 or reports.shape[1:] != (kind.byte_width,):
            raise InvalidReport(
                f"An array of reports must be uint8 of shape (n, {kind.byte_width}). "
                f"Got {reports.dtype} of shape {reports.shape} instead."
            )
        buffers = [None, pa.py_buffer(np.ascontiguousarray(reports))]
        columns = [pa.Array.from_buffers(kind, len(reports), buffers)]
        if self._groups is not None and numbers is not None:
            columns += self._groups.columns(numbers)
        self._waiting.append(pa.record_batch(columns, schema=self._schema))
        if sum(batch.nbytes for batch in self._waiting) >= _PART_BYTES:
            self._write_part()

    def __exit__(self, kind: Any, *error: Any) -> None:
        with self._stack:  # which takes the error from here, if there is one
            if kind is None and any(len(batch) for batch in self._waiting):
                self._write_part()
            self._stack.__exit__(kind, *error)

    def _write_part(self) -> None:
        table = arrow().Table.from_batches(self._waiting).unify_dictionaries()
        self._writer.write_table(table, row_group_size=len(table))
        self._waiting = []


class ReportsFile:
    """A file of reports of one survey, read in parts; another survey's are refused.

    `parts` are Parquet's row groups; different threads may read different ones.
    """

    def __init__(self, path: Path, survey: Survey, by: Sequence[str] = ()) -> None:
        self.path = path
        self._survey = survey
        self._columns = ["report", *by]
        with self._open() as file:
            self._metadata = file.metadata
            check_schema(path, file.schema_arrow, survey, by)

    @property
    def n(self) -> int:
        """How many reports there are."""
        return int(self._metadata.num_rows)

    @cached_property
    def parts(self) -> list[int]:
        """The number, among people's, of the first report of each part."""
        sizes = [self._metadata.row_group(i).num_rows for i in range(self._metadata.num_row_groups)]
        return list(accumulate(sizes, initial=1))[:-1]

    def read(self, part: int) -> Iterator[tuple[int, NDArray[np.uint8], Any]]:
        """Yield chunks of a part: the first report's number, the reports, and the Arrow batch."""
        size = self._survey.mechanism.report_bytes
        rows, first = max(1, _BATCH_BYTES // size), self.parts[part]
        with self._open(self._metadata) as file:
            for batch in file.iter_batches(rows, [part], self._columns, use_threads=False):
                try:
                    reports = as_reports(batch.column(0), size)
                except InvalidReport as error:
                    raise located(self.path, first, error) from None
                yield first, reports, batch
                first += len(batch)

    @contextmanager
    def _open(self, metadata: Any = None) -> Iterator[Any]:
        with (
            reading(self.path, "a Parquet file of reports"),
            arrow("parquet").ParquetFile(
                self.path, metadata=metadata, page_checksum_verification=True,
                pre_buffer=False, buffer_size=_BUFFER_BYTES,
            ) as file,
        ):  # fmt: skip
            yield file


def read_reports(path: Path, survey: Survey) -> Iterator[NDArray[np.uint8]]:
    """Yield chunks of reports, uint8 (n, report_bytes), refusing those of another survey."""
    file = ReportsFile(path, survey)
    for part in range(len(file.parts)):
        for _, reports, _ in file.read(part):
            yield reports


def located(path: Path, first: int, error: InvalidReport) -> InvalidReport:
    """Return the error with the file and the report's number among people's."""
    if error.row is None:
        return InvalidReport(f"{path}: {error.reason}")
    return InvalidReport(f"{path}, report {first + error.row}: {error.reason}")


def check_schema(path: Path, schema: Any, survey: Survey, by: Sequence[str]) -> None:
    """Refuse what is no file of this survey's reports, or lacks a column."""
    metadata = schema.metadata or {}
    check_kept(path, metadata, survey)
    text = metadata.get(SURVEY_KEY)
    if text is not None and text != survey.to_json().encode():
        try:
            other = Survey.from_json(text)
        except ValueError as error:
            raise InvalidFile(f"{path}: the survey beside the reports: {error}") from None
        raise SurveyMismatch(
            f"{path}: these are reports of another survey, {other.id!r} "
            f"({other.fingerprint[:12]}…), not of {survey.id!r} ({survey.fingerprint[:12]}…)."
        )
    for name in ("report", *by):
        if schema.names.count(name) != 1:
            names = ", ".join(repr(name) for name in schema.names)
            raise InvalidFile(
                f"{path}: there must be one column {name!r}; the columns are {names}."
            )
    kind, size = schema.field("report").type, survey.mechanism.report_bytes
    types = arrow().types
    binary = types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind)
    if kind != arrow().binary(size) and not binary:
        raise InvalidReport(
            f"{path}: a report of this survey is fixed_size_binary[{size}], the column is {kind}."
        )
