"""Small work never loads numba: up to a fixed size, reports are made and counted without it."""

import subprocess
import sys

import numpy as np
import pytest

from privet.analysis import batch, counter
from privet.entropy import seeded
from privet.mechanisms import KSubset, for_one

ROWS = 20_000
CODE = """
import numpy as np, privet
survey = privet.Survey("Which?", [f"c{i}" for i in range(100)], 1.0, mechanism=%r)
tally = survey.tally()
tally.update(survey.randomize_batch([f"c{i %% 100}" for i in range(20_000)]))
estimate = tally.estimate()
estimate.project(); estimate.interval(); repr(estimate)
"""


def imported(code, **options):
    command = [sys.executable, "-X", "importtime", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, **options)
    return {line.split("|")[-1].strip() for line in done.stderr.splitlines()}


@pytest.mark.parametrize("mechanism", ["auto", "k-subset", "multivariate-rr", "binary-rr"])
def test_twenty_thousand_rows_load_no_numba(mechanism):
    modules = imported(CODE % mechanism)
    assert "numpy" in modules
    assert "numba" not in modules
    assert "llvmlite" not in modules


def test_control_a_large_batch_loads_numba():
    code = "from privet.mechanisms import KSubset; KSubset(100, 1.0).randomize([0] * 10**6)"
    assert "numba" in imported(code)


def test_small_pieces_of_much_work_load_numba():
    code = """
import numpy as np
from privet.mechanisms import BinaryRR
mechanism, reports = BinaryRR(64, 1.0), np.zeros((100_000, 8), dtype=np.uint8)
for _ in range(%d):
    mechanism.tally(reports)
"""
    assert "numba" not in imported(code % 5)
    assert "numba" in imported(code % 6)


def test_many_small_batches_load_numba():
    code = """
from privet.mechanisms import KSubset
mechanism, values = KSubset(64, 1.0), [0] * 10_000
for _ in range(%d):
    mechanism.randomize(values)
"""
    assert "numba" not in imported(code % 2)
    assert "numba" in imported(code % 10)


def test_the_commands_over_twenty_thousand_rows_load_no_numba(tmp_path):
    answers = "\n".join(["answer", *("tea" if i % 3 else "coffee" for i in range(ROWS)), ""])
    (tmp_path / "answers.csv").write_text(answers)
    new = ["survey", "new", "-q", "?", "-c", "tea", "-c", "coffee", "-e", "1", "-o", "survey.json"]
    for args in (
        new,
        ["randomize", "survey.json", "answers.csv", "-o", "reports.parquet"],
        ["estimate", "survey.json", "reports.parquet"],
    ):
        code = f"import sys; sys.argv = ['privet', *{args!r}]\nfrom privet.cli import main\nmain()"
        assert "numba" not in imported(code, cwd=tmp_path), args


def test_the_crossover_is_a_constant_that_a_seed_depends_on():
    """The same seed gives the same reports on every machine."""
    assert (batch.PLAIN_WORK, batch.PLAIN_REPORT) == (1 << 23, 200)
    mechanism = KSubset(100, 1.0)
    most = batch.PLAIN_WORK // (mechanism.stream_bytes + batch.PLAIN_REPORT)
    values = np.arange(most + 1) % 100
    plain = mechanism.randomize(values[:most], entropy=seeded(1))
    more = mechanism.randomize(values, entropy=seeded(1))
    assert not np.array_equal(more[:most], plain)


@pytest.mark.parametrize("rows", [300, 200_000])
def test_what_is_compiled_depends_on_the_amount_of_work_alone(rows):
    """Not on whether something else has imported numba."""
    code = f"""
import sys
if "numba first" in sys.argv:
    import numba
import numpy as np
from privet.mechanisms import KSubset, SetSubset
one, several = KSubset(20, 1.0), SetSubset(8, 1.0, 2)
one.tally(one.randomize(np.zeros({rows}, np.int64)))
several.tally(several.randomize(np.zeros(({rows}, 1), np.int64)))
print(sorted(name for name in sys.modules if name.startswith("privet.analysis.kernels.")))
"""
    shown = [
        subprocess.run(
            [sys.executable, "-c", code, *first], capture_output=True, text=True, check=True
        ).stdout
        for first in ([], ["numba first"])
    ]
    assert shown[0] == shown[1]
    assert ("subset_draws" in shown[0]) == (rows > 300)


@pytest.mark.parametrize("name", for_one)
def test_plain_reports_are_counted_alike_with_numba_and_without(name, monkeypatch):
    mechanism = for_one[name](37, 1.0)
    reports = mechanism.randomize(np.arange(2000) % 37, entropy=seeded(2))
    mechanism.check(reports)
    plain = mechanism.tally(reports)
    monkeypatch.setattr(counter, "PLAIN_BYTES", 0)
    monkeypatch.setattr(counter, "PLAIN_ENTRIES", 0)
    assert np.array_equal(mechanism.tally(reports), plain)
