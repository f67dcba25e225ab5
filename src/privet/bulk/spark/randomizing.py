"""Frames of answers to frames of reports, each answer randomized once.

A frame is a plan, and Spark follows it anew for every action and after every failure; a plan that
randomizes would make a fresh report each time, and several reports of one answer reveal more of it
than ε allows. So the reports are drawn at once and held by the executors, cut off from the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...analysis.cleaning import AS_THEY_ARE, Cleaning
from ...analysis.columns import ANSWERS
from ...analysis.kinds import kind_of
from ...analysis.lookup import check_cleaning
from ...device.contract import Contract
from ...device.survey import Survey
from ...errors import InvalidArgument
from ..answers import check_for_survey
from ..groups import check_apart
from . import workers
from .java import release
from .session import running
from .tallying import select

if TYPE_CHECKING:  # which is not installed everywhere
    from pyspark.sql import DataFrame

_ANSWERS = (
    "StringType ByteType ShortType IntegerType LongType BooleanType "
    "FloatType DoubleType DecimalType DateType"
)


def randomize(
    frame: DataFrame,
    contract: Contract,
    column: str | None = None,
    *,
    by: Sequence[str] = (),
    cleaning: Cleaning = AS_THEY_ARE,
) -> DataFrame:
    """Return a frame of reports, one for each answer, in an order drawn at random.

    The work is done when this returns: every action on the frame sees the same reports. Executors
    hold them, in memory and on their disks, apart from the answers. If an executor is lost, actions
    raise SparkFailure, because drawing its reports again would release a second report of the same
    answers; `write_reports` puts them where nothing is lost. A task that fails while reports are
    drawn is run again, and nobody has seen what it had drawn.

    Parameters
    ----------
    frame : DataFrame
        With one person a row.
    contract : Survey or Questionnaire
        What was asked; the questions' ids name the columns of a questionnaire.
    column : str, optional
        The answers to a survey, by default "answer": text, numbers, truth values or dates, as
        `Survey.randomize_batch` takes them, and arrays of options where several may be chosen.
    by : sequence of str
        Columns that are kept with the reports as they are: they are not protected.
    cleaning : Cleaning
        How answers are cleaned, and what becomes of those that are missing or no category; an error
        is InvalidAnswer. Numbers beyond an end of their scale count as that end.

    """
    columns = _columns(contract, column)
    check_apart(columns, by)
    names = {f"answer{i}": name for i, name in enumerate(columns)}
    chosen = select(frame, "randomize", names, by)
    for ours, name in names.items():
        _check_kind(columns[name], name, chosen.schema[ours].dataType)
        check_cleaning("randomize", cleaning, columns[name])
    if frame.sparkSession.conf.get("spark.speculation", "false") == "true":
        rule = "of a session without spark.speculation, which runs tasks, and so draws, twice"
        raise InvalidArgument("randomize", "frame", rule, "spark.speculation = true")
    keys = chosen.columns[len(names) :]
    draw = partial(workers.randomize, contract=contract.to_json(), by=keys, cleaning=cleaning)
    kinds = "".join(f", {key} {chosen.schema[key].dataType.simpleString()}" for key in keys)
    with running("Randomizing"):
        # Fixed before they are shuffled: a shuffle whose input is drawn again in part, after a
        # loss, would repeat some reports and miss others.
        layout = f"report binary, place bigint, problem binary{kinds}"
        drawn = chosen.mapInArrow(draw, layout).localCheckpoint()
        try:
            if problem := drawn.where("problem is not null").select("problem").first():
                raise workers.raised(bytes(problem[0]))
            mixed = drawn.repartition("place").sortWithinPartitions("place")
            return mixed.select("report", *keys).toDF("report", *by).localCheckpoint()
        finally:
            release(drawn)  # those are in the order of the answers


def _columns(contract: Contract, column: str | None) -> dict[str, Survey]:
    """Return the questions by the columns with their answers."""
    check_for_survey(contract, column=column)
    if (survey := contract.only) is not None:
        return {"answer" if column is None else column: survey}
    return {question.id: question for question in contract.surveys}


def _check_kind(question: Survey, column: str, kind: Any) -> None:
    is_list = type(kind).__name__ == "ArrayType" and kind_of(question.answers).takes_lists
    inner = kind.elementType if is_list else kind
    if type(inner).__name__ not in _ANSWERS.split():
        rule = f"a column of {ANSWERS}, which {column!r} is not"
        raise InvalidArgument("randomize", "column", rule, kind.simpleString())
