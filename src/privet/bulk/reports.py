"""Reports files: Parquet with a binary column `report`, and the survey in the metadata.

Other columns are in the clear, and reports can be grouped by them. Messages count reports from 1.
The metadata key is `privet.survey`. Files that other engines wrote are read as well: the column may
be binary of any length if all reports have the right one, and the survey may be missing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..analysis.columns import BINARY, arrow, as_reports
from ..device.contract import Contract
from ..device.files import replacing
from ..errors import InvalidFile, InvalidReport
from .groups import Groups
from .paths import OnePath, Paths, as_paths
from .provenance import PARQUET, SURVEY_KEY, check_survey
from .reading import check_column, checked_places, reading
from .seals import SealedFile, damaged, read_seal

__all__ = ["ReportsFile", "ReportsWriter", "read_reports"]

# What is counted at a time: many rows, however long they are, as there is a pass over all counters.
_BATCH_BYTES, _BATCH_ROWS = 1 << 22, 1 << 9
# A part is what one thread reads at once, and what is remembered of it takes a few hundred bytes.
_PART_BYTES = 1 << 23
_BUFFER_BYTES = 1 << 20


class ReportsWriter:
    """Write reports of one survey to a file, which appears when the block ends without error.

    With `groups`, each report is written with its group's values, in the clear.
    """

    def __init__(self, path: OnePath, survey: Contract, groups: Groups | None = None) -> None:
        self._path = Path(path)
        self._survey = survey
        self._groups = groups or Groups(())
        self._waiting: list[Any] = []

    def __enter__(self) -> Self:
        pa, parquet = arrow(), arrow("parquet")
        by = self._groups.by
        text = pa.dictionary(pa.int32(), pa.string())
        self._schema = pa.schema(
            [
                pa.field("report", pa.binary(self._survey.mechanism.report_bytes), nullable=False),
                *(pa.field(name, text) for name in by),
            ],
            metadata={SURVEY_KEY: self._survey.to_json().encode()},
        )
        self._stack = stack = ExitStack()
        try:
            temporary = stack.enter_context(replacing(self._path, private=True))
            self._file = SealedFile(stack.enter_context(temporary.open("wb")))
            raw = stack.enter_context(pa.PythonFile(self._file, "w"))
            # Reports are random bytes: neither dictionaries nor compression can shorten them, and
            # only a checksum shows that they are damaged. Those of pages are for other readers.
            self._writer = stack.enter_context(
                parquet.ParquetWriter(
                    raw, self._schema, compression="none", write_page_checksum=True,
                    use_dictionary=by or False,
                )
            )  # fmt: skip
            return self
        except BaseException:  # a signal, say, up to the very end
            stack.__exit__(*sys.exc_info())
            raise

    def write(self, reports: NDArray[np.uint8], numbers: NDArray[np.int32] | None = None) -> None:
        """Append reports, uint8 (n, report_bytes), and the numbers of their groups."""
        pa, kind = arrow(), self._schema.field("report").type
        rule = f"An array of reports must be uint8 of shape (n, {kind.byte_width})."
        if not isinstance(reports, np.ndarray):
            raise InvalidReport(f"{rule} Got {type(reports).__name__} instead.")
        if reports.dtype != np.uint8 or reports.shape[1:] != (kind.byte_width,):
            raise InvalidReport(f"{rule} Got {reports.dtype} of shape {reports.shape} instead.")
        buffers = [None, pa.py_buffer(np.ascontiguousarray(reports))]
        columns = [pa.Array.from_buffers(kind, len(reports), buffers)]
        if numbers is not None:
            columns += self._groups.columns(numbers)
        self._waiting.append(pa.record_batch(columns, schema=self._schema))
        if sum(batch.nbytes for batch in self._waiting) >= _PART_BYTES:
            self._write_part()

    def __exit__(self, kind: Any, *error: Any) -> None:
        with self._stack:  # which takes the error from here, if there is one
            if kind is None:
                if any(len(batch) for batch in self._waiting):
                    self._write_part()
                self._file.begin_footer()
                self._writer.close()
                self._file.seal()
            self._stack.__exit__(kind, *error)

    def _write_part(self) -> None:
        table = arrow().Table.from_batches(self._waiting).unify_dictionaries()
        rows = -(-len(table) // max(1, table.nbytes // _PART_BYTES))
        for at in range(0, len(table), rows):
            self._writer.write_table(table.slice(at, rows), row_group_size=rows)
            self._file.end_part()
        self._waiting = []


class ReportsFile:
    """A file of one survey's reports, read in parts; another survey's are refused.

    `parts` are Parquet's row groups; different threads may read different ones.
    """

    def __init__(self, path: Path, survey: Contract, by: Sequence[str] = ()) -> None:
        self.path = path
        self._survey = survey
        self._columns = ["report", *by]
        _refuse_others(path)
        self._seal = read_seal(path)
        with self._open() as file:
            self._metadata = file.metadata
            check_schema(path, file.schema_arrow, survey, by)
            self._check_sizes()

    @property
    def n(self) -> int:
        """How many reports there are."""
        return int(self._metadata.num_rows)

    @cached_property
    def parts(self) -> list[int]:
        """The number of the first report of each part."""
        return list(accumulate(self._sizes, initial=1))[:-1]

    @cached_property
    def _sizes(self) -> list[int]:
        groups = map(self._metadata.row_group, range(self._metadata.num_row_groups))
        return [group.num_rows for group in groups]

    def read(self, part: int) -> Iterator[tuple[int, NDArray[np.uint8], Any]]:
        """Yield chunks of a part: the first report's number, the reports, and the Arrow batch."""
        size = self._survey.mechanism.report_bytes
        rows, first = max(_BATCH_ROWS, _BATCH_BYTES // size), self.parts[part]
        with self._open(part) as file:
            for batch in file.iter_batches(rows, [part], self._columns, use_threads=False):
                checked_places(batch)
                try:
                    reports = as_reports(batch.column("report"), size)
                except InvalidReport as error:
                    raise located(self.path, range(first, first + len(batch)), error) from None
                yield first, reports, batch
                first += len(batch)
        if first - self.parts[part] != self._sizes[part]:
            raise damaged(self.path, f"the number of rows in row group {part + 1}")

    def _check_sizes(self) -> None:
        """Refuse a footer whose numbers contradict each other.

        Those of its columns are not asked for: Arrow aborts the process where they are damaged.
        """
        if sum(self._sizes) != self.n:
            raise damaged(self.path, "the number of rows")
        if self._seal is not None and len(self._seal.parts) != len(self._sizes):
            raise damaged(self.path, "the number of row groups")

    @contextmanager
    def _open(self, part: int | None = None) -> Iterator[Any]:
        """Open the file: as it is, or a part of it, whose checksum is verified if it has one."""
        pa, parquet = arrow(), arrow("parquet")
        with reading(self.path, "a Parquet file of reports"), ExitStack() as stack:
            if part is None or self._seal is None:
                raw = stack.enter_context(pa.OSFile(os.fsencode(self.path)))
                options = {"page_checksum_verification": True, "buffer_size": _BUFFER_BYTES}
            else:
                raw = stack.enter_context(pa.PythonFile(self._seal.read(part), "r"))
                options = {}
            metadata = None if part is None else self._metadata
            file = parquet.ParquetFile(raw, metadata=metadata, pre_buffer=False, **options)
            yield stack.enter_context(file)


def read_reports(paths: Paths, survey: Contract) -> Iterator[NDArray[np.uint8]]:
    """Yield chunks of reports, uint8 (n, report_bytes), refusing those of another survey."""
    for path in as_paths("read_reports", paths):
        file = ReportsFile(path, survey)
        for part in range(len(file.parts)):
            for _, reports, _ in file.read(part):
                yield reports


def _refuse_others(path: Path) -> None:
    """Refuse a file of another kind, such as answers that have yet to be randomized."""
    with path.open("rb") as file:
        start = file.read(len(PARQUET))
    if start != PARQUET:
        rule = "privet randomize makes one of answers" if start else "it is empty"
        raise InvalidFile(f"{path}: not a Parquet file of reports: {rule}.")


def located(path: Path, numbers: Sequence[int], error: InvalidReport) -> InvalidReport:
    """Return the error with the file and the number of the report, given those of the rows."""
    place = f"{path}" if error.row is None else f"{path}, report {numbers[error.row]}"
    return InvalidReport(f"{place}: {error.reason}")


def check_schema(path: object, schema: Any, survey: Contract, by: Sequence[str]) -> None:
    """Refuse a file that is not one of this survey's reports, or lacks a column."""
    check_survey(path, schema.metadata or {}, survey)
    for name in ("report", *by):
        check_column(path, schema.names, name)
    kind, size = schema.field("report").type, survey.mechanism.report_bytes
    if kind != arrow().binary(size) and str(kind) not in BINARY:
        raise InvalidReport(
            f"{path}: a report of this survey is fixed_size_binary[{size}], the column is {kind}."
        )
