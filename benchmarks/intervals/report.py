"""The page of the campaign: the lowest and mean coverage of each promise."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .campaign import MORE, REPEATS, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from .campaign import Finding, Judged
    from .study import Study

__all__ = ["write"]


def write(findings: Iterable[Finding], studies: Sequence[Study], path: Path) -> None:
    """Write the page."""
    judged: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for finding in findings:
        for one in judge(finding):
            judged[finding.cell.study, one.label].append(one)
    lines = [
        "# Intervals, tests and standard errors, simulated",
        "",
        f"`make intervals` simulates every promise of error that the package makes: {REPEATS:,} "
        f"surveys in each cell, {MORE:,} where fewer than 94 % of promises were kept.",
    ]
    for study in studies:
        rows = [(label, some) for (name, label), some in judged.items() if name == study.name]
        lines += ["", f"## {study.name}", "", "| what | cells | lowest | mean | where lowest |"]
        lines += ["|---|--:|--:|--:|---|"]
        for label, some in rows:
            worst = min(some, key=lambda one: one.lowest)
            mean = sum(one.mean for one in some) / len(some)
            cell = worst.cell
            where = f"{cell.truth}, ε = {cell.epsilon:g}, n = {cell.n:,}"
            lines.append(f"| {label} | {len(some)} | {worst.lowest:.3f} | {mean:.3f} | {where} |")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
