"""What `privet estimate --check` says of false reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..analysis.tally import Tally
from ..bulk import read_reports
from ..bulk.groups import Group
from ..bulk.tallying import is_tally
from ..device.contract import Contract
from ..device.mechanisms.subsets.k_subset import KSubset
from ..poisoning import Finding, check, check_reports

Found = Mapping[Group, Sequence[Finding]]

_RARE = 0.01


def looked_for(contract: Contract, tallies: Mapping[Group, Tally], files: Sequence[Any]) -> Found:
    """Test the tallies of all groups; or the reports of sets, where local files have them all."""
    found: dict[Group, Sequence[Finding]] = {group: check(one) for group, one in tallies.items()}
    if (
        isinstance(contract.mechanism, KSubset)
        and [*tallies] == [()]
        and all(isinstance(file, Path) and not is_tally(file) for file in files)
    ):
        found[()] = check_reports(contract.mechanism, read_reports(files, contract))
    return found


def describe_checks(found: Found, by: Sequence[str]) -> dict[str, Any]:
    """Return what JSON output says of them."""
    rows = [
        {"group": dict(zip(by, group, strict=True))} | one._asdict()
        for group, tests in found.items()
        for one in tests
    ]
    return {"checks": rows}


def print_checks(found: Found) -> None:
    """Print a line for each test."""
    if not any(found.values()):
        click.echo("check: no test of false reports is known here; see privet.poisoning.")
    for group, tests in found.items():
        for one in tests:
            said = "honest reports are seldom so far off" if one.p_value < _RARE else "as expected"
            where = "".join(f", {value}" for value in group)
            chi = f"χ² = {one.statistic:.1f} with {one.degrees:g} degrees of freedom"
            click.echo(f"check, {one.test}{where}: {chi}, p = {one.p_value:.2g}: {said}")
