"""A new contract handed over: to a file, or to standard output, with what to know of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..device.contract import Contract
from .guards import keep_another, note_epsilon
from .output import print_json, say


def hand_over(
    made: Contract,
    out: Path | None,
    *,
    summary: str,
    described: dict[str, Any],
    force: bool,
    json_out: bool,
    from_answers: bool,
    said: Sequence[str] = (),
) -> None:
    """Write a contract or print it, say what it is, and warn of what it may give away."""
    lines = [*said]
    if out is not None:
        if not force:
            keep_another(out, made)
        made.write(out)
        lines.append(f"{out}: {made.id}, {summary}, fingerprint {made.fingerprint[:12]}…")
    for line in lines:
        say(line)
    if json_out:
        print_json({"file": out and str(out), **described})
    elif out is None:
        click.echo(made.to_json())
    note_epsilon(made.epsilon)
    if from_answers:
        say(
            "Note: the categories come from people's answers. Anyone who sees the "
            f"{type(made).__name__.lower()} learns that someone gave each of them; leave out what "
            "would identify a person."
        )
