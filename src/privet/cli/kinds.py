"""The kinds of answer on the command line: categories, --several options, a --scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from ..device.answers.base import Answers
from ..device.answers.scale import Scale
from ..device.answers.several import Several

C = TypeVar("C", bound=Callable[..., Any])

_PARTS = (2, 3)


class _Range(click.ParamType):  # type: ignore[type-arg]
    """LOW:HIGH or LOW:HIGH:CELLS."""

    name = "low:high[:cells]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        parts = str(value).split(":")
        try:
            if len(parts) not in _PARTS:
                raise ValueError
            return float(parts[0]), float(parts[1]), *map(int, parts[2:])
        except ValueError:
            rule = "LOW:HIGH or LOW:HIGH:CELLS, such as 0:120:61"
            self.fail(f"{value!r} is not {rule}.", param, ctx)


RANGE = _Range()
_OPTIONS = (
    click.option(
        "--several", is_flag=True, help="People choose all that apply; the categories are options."
    ),
    click.option(
        "--most", type=click.IntRange(1), show_default="3, or as many as there are",
        help="How many options one person may choose.",
    ),
    click.option(
        "--pairs", is_flag=True, help="Learn how often two options are chosen together, too."
    ),
    click.option(
        "--scale", type=RANGE, metavar="LOW:HIGH[:CELLS]",
        help="People answer with a number, which is told apart in so many cells.",
    ),
    click.option("--unit", help="Of the numbers on a scale, such as years."),
    click.option("--whole", is_flag=True, help="The numbers on a scale are whole."),
    click.option(
        "--aim", type=click.Choice(["shape", "mean"]), show_default="shape",
        help="What a scale is to tell most about: all of the distribution, or its mean.",
    ),
)  # fmt: skip
_BANDS = click.option(
    "--bands", metavar="A,B,…", show_default="four of one width",
    help="Borders that divide a scale in tables.",
)  # fmt: skip


def kinds(command: C) -> C:
    """Give a command the options of all kinds of answer."""
    return kinds_without_bands(_BANDS(command))


def kinds_without_bands(command: C) -> C:
    """Give a command those that matter for a question by itself."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class _Kind(NamedTuple):
    """How a command asks for a kind of answer: by one option, and with others that go with it."""

    option: str
    others: tuple[str, ...]
    made: Callable[[Sequence[str], dict[str, Any]], Answers]


def answers_from(names: Sequence[str], given: dict[str, Any]) -> Sequence[str] | Answers:
    """Return the kind of answer that these options ask for, refusing those of another kind."""
    asked = [kind for kind in _KINDS if given[kind.option] not in (None, False)]
    for kind in _KINDS:
        for name in kind.others:
            if kind not in asked and given.get(name):
                raise click.UsageError(f"--{name} is for --{kind.option}.")
    return asked[0].made(names, given) if asked else names


def _scale(names: Sequence[str], given: dict[str, Any]) -> Scale:
    if names or given["several"]:
        raise click.UsageError("--scale is for numbers: without categories, or --several.")
    also = {name: given[name] for name in ("unit", "whole", "aim") if given[name]}
    if given.get("bands") is not None:
        try:
            also["bands"] = [float(border) for border in given["bands"].split(",")]
        except ValueError:
            raise click.UsageError("--bands are numbers, with commas between them.") from None
    return Scale(*given["scale"], **also)


def _several(names: Sequence[str], given: dict[str, Any]) -> Several:
    most = given["most"] or min(3, len(names))
    return Several(names, most, pairs=given["pairs"])


_KINDS = (
    _Kind("scale", ("unit", "whole", "aim", "bands"), _scale),
    _Kind("several", ("most", "pairs"), _several),
)
