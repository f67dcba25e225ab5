"""The benchmark runs from end to end; only `make bench` says how fast anything is."""

import re
import subprocess
import sys
from pathlib import Path

ROWS = """
Randomize by the k-subset mechanism, against a peer
    randomize, d = 64
    randomize, d = 1,024
Count k-subset reports, against a peer
    tally, d = 64
    tally, d = 1,024
Randomize, against argpartition
    randomize, d = 64
    randomize, d = 1,024
    randomize, d = 65,536
Randomize, as a share of the keystream's speed
    randomize, d = 16
    randomize, d = 64
    randomize, d = 100
    randomize, d = 1,024
    randomize, d = 4,096
    randomize, d = 65,536
Tally, as a share of reading memory
    tally, d = 64
    tally, d = 1,024
    tally, d = 65,536
    tally, d = 65
    tally, d = 100
    tally, d = 1,000
    tally, d = 4,097
Short reports, made
    Scale, 64 cells, from floats
Short reports, counted and decoded
Short reports, against peers
Randomized response, against peers
    BinaryRR, d = 64: randomize
    BinaryRR, d = 64: tally
    BinaryRR, d = 1,024: randomize
    BinaryRR, d = 1,024: tally
    MultivariateRR, d = 64: randomize
    MultivariateRR, d = 64: tally
    MultivariateRR, d = 1,024: randomize
    MultivariateRR, d = 1,024: tally
Randomize with two workers, against one
    randomize, d = 64, workers=2
    randomize, d = 1,024, workers=2
Project onto the simplex, against sorting
    project_simplex, noisy
    project_simplex, almost exact
Simulate a billion people
One report of one person
    Survey.randomize, d = 16
    Survey.randomize, d = 64
    Survey.randomize, d = 100
    Survey.randomize, d = 1,000
Time, and what it says of an answer
    one report, k-subset
    one report, hashed-rr
On a person's device
    import, 13 surveys and reports
    its memory
Start
    import privet
    privet --help
    loading numba
Memory for reports in a file
    randomize to a file
    count from a file
Commands over files, against pyarrow
    randomize + estimate, 10⁷ answers
    its start-up
    randomize, 10⁷ answers
    eight questions of 10⁷ people
    its start-up
    estimate, 10⁸ reports
    its start-up
"""


def test_a_quick_run_of_the_accuracy_prints_every_bar():
    root = Path(__file__).resolve().parent.parent
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.accuracy", "--quick"],
        cwd=root, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.count(" | yes |") >= 8


def test_a_quick_run_of_the_scales_prints_every_row():
    root = Path(__file__).resolve().parent.parent
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.scales", "--repeats", "4", "--cells", "16"],
        cwd=root, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.count(" ± ") == 4
    assert run.stdout.count("\n| 16 |") == 18


def test_a_quick_run_of_the_questionnaires_prints_every_row():
    root = Path(__file__).resolve().parent.parent
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.questionnaires", "--repeats", "2"],
        cwd=root, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.count(" × ") == 13
    assert run.stdout.count(", least ") == 4


def test_a_quick_run_of_scales_beside_others_is_within_all_bars():
    root = Path(__file__).resolve().parent.parent
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.scales_peers", "--quick"],
        cwd=root, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("Within the bar") == 3
    assert re.search(r"Means\b.*\b4 of 4\b", run.stdout)
    assert re.search(r"\bW1\b.*\b1 of 1\b", run.stdout)


def test_a_quick_run_of_the_regression_prints_every_row():
    root = Path(__file__).resolve().parent.parent
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.regression", "--repeats", "2"],
        cwd=root, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("ε = ") == 4
    assert run.stdout.count("\n| ") == 10


def test_a_quick_run_of_the_service_prints_every_row_and_writes_nothing():
    root = Path(__file__).resolve().parent.parent
    before = (root / "benchmarks" / "SERVICE.md").stat().st_mtime_ns
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.service", "--quick"],
        cwd=root, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    rows = ["keyed posts", "unkeyed posts", "keyed, one connection", "into SQLite",
            "memory after 10⁷ reports", "into PostgreSQL", "d = 100, no new reports",
            "d = 200, 50 reports later", "others meanwhile", "privet serve"]  # fmt: skip
    assert [row for row in rows if f"  {row} " not in run.stdout] == []
    assert (root / "benchmarks" / "SERVICE.md").stat().st_mtime_ns == before


def test_a_quick_run_prints_every_row_and_writes_nothing():
    root = Path(__file__).resolve().parent.parent
    results = [root / "benchmarks" / name for name in ("RESULTS.md", "results.png")]
    before = [path.exists() and path.stat().st_mtime_ns for path in results]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick"], cwd=root, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert [path.exists() and path.stat().st_mtime_ns for path in results] == before
    rest = run.stdout
    for name in (line.strip() for line in ROWS.strip().splitlines()):
        _, found, rest = rest.partition(name)
        assert found, f"missing, or not in its place: {name}"
