"""What runs on the executors: answers to reports, reports to counts, counts to sums.

Each function takes the Arrow batches of one partition and yields batches. A mistake in the data
is yielded too, as a row that the driver raises from: an exception here would have the task tried
four times, and end in Java's words.

A tally travels as slices of the vector (n, aggregate...), in rows of equal length. However large
the aggregate is, no row and no batch is large, and a slice of zeros need not travel at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.cleaning import Cleaning
from ...analysis.columns import arrow, as_reports
from ...analysis.questions import look_up_columns
from ...analysis.questions import randomize as randomized
from ...device.contract import Contract
from ...device.entropy import secure
from ...device.mechanisms.base import Randomizer
from ...errors import InvalidAnswer, InvalidReport

# Counters in a slice at most, rows of slices in a batch, and bytes of counters held in memory.
_SLICE, _ROWS, _HELD_BYTES = 1024, 1024, 1 << 27
_BATCH_BYTES = 1 << 22
# The slice of a row that says what is wrong instead.
PROBLEM = -1
# Neighbouring partitions that are added up before all are.
FAN_IN = 16


def width(mechanism: Randomizer) -> int:
    """Return the number of counters in a slice."""
    return min(_SLICE, 1 + mechanism.aggregate_size)


# --- answers to reports ---------------------------------------------------------------------------


def randomize(
    batches: Iterator[Any], contract: str, by: Sequence[str], cleaning: Cleaning
) -> Iterator[Any]:
    """Yield a report for each row, a random place in the order of all, and the `by` columns.

    The answers are in the columns answer0, answer1, ..., one for each question.
    """
    pa = arrow()
    survey = _survey(contract)
    rows = max(1, _BATCH_BYTES // survey.mechanism.report_bytes)
    places = secure().keystream()
    for batch in batches:
        try:
            columns = {one.id: batch.column(f"answer{i}") for i, one in enumerate(survey.surveys)}
            found = look_up_columns(survey, columns, len(batch), cleaning)
        except InvalidAnswer as error:
            problem = pa.array([_said(error)], pa.binary())
            nothing = [pa.nulls(1, batch.column(name).type) for name in by]
            first = [pa.nulls(1, pa.binary()), pa.nulls(1, pa.int64()), problem]
            yield pa.record_batch([*first, *nothing], ["report", "place", "problem", *by])
            return
        others = found.filter(batch.select(list(by)))
        for at in range(0, len(found.values), rows):
            some = found.values[at : at + rows]
            reports = randomized(survey, some, workers=1)
            place = np.frombuffer(places.read(8 * len(some)), dtype="<i8")
            first = [_binary(reports), pa.array(place), pa.nulls(len(some), pa.binary())]
            rest = others.slice(at, rows).columns
            yield pa.record_batch([*first, *rest], ["report", "place", "problem", *by])


@lru_cache(maxsize=2)
def _survey(contract: str) -> Any:
    """Read a contract once for all partitions that this process is given."""
    return Contract.from_json(contract)


def _said(error: InvalidAnswer) -> bytes:
    """Return an error's parts, from which `raised` makes it again."""
    said = {name: vars(error)[name] for name in ("answer", "nearest", "rule", "question")}
    undecoded = isinstance(error.answer, bytes)
    answer = error.answer.hex() if isinstance(error.answer, bytes) else error.answer
    return json.dumps([undecoded, {**said, "answer": answer}], default=str).encode()


def raised(said: bytes) -> InvalidAnswer:
    """Return the error that a worker ran into."""
    undecoded, parts = json.loads(said)
    answer = parts.pop("answer")
    return InvalidAnswer(bytes.fromhex(answer) if undecoded else answer, **parts)


# --- reports to counts ----------------------------------------------------------------------------


def fold(batches: Iterator[Any], mechanism: Randomizer, by: Sequence[str]) -> Iterator[Any]:
    """Yield the slices of one tally for each group."""
    from pyspark import TaskContext

    task = TaskContext.get()
    part = task.partitionId() // FAN_IN if task is not None else 0
    size, length = mechanism.report_bytes, 1 + mechanism.aggregate_size
    most = max(1, _HELD_BYTES // (8 * length))
    held: dict[tuple[Any, ...], tuple[Any, NDArray[np.int64]]] = {}
    for batch in batches:
        column = batch.column("report")
        try:
            reports = as_reports(column, size)
        except InvalidReport as error:
            yield _problem(batch, by, error, column[error.row or 0].as_py())
            return
        for group, rows in _groups(batch.select(list(by))):
            key = tuple(value[0] for value in group.columns)
            if key not in held:
                if len(held) == most:
                    yield from _emit(held.values(), part, width(mechanism))
                    held.clear()
                held[key] = group, np.zeros(length, dtype=np.int64)
            total, some = held[key][1], reports[rows]
            try:
                total[0] += mechanism.fold(some, total[1:])
            except InvalidReport as error:
                yield _problem(batch, by, error, some[error.row or 0].tobytes())
                return
    yield from _emit(held.values(), part, width(mechanism))


def _groups(keys: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each different row as a table of one row, and which rows are like it."""
    if not keys.num_columns:
        yield keys, slice(None)
        return
    codes = _codes(keys)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        # Taken, not sliced: it must not keep the batch alive.
        yield keys.take(arrow().array(order[start : start + 1])), order[start:end]


def _codes(keys: Any) -> NDArray[np.int64]:
    """Return a number for each row, the same for the same row."""
    codes = np.zeros(keys.num_rows, dtype=np.int64)
    for column in keys.columns:
        encoded = column.dictionary_encode(null_encoding="encode")
        codes = codes * len(encoded.dictionary) + encoded.indices.to_numpy(zero_copy_only=False)
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)  # they stay small
    return codes


def _emit(tallies: Any, part: int, width: int) -> Iterator[Any]:
    for group, total in tallies:
        rows = np.zeros((-(-len(total) // width), width), dtype="<i8")
        rows.reshape(-1)[: len(total)] = total
        numbers = np.flatnonzero(rows.any(axis=1))
        for at in range(0, len(numbers), _ROWS):
            some = numbers[at : at + _ROWS]
            yield _slices(group, part, some, _binary(rows[some].view(np.uint8)))


def _problem(batch: Any, by: Sequence[str], error: InvalidReport, report: bytes | None) -> Any:
    pa = arrow()
    shown = None if report is None else report.hex()
    said = json.dumps({"reason": error.reason, "report": shown}).encode()
    columns = [pa.nulls(1, batch.column(name).type) for name in by]
    group = pa.record_batch(columns, names=list(by))
    return _slices(group, 0, np.array([PROBLEM]), pa.array([said], pa.binary()))


def _slices(group: Any, part: int, numbers: NDArray[np.int64], counts: Any) -> Any:
    """Return rows of one group: its key again and again, and the slices."""
    pa = arrow()
    again = pa.array(np.zeros(len(numbers), dtype=np.int64))
    keys = [column.take(again) for column in group.columns]
    parts = pa.array(np.full(len(numbers), part, dtype=np.int32))
    slices = pa.array(numbers.astype(np.int32))
    return pa.record_batch(
        [*keys, parts, slices, counts], names=[*group.schema.names, "part", "slice", "counts"]
    )


# --- counts to sums -------------------------------------------------------------------------------


def merge(batches: Iterator[Any], width: int) -> Iterator[Any]:
    """Add up the neighbouring rows whose keys, all columns but the last, are the same."""
    pa = arrow()
    last: tuple[Any, NDArray[np.int64]] | None = None
    for batch in batches:
        bad = batch.column("slice").to_numpy() == PROBLEM
        if bad.any():
            yield batch.filter(pa.array(bad))
            batch = batch.filter(pa.array(~bad))
        if not batch.num_rows:
            continue
        counts = as_reports(batch.column("counts"), 8 * width).view("<i8")
        keys = batch.select(batch.schema.names[:-1])
        starts = np.flatnonzero(np.diff(_codes(keys), prepend=-1))
        sums = np.add.reduceat(counts, starts, axis=0)
        runs = keys.take(pa.array(starts))
        if last is not None:
            if last[0].equals(runs.slice(0, 1)):
                sums[0] += last[1]
            else:
                yield _summed(last[0], last[1][None])
        if len(runs) > 1:
            yield _summed(runs.slice(0, len(runs) - 1), sums[:-1])
        last = runs.take(pa.array([len(runs) - 1])), sums[-1].copy()
    if last is not None:
        yield _summed(last[0], last[1][None])


def _summed(keys: Any, sums: NDArray[np.int64]) -> Any:
    counts = _binary(np.ascontiguousarray(sums).view(np.uint8))
    return arrow().record_batch([*keys.columns, counts], names=[*keys.schema.names, "counts"])


def _binary(rows: NDArray[np.uint8]) -> Any:
    """Return the rows of an array as a binary column."""
    pa = arrow()
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1]
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(rows)]
    return pa.Array.from_buffers(pa.binary(), len(rows), buffers)
