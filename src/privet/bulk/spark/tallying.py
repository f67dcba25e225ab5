"""Frames of reports to tallies: counted where they are, added up there, and fetched as sums.

Every partition is folded to counts; those of sixteen neighbours are added up, and then all of them:
two small shuffles, however many partitions there are. The driver is sent nothing but the sums.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.tally import Tally
from ...device.contract import Contract, E
from ...device.mechanisms.base import Randomizer
from ...errors import InvalidArgument, InvalidReport
from . import workers
from .session import pyspark, running

if TYPE_CHECKING:  # which is not installed everywhere
    from pyspark.sql import DataFrame

# Groups are made by values that Spark and Python compare, hash and sort alike.
_KEYS = (
    "BooleanType ByteType ShortType IntegerType LongType DecimalType StringType "
    "DateType TimestampType TimestampNTZType"
)


def tally(frame: DataFrame, survey: Contract[E]) -> Tally[E]:
    """Return the tally of a frame's column `report`.

    The same, bit for bit, as one machine makes of the same reports. An invalid report raises
    InvalidReport, which says why, and in which file it is if the frame was read from files.
    """
    return tally_groups(frame, survey, ())[()]


def tally_groups(
    frame: DataFrame, survey: Contract[E], by: Sequence[str]
) -> dict[tuple[Any, ...], Tally[E]]:
    """Return one tally for each group of rows with the same values of the columns `by`.

    The keys are tuples of the columns' values, in sorted order, None after all others. Without
    columns there is one group, with the key (), also where the frame is empty.
    """
    chosen = select_reports(frame, "tally_groups", by)
    keys = chosen.columns[1:]
    size = workers.width(survey.mechanism)
    with running("Counting"):
        slices = _slices(chosen, survey.mechanism, keys, size)
        vectors: dict[tuple[Any, ...], NDArray[np.int64]] = {}
        length = 1 + survey.mechanism.aggregate_size
        if not keys:
            vectors[()] = np.zeros(length, dtype=np.int64)
        for *key, number, counts in slices.toLocalIterator():
            if number == workers.PROBLEM:
                _refuse(chosen, json.loads(bytes(counts)))
            if (group := tuple(key)) not in vectors:
                vectors[group] = np.zeros(length, dtype=np.int64)
            at = number * size
            vectors[group][at : at + size] = np.frombuffer(counts, dtype="<i8")[: length - at]
    return {key: _tally_of(survey, vectors[key]) for key in sorted(vectors, key=_in_order)}


def _slices(chosen: Any, mechanism: Randomizer, keys: Sequence[str], size: int) -> Any:
    """Return the frame of all groups' slices, each once."""
    kinds = ", ".join(f"{name} {chosen.schema[name].dataType.simpleString()}" for name in keys)
    layout = f"{kinds}{', ' if kinds else ''}part int, slice int, counts binary"
    counted = chosen.mapInArrow(partial(workers.fold, mechanism=mechanism, by=keys), layout)
    added = partial(workers.merge, width=size)
    for level in ([*keys, "part", "slice"], [*keys, "slice"]):
        sorted_rows = counted.select(*level, "counts").repartition(*level)
        counted = sorted_rows.sortWithinPartitions(*level).mapInArrow(added, sorted_rows.schema)
    return counted


def _refuse(chosen: Any, problem: dict[str, str]) -> None:
    """Raise InvalidReport, naming the file that holds the report if there is one."""
    functions = pyspark("sql.functions")
    report = problem["report"]
    this = functions.col("report")
    like = this.isNull() if report is None else this == functions.lit(bytes.fromhex(report))
    found = chosen.where(like).select(functions.input_file_name()).first()
    place = f"{found[0]}: " if found is not None and found[0] else ""
    raise InvalidReport(f"{place}{problem['reason']}")


def _tally_of(survey: Contract[E], vector: NDArray[np.int64]) -> Tally[E]:
    counted = survey.tally()
    counted.add(int(vector[0]), vector[1:])
    return counted


def _in_order(key: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    return [(value is None, value) for value in key]


# --- columns --------------------------------------------------------------------------------------


def select(
    frame: DataFrame, owner: str, columns: Mapping[str, str], by: Sequence[str]
) -> DataFrame:
    """Return a frame of columns, by our names for them, and those of `by` as by0, by1, ..."""
    if isinstance(by, str):
        raise InvalidArgument(owner, "by", "a sequence of columns' names", by)
    wanted = [("column", name) for name in columns.values()] + [("by", name) for name in by]
    for parameter, name in wanted:
        if frame.columns.count(name) != 1:
            names = ", ".join(map(repr, frame.columns))
            raise InvalidArgument(owner, parameter, f"one of the frame's columns, {names}", name)
    for name in by:
        kind = frame.schema[name].dataType
        if type(kind).__name__ not in _KEYS.split():
            rule = f"columns of text, whole numbers or dates, which {name!r} is not"
            raise InvalidArgument(owner, "by", rule, kind.simpleString())
    named = {**columns, **{f"by{i}": name for i, name in enumerate(by)}}
    return frame.select(*(quoted(name).alias(new) for new, name in named.items()))


def select_reports(frame: DataFrame, owner: str, by: Sequence[str]) -> DataFrame:
    """Return a frame of the column `report` and those of `by`."""
    if frame.columns.count("report") != 1:
        raise InvalidArgument(owner, "frame", "one with a column 'report'", frame.columns)
    chosen = select(frame, owner, {"report": "report"}, by)
    kind = chosen.schema["report"].dataType.simpleString()
    if kind != "binary":
        raise InvalidReport(f"A column of reports is binary, not {kind}.")
    return chosen


def quoted(name: str) -> Any:
    """Return a frame's column, whatever characters its name has."""
    inner = name.replace("`", "``")
    return pyspark("sql.functions").col(f"`{inner}`")
