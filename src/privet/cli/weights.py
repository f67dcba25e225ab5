"""The known sizes of groups, which reports are weighted by: checks, and what is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..analysis.estimate import Estimate
from ..analysis.sums.strata import Poststratified, poststratify
from ..bulk import read_known
from ..bulk.groups import Group
from ..errors import InvalidArgument, InvalidFile
from .output import plural, printable


def known_sizes(file: Path | None, typed: Sequence[str], by: Sequence[str]) -> dict[Group, float]:
    """Return the size of each group, as the options say; of none where there are none."""
    if file is None and not typed:
        return {}
    if file is not None and typed:
        raise click.UsageError("--weights and --weight say the same; give one of them.")
    if not by:
        raise click.UsageError("Weights are for groups: name their column with --by.")
    return read_known(file, by) if file is not None else _typed(typed, by)


def _typed(typed: Sequence[str], by: Sequence[str]) -> dict[Group, float]:
    if len(by) > 1:
        raise click.UsageError("--weight is for one column --by; for more, use --weights FILE.")
    known: dict[Group, float] = {}
    for pair in typed:
        name, _, number = pair.rpartition("=")
        try:
            size = int(number) if number.isdecimal() else float(number)
        except ValueError:
            size = 0
        if not name or not size > 0:
            rule = "be a group and its share, such as north=0.3"
            raise click.UsageError(f"--weight must {rule}. Got {pair!r}.")
        if (name,) in known:
            raise click.UsageError(f"--weight {name} is given twice.")
        known[name,] = size
    return known


def weigh(
    estimates: Mapping[Group, Estimate],
    known: Mapping[Group, float],
    by: Sequence[str],
    people: int | None,
    source: object,
) -> Poststratified:
    """Return one estimate of all groups, weighted by their known sizes, or say what is amiss."""

    def named(group: Group) -> str:
        return f"{source}: the group {in_words(by, group)}"

    for group in known.keys() - estimates.keys():
        raise InvalidFile(f"{named(group)} has no reports; merge it with one that is like it.")
    for group, one in estimates.items():
        if group not in known:
            raise InvalidFile(f"{named(group)}, with {plural(one.n, 'report')}, is not there.")
    try:
        whole = poststratify(estimates, known)
    except InvalidArgument:
        rule = "shares add up to 1, and people are whole numbers"
        raise InvalidFile(f"{source}: {rule}. The sum is {sum(known.values()):g}.") from None
    if people is not None and whole.people is not None:
        raise click.UsageError(f"{source} says how many people there are; leave out --people.")
    if total := people or whole.people:
        for group, one in estimates.items():
            if (size := round(whole.shares[group] * total)) < one.n:
                few = f"{size:,} people, and {plural(one.n, 'report')}"
                raise InvalidFile(f"{named(group)} has {few}.")
    return whole


def in_words(by: Sequence[str], group: Group) -> str:
    r"""Return a group with the names of its columns.

    >>> in_words(["country", "sex"], ("France", None))
    'country = France, sex = (none)'
    """
    pairs = zip(by, group, strict=True)
    return ", ".join(f"{printable(name)} = {value_in_words(value)}" for name, value in pairs)


def value_in_words(value: str | None) -> str:
    r"""Return a value of a group.

    >>> value_in_words(None), value_in_words(""), value_in_words("\x1b")
    ('(none)', '(empty)', '\\x1b')
    """
    return "(none)" if value is None else printable(value) or "(empty)"


def describe_weights(whole: Poststratified, by: Sequence[str]) -> dict[str, Any]:
    """Return what JSON output says of the weights."""
    groups = [
        {"group": dict(zip(by, group, strict=True)), "n": one.n, "share": whole.shares[group]}
        for group, one in whole.groups.items()
    ]
    return {"design_effect": whole.design_effect, "weighted_by": groups}


def say_weights(whole: Poststratified, by: Sequence[str]) -> str:
    """Return a sentence on the weights and what they cost."""
    effect, names = whole.design_effect, ", ".join(map(printable, by))
    return (
        f"{plural(len(whole.groups), 'group')} by {names}, weighted by known size. The design "
        f"effect is {effect:.2f}:\nthese {whole.n:,} reports tell as much as "
        f"{whole.n / effect:,.0f} reports of people drawn at random from all."
    )
