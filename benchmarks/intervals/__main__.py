"""Run the campaign, or some studies of it: python -m benchmarks.intervals [STUDY ...]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from .campaign import cells_of, judge, read, run
from .controls import CONTROLS
from .register import STUDIES
from .report import write

if TYPE_CHECKING:
    from .campaign import Finding

HERE = Path(__file__).parents[1]
KEPT = HERE.parent / "build" / "intervals.jsonl"
PAGE = HERE / "INTERVALS.md"


def main() -> int:
    """Run what is left of the campaign, and write the page; return 1 if a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.intervals", description=__doc__)
    parser.add_argument("studies", nargs="*", help="only these; by default all")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run found")
    parser.add_argument("--page", action="store_true", help="only write the page of what is known")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    names = {study.name: study for study in [*STUDIES, *CONTROLS]}
    for name in chosen.studies:
        if name not in names:
            parser.error(f"There is no study {name!r}. There are: {', '.join(names)}.")
    failed, start, count = 0, monotonic(), 0
    studies = [names[name] for name in chosen.studies] if chosen.studies else [*names.values()]
    if not chosen.page:
        many = len(list(cells_of(studies)))
        for count, finding in enumerate(
            run(studies, KEPT, workers=chosen.workers, fresh=chosen.fresh), 1
        ):
            failed += _failures(finding)
            if sys.stderr.isatty():
                print(f"\r{count} of {many} cells", end="", file=sys.stderr, flush=True)
        print(f"{count} cells in {monotonic() - start:.0f} s, {failed} labels failed")
    write(read(KEPT).values(), STUDIES, CONTROLS, PAGE)
    return int(failed > 0)


def _failures(finding: Finding) -> int:
    """Return how many labels are not as they must be, and print them."""
    control = finding.cell.study in {study.name for study in CONTROLS}
    wrong = [one for one in judge(finding) if one.holds is control]
    for one in wrong:
        where = f"{one.cell.key}: {one.label}"
        print(f"\r{where}: {one.lowest:.4f} of {one.asked:,} ({one.kind})", flush=True)
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
