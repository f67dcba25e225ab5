"""Run the campaign, or some studies of it: python -m benchmarks.intervals [STUDY ...]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic

from .campaign import cells_of, judge, run
from .register import STUDIES
from .report import write

HERE = Path(__file__).parents[1]
KEPT = HERE.parent / "build" / "intervals.jsonl"


def main() -> int:
    """Run what is left of the campaign; write the page when all of it is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.intervals", description=__doc__)
    parser.add_argument("studies", nargs="*", help="only these, and no page; by default all")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run found")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    names = {study.name: study for study in STUDIES}
    for name in chosen.studies:
        if name not in names:
            parser.error(f"There is no study {name!r}. There are: {', '.join(names)}.")
    studies = [names[name] for name in chosen.studies] if chosen.studies else STUDIES
    many, start, findings = len(list(cells_of(studies))), monotonic(), []
    for finding in run(studies, KEPT, workers=chosen.workers, fresh=chosen.fresh):
        findings.append(finding)
        for one in judge(finding):
            if not one.holds:
                where = f"{one.cell.key}: {one.label}"
                print(f"\r{where}: {one.lowest:.4f} of {one.asked:,} ({one.kind})", flush=True)
        if sys.stderr.isatty():
            print(f"\r{len(findings)} of {many} cells", end="", file=sys.stderr, flush=True)
    print(f"{len(findings)} cells in {monotonic() - start:.0f} s")
    if not chosen.studies:
        write(findings, STUDIES, HERE / "INTERVALS.md")
    return int(any(not one.holds for finding in findings for one in judge(finding)))


if __name__ == "__main__":
    sys.exit(main())
