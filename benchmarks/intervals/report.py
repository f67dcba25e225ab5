"""The page of the campaign: how often each promise was kept, at the least and on average."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .campaign import BAR, DOUBTFUL, LEAST_ERROR, MORE, REPEATS, cells_of, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from .campaign import Finding, Judged
    from .study import Study

__all__ = ["write"]

_HEAD = """# Intervals, tests and standard errors, simulated

`make intervals` simulates every promise of an error that the package makes: {repeats:,} surveys in
each cell, which is one population at one ε with one number of respondents. The populations are
awkward ones: heaps, spikes, giants, empty categories, everything at one end, shares of 1 % and
0.3 %. Where less than {doubtful:.0%} of the intervals of a label hold the truth, or more than
{wrong:.0%} of the tests at .05 reject a true null hypothesis, the label is repeated {more:,}
times. Then {bar:.0%} of the intervals must hold, and no more than {wrong:.0%} of the tests may
reject. Of a standard error, the page has its root mean square over the real error, which must be at
least {error}; a larger one is honest, too.

*Lowest* is the worst cell and, within it, the worst of the categories, bands or quantiles that are
looked at; *mean* is over all cells. *Withheld* is how often the package declined to give a number,
by a rule that its output states.

This page has {done:,} of {all:,} cells.{open}
"""
_CONTROLS = """
## Methods that must fail

These are methods that do not hold, each in a cell where the campaign must notice.
"""


def write(
    findings: Iterable[Finding], studies: Sequence[Study], controls: Sequence[Study], path: Path
) -> None:
    """Write the page of the findings there are."""
    judged: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    seen = set()
    for finding in findings:
        seen.add(finding.cell)
        for one in judge(finding):
            judged[finding.cell.study, one.label].append(one)
    wanted = set(cells_of(studies))
    done = len(seen & wanted)
    lines = _HEAD.format(
        repeats=REPEATS, more=MORE, doubtful=DOUBTFUL, wrong=1 - DOUBTFUL, bar=BAR,
        error=LEAST_ERROR, done=done, all=len(wanted),
        open="" if done == len(wanted) else " The others have not been run yet.",
    ).splitlines()  # fmt: skip
    for study in studies:
        lines += _table(f"\n## {study.name[0].upper()}{study.name[1:]}\n", study, judged)
    lines += _CONTROLS.splitlines()
    for study in controls:
        lines += _table(f"\n### {study.name}\n", study, judged)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _table(heading: str, study: Study, judged: dict[tuple[str, str], list[Judged]]) -> list[str]:
    rows = [(label, some) for (name, label), some in judged.items() if name == study.name]
    if not rows:
        return []
    lines = [*heading.splitlines(), "", "| what | cells | lowest | mean | withheld | lowest at |"]
    lines.append("|---|--:|--:|--:|--:|---|")
    for label, some in sorted(rows):
        answered = [one for one in some if one.asked]
        if not answered:
            lines.append(f"| {label} | {len(some)} | | | all | |")
            continue
        worst = min(answered, key=lambda one: one.lowest)
        average = sum(one.mean for one in answered) / len(answered)
        mean = "" if worst.kind == "error" else f"{average:.3f}"
        withheld = sum(one.withheld for one in some)
        share = f"{withheld / (withheld + sum(one.asked for one in some)):.1%}" if withheld else ""
        cell = worst.cell
        where = f"{cell.truth}, ε = {cell.epsilon:g}, n = {cell.n:,}"
        lowest = f"{worst.lowest:.3f}{'' if worst.holds else ' ✗'}"
        lines.append(f"| {label} | {len(some)} | {lowest} | {mean} | {share} | {where} |")
    return lines
