"""dieharder over the words that samplers use: this writes the tables.

A control of 51 % ones must fail, and no source may.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scipy import stats

import random_words

Source = Callable[[], Iterator[bytes]]

PAGE = Path(__file__).parents[2] / "benchmarks" / "RANDOMNESS.md"
# The numbers of Marsaglia's, NIST's and Bauer's tests that dieharder calls good, but for 17, which
# takes 8 GB.
EVERY = [*range(5), *range(8, 14), 15, 16, *range(100, 103), *range(205, 210)]
SMALL = [0, 4, 8, 10, 11, 12, 15, 100, 101]  # those that take less than 50 MB
# What is tested, how, and with how many samples, if not dieharder's usual number.
RUNS: list[tuple[Source, list[int], int | None]] = [
    (random_words.batches, EVERY, None),
    (random_words.counter, SMALL, None),
    (random_words.draws, SMALL, None),
    (random_words.people, SMALL, 20),
]
COLUMNS = [
    part for name in ("test_name", "ntuple", "pvalues", "assessment") for part in ("-D", name)
]


class Result(NamedTuple):
    """A p-value of a test, from so many bytes."""

    test: str
    p: float
    verdict: str
    size: int


def run(source: Source, test: int, samples: int | None = None) -> list[Result]:
    """Return what a test of dieharder says of a source."""
    command = ["dieharder", "-g", "200", "-d", str(test), *COLUMNS]
    if samples is not None:
        command += ["-p", str(samples)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    size = 0
    with suppress(BrokenPipeError):  # once it has read enough
        for piece in source():
            process.stdin.write(piece)
            size += len(piece)
    said = process.stdout.read().decode()
    with suppress(BrokenPipeError):
        process.stdin.close()
    if process.wait():
        sys.exit(f"{' '.join(command)} ended with {process.returncode}: {said}")
    return [result_of(line, size) for line in said.splitlines() if line.count("|") == 3]


def result_of(line: str, size: int) -> Result:
    """Return what a line of dieharder says."""
    name, width, p, verdict = (part.strip() for part in line.split("|"))
    return Result(name if width == "0" else f"{name} {width}", float(p), verdict, size)


def page(found: dict[str, list[Result]], control: Result) -> str:
    """Return the tables as Markdown, and what they come to."""
    every = [result.p for results in found.values() for result in results]
    uniform = stats.kstest(every, "uniform").pvalue
    tests = dict.fromkeys(result.test for results in found.values() for result in results)
    return "\n".join(
        [
            "| source | tests | p-values | data | weak | failed | least p |",
            "|---|---|---|---|---|---|---|",
            *(summary(name, results) for name, results in found.items()),
            "",
            f"Of {len(every)} p-values, {len(every) / 100:.1f} are weak by chance. That all of",
            f"them together are uniform has p = {uniform:.2f} (Kolmogorov–Smirnov).",
            "",
            f"Of the control, 51 % ones, {control.test} says {control.verdict},",
            f"p = {control.p:.8f}, after {control.size / 1e6:.0f} MB.",
            "",
            f"| test | {' | '.join(f'`{name}`' for name in found)} |",
            "|---|" + "---|" * len(found),
            *(p_values(test, found) for test in tests),
            "",
        ]
    )


def summary(name: str, results: list[Result]) -> str:
    """Return a source's row."""
    sizes = {result.test.split()[0]: result.size for result in results}
    verdicts = [result.verdict for result in results]
    least = min(result.p for result in results)
    return (
        f"| `{name}` | {len(sizes)} | {len(results)} | {sum(sizes.values()) / 1e9:.2f} GB "
        f"| {verdicts.count('WEAK')} | {verdicts.count('FAILED')} | {least:.4f} |"
    )


def p_values(test: str, found: dict[str, list[Result]]) -> str:
    """Return a test's row."""
    cells = (
        ", ".join(f"{one.p:.3f}" for one in results if one.test == test)
        for results in found.values()
    )
    return f"| {test} | {' | '.join(cells)} |"


def main() -> None:
    """Run everything, write the page, and fail if a source does or if the control does not."""
    if shutil.which("dieharder") is None:
        sys.exit("There is no dieharder; on Debian: apt install dieharder")
    (control,) = run(random_words.biased, 100)
    found: dict[str, list[Result]] = {}
    for source, tests, samples in RUNS:
        for test in tests:
            for result in run(source, test, samples):
                print(f"{source.__name__:9} {result.test:26} {result.p:.6f} {result.verdict}")
                found.setdefault(source.__name__, []).append(result)
    PAGE.write_text(page(found, control), encoding="utf-8")
    failed = [r.test for results in found.values() for r in results if r.verdict == "FAILED"]
    if failed or control.verdict != "FAILED":
        sys.exit(f"failed: {failed}; the control: {control.verdict}")


if __name__ == "__main__":
    main()
