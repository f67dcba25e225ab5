"""make bench: what privet takes, against peers, against numpy and against the machine.

A table is a generator of rows, listed here in the order shown; see rows.py.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from . import (
    against_limits,
    against_numpy,
    against_peers,
    footprint,
    hit_or_miss,
    limits,
    populations,
    report,
    short_reports,
    whole_files,
)
from .rows import Table
from .timing import Scale

TABLES = tuple(
    Table(measure)
    for measure in (
        against_peers.randomize_k_subset,
        against_peers.count_k_subset,
        against_numpy.argpartition,
        against_limits.keystream_floor,
        against_limits.tally_bandwidth,
        short_reports.make,
        short_reports.decode,
        short_reports.short_against_peers,
        against_peers.randomized_response,
        against_numpy.two_workers,
        against_numpy.simplex,
        populations.population,
        against_peers.one_report,
        hit_or_miss.hit_or_miss,
        footprint.a_device,
        footprint.startup,
        footprint.memory,
        whole_files.commands,
    )
)
_HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="tiny sizes, no peers, no files: only that it runs"
    )
    scale = Scale(parser.parse_args().quick)
    console = Console(width=None if sys.stdout.isatty() else 140)
    rates = limits.gigabytes_a_second(scale)
    for line in (*report.machine(), *(f"{name}: {rate:.1f} GB/s" for name, rate in rates.items())):
        console.print(line, highlight=False)
    results = []
    for table in TABLES:
        rows = list(table.measure(scale))
        console.print(report.terminal_table(table, rows, judged=not scale.quick))
        results.append((table, rows))
    if scale.quick:
        return
    from . import picture

    picture.save(results, _HERE / "results.png")
    (_HERE / "RESULTS.md").write_text(report.markdown(results, rates, "results.png"))
    console.print("written: benchmarks/RESULTS.md, benchmarks/results.png", highlight=False)


if __name__ == "__main__":
    main()
