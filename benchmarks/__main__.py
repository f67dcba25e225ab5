"""make bench: what a user waits for, measured in one run."""

from __future__ import annotations

import subprocess
import sys
import timeit
from statistics import median

import numpy as np

from privet import Survey


def seconds(command, repeats=9):
    run = lambda: subprocess.run(command, check=True, capture_output=True)  # noqa: E731
    return median(timeit.repeat(run, number=1, repeat=repeats))


def main():
    python = [sys.executable, "-c"]
    bare, numpy, privet = (
        seconds([*python, code]) for code in ("pass", "import numpy", "import privet")
    )
    print(f"import privet            {(privet - bare) / (numpy - bare):8.2f} × numpy's import")
    print(f"privet --help            {seconds([sys.executable, '-m', 'privet', '--help']):8.3f} s")
    for d in (16, 64, 100, 1000):
        survey = Survey("Q", [f"c{i}" for i in range(d)], 1.0)
        times = timeit.repeat(lambda s=survey: s.randomize("c5"), number=5000, repeat=9)
        print(f"one report, d = {d:<5}    {median(times) / 5000 * 1e6:8.2f} µs")
        values = np.random.default_rng(1).integers(0, d, 100_000)
        reports = survey.mechanism.randomize(values)
        for name, work in (
            ("randomize", lambda s=survey, v=values: s.mechanism.randomize(v, workers=1)),
            ("tally", lambda s=survey, r=reports: s.mechanism.tally(r)),
        ):
            each = median(timeit.repeat(work, number=1, repeat=5)) / len(values) * 1e9
            print(f"{name + f', d = {d}':<24} {each:8.0f} ns a report")


if __name__ == "__main__":
    main()
