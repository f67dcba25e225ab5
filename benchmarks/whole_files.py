"""Whole commands over big files, against what pyarrow takes just to read and write as much."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import Questionnaire, Survey
from privet import Scale as Ages
from privet.bulk import ReportsWriter

from .rows import Bar, Row
from .timing import Scale, Work, seconds_a_unit, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CHUNK = 1 << 20
# So many reports that numba is loaded, and so few that this is what takes the time.
_FEW = 100_000
_REPEATS = 5

# A process of its own, like the commands: reads the answers, writes a column of as many bytes.
_READ_AND_WRITE = """\
import sys
import pyarrow as pa
from pyarrow import parquet
kind = pa.binary(int(sys.argv[3]))
schema = pa.schema([("report", kind)])
options = {"use_dictionary": False, "compression": "none"}
with parquet.ParquetWriter(sys.argv[2], schema, **options) as writer:
    for batch in parquet.ParquetFile(sys.argv[1]).iter_batches():
        data = pa.py_buffer(bytes(len(batch) * kind.byte_width))
        column = pa.Array.from_buffers(kind, len(batch), [None, data])
        writer.write_batch(pa.record_batch([column], schema))
"""
_SCAN = """\
import sys
from pyarrow import parquet
for batch in parquet.ParquetFile(sys.argv[1]).iter_batches(columns=["report"]):
    pass
"""


def commands(scale: Scale) -> Iterator[Row]:
    """Commands over files, against pyarrow.

    Processes of their own, both cores: ten million answers at d = 100 randomized into a file in
    random order and estimated, against reading the answers and writing a column of as many bytes;
    the same for as many people's answers to eight questions, with two tables; and 800 MB of reports
    at d = 64 estimated, against only reading them. The files are in the system's cache. Starting up
    is apart: what the same processes take for 100,000 rows, numba's loading included, has a row of
    its own, and is taken off on both sides.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        yield from _answers(scale, folder)
        yield from _questionnaire(scale, folder)
        yield from _reports(scale, folder)


def _answers(scale: Scale, folder: Path) -> Iterator[Row]:
    import pyarrow as pa

    survey = Survey("Which?", [f"category {i}" for i in range(100)], 1.0)
    values = (np.random.default_rng(1).zipf(1.3, scale(10_000_000)) - 1) % 100
    column = pa.DictionaryArray.from_arrays(pa.array(values, pa.int32()), list(survey.categories))
    answers = pa.table({"answer": column.dictionary_decode()})
    work = "randomize + estimate, 10⁷ answers"
    yield from _slower(work, "read, write", _randomized(scale, folder, survey, answers), 3)
    randomize = ["randomize", "survey.json", "all.parquet", "-o", "all.reports"]
    yield _memory(folder, "randomize, 10⁷ answers", *randomize)


def _questionnaire(scale: Scale, folder: Path) -> Iterator[Row]:
    import pyarrow as pa

    rng, n = np.random.default_rng(2), scale(10_000_000)
    names = [f"category {i}" for i in range(8)]
    ids = [f"q{i}" for i in range(8)]
    surveys, columns = [], {}
    for i, name in enumerate(ids):
        if i < 5:
            surveys.append(Survey("Which?", names, 1.0, id=name))
            places = pa.array(rng.integers(0, 8, n, dtype=np.int32))
            columns[name] = pa.DictionaryArray.from_arrays(places, names).dictionary_decode()
        else:
            surveys.append(Survey("How old?", Ages(0, 120, whole=True), 1.0, id=name))
            columns[name] = pa.array(rng.integers(0, 100, n, dtype=np.int32))
    asked = Questionnaire("Eight", surveys, 1.0, tables=[("q0", "q1"), ("q2", "q3")])
    times = _randomized(scale, folder, asked, pa.table(columns))
    yield from _slower("eight questions of 10⁷ people", "read, write", times, 3)


def _randomized(
    scale: Scale, folder: Path, contract: Survey | Questionnaire, answers: Any
) -> list[float]:
    """Time randomizing and estimating a table, pyarrow's reading and writing, and both starts."""
    from pyarrow import parquet

    (folder / "survey.json").write_text(contract.to_json())
    work = []
    for name, table in (("all", answers), ("few", answers[: scale(_FEW)])):
        parquet.write_table(table, folder / f"{name}.parquet")
        size = str(contract.mechanism.report_bytes)
        randomize = ["randomize", "survey.json", f"{name}.parquet", "-o", f"{name}.reports"]
        estimate = ["estimate", "survey.json", f"{name}.reports"]
        bare = [_READ_AND_WRITE, f"{name}.parquet", "bare.parquet", size]
        work += [
            Work(lambda a=randomize, b=estimate: (_privet(folder, *a), _privet(folder, *b))),
            Work(lambda c=bare: _python(folder, *c)),
        ]
    return seconds_a_unit(1 if scale.quick else _REPEATS, *work)


def _reports(scale: Scale, folder: Path) -> Iterator[Row]:
    survey = Survey("Which?", [f"c{i}" for i in range(64)], 1.0, mechanism="k-subset")
    reports = survey.mechanism.randomize(np.arange(_CHUNK) % 64)
    (folder / "big.json").write_text(survey.to_json())
    work = []
    for name, n in (("big", scale(100_000_000)), ("small", scale(_FEW))):
        with ReportsWriter(folder / f"{name}.parquet", survey) as writer:
            for begin in range(0, n, _CHUNK):
                writer.write(reports[: n - begin])
        work += [
            Work(lambda c=name: _privet(folder, "estimate", "big.json", f"{c}.parquet")),
            Work(lambda c=name: _python(folder, _SCAN, f"{c}.parquet")),
        ]
    times = seconds_a_unit(1 if scale.quick else _REPEATS, *work)
    yield from _slower("estimate, 10⁸ reports", "scan", times, 2)
    estimate = ["estimate", "big.json", "big.parquet"]
    yield _memory(folder, "estimate, 10⁸ reports", *estimate)


def _slower(work: str, name: str, times: Sequence[float], goal: float) -> Iterator[Row]:
    """Compare our time with the other's, once the start-up of both is taken off."""
    own, other, start, other_start = times
    against = f"pyarrow: {name} {show_time(other - other_start)}"
    ratio = (own - start) / (other - other_start)
    yield Row(work, show_time(own - start), against, ratio, bar=Bar(goal, at_most=True))
    yield Row("its start-up", show_time(start), f"pyarrow {show_time(other_start)}", start, "s")


def _memory(folder: Path, work: str, *arguments: str) -> Row:
    """Return the most memory that a command held, asked of Linux until it ends."""
    process = subprocess.Popen(
        _command(*arguments), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    status, most = Path(f"/proc/{process.pid}/status"), 0
    while process.poll() is None and status.exists():
        found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text())
        most = max(most, int(found[1]) if found else 0)
        time.sleep(0.01)
    return Row(work, "", "", most * 1024 / 1e6, "MB", Bar(500, at_most=True))


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "privet", *arguments]


def _privet(folder: Path, *arguments: str) -> None:
    _run(folder, _command(*arguments))


def _python(folder: Path, *arguments: str) -> None:
    _run(folder, [sys.executable, "-c", *arguments])


def _run(folder: Path, command: list[str]) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environment)
