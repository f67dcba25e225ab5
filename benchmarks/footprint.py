"""What privet costs before it does anything, and how much memory a big file takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from .rows import Bar, Row
from .timing import Scale, Work, seconds_a_unit, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parent.parent
_FIRST_BATCH = """\
from time import perf_counter
import numpy as np
from privet.mechanisms import KSubset
mechanism, values, times = KSubset(64, 1.0), np.zeros(100_000, int), []
for _ in range(2):
    start = perf_counter()
    mechanism.tally(mechanism.randomize(values))
    times.append(perf_counter() - start)
print(times[0] - times[1])
"""


_ON_A_DEVICE = """\
import privet, sys
for text in open(sys.argv[1], encoding="utf-8"):
    survey = privet.Survey.from_json(text)
    survey.randomize(survey.categories[7])
"""
_PEAK = """
with open("/proc/self/status") as file:
    print(next(line.split()[1] for line in file if line.startswith("VmHWM")))
"""


def a_device(scale: Scale) -> Iterator[Row]:
    """On a person's device.

    A process that imports privet, reads a survey of 1,000 categories for every mechanism and makes
    a report of each, with the standard library alone, beyond what a bare interpreter takes.
    """
    from privet import Survey
    from privet.mechanisms import for_one

    names = [f"category {i}" for i in range(1000)]
    usual = [name for name in for_one if name != "two-level-unary"]  # which needs a secret
    texts = [Survey("Which?", names, 1.0, mechanism=name).to_json() for name in usual]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "surveys"
        path.write_text("\n".join(texts), encoding="utf-8")
        bare, full = seconds_a_unit(
            1 if scale.quick else 2 * scale.repeats,
            Work(lambda: _run("-c", "pass")),
            Work(lambda: _run("-c", _ON_A_DEVICE, str(path))),
        )
        yield Row(
            f"import, {len(texts)} surveys and reports",
            show_time(full - bare),
            f"bare interpreter {show_time(bare)}",
            1000 * (full - bare),
            "ms",
            Bar(40, at_most=True),
        )
        least, most = (
            float(_run("-c", code + _PEAK, str(path))) / 1024 for code in ("", _ON_A_DEVICE)
        )
        yield Row("its memory", "", f"bare interpreter {least:.1f} MB", most - least, "MB",
                  Bar(10, at_most=True))  # fmt: skip


def startup(scale: Scale) -> Iterator[Row]:
    """Start.

    Processes of their own; an import is the time beyond that of a bare interpreter. Loading numba
    is what the first large batch takes beyond the next, once its code has been compiled and kept:
    small work never does it.
    """
    commands = (["-c", "pass"], ["-c", "import numpy"], ["-c", "import privet"])
    bare, numpy, privet, shown = seconds_a_unit(
        1 if scale.quick else 2 * scale.repeats,
        *(Work(lambda c=command: _run(*c)) for command in (*commands, ["-m", "privet", "--help"])),
    )
    yield Row(
        "import privet",
        show_time(privet - bare),
        f"import numpy {show_time(numpy - bare)}",
        (privet - bare) / (numpy - bare),
        bar=Bar(1.3, at_most=True),
    )
    yield Row("privet --help", show_time(shown), "", shown, "s", Bar(0.3, at_most=True))
    first = median(float(_run("-c", _FIRST_BATCH)) for _ in range(1 + scale.repeats))
    yield Row("loading numba", show_time(first), "", first, "s")


def memory(scale: Scale) -> Iterator[Row]:
    """Memory for reports in a file.

    The most that a process of its own ever held: ten million answers at d = 1,024 randomized chunk
    by chunk into a file of 1.28 GB, and the file counted.
    """
    n, bar = scale(10_000_000), Bar(300, at_most=True)
    with TemporaryDirectory() as folder:
        for step, work in (("randomize", "randomize to a file"), ("count", "count from a file")):
            printed = _run("-m", "benchmarks.big_file", step, str(Path(folder, "reports")), str(n))
            used = json.loads(printed)
            time = show_time(used["seconds"])
            yield Row(work, time, "", used["megabytes"], "MB", bar)


def _run(*arguments: str) -> str:
    # As after an ordinary installation: modules are compiled to bytecode once.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(
        [sys.executable, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=_ROOT,
        env=environment,
    ).stdout
