"""The table of commands: what each is for, in a line, so that help imports none of them."""

from __future__ import annotations

from importlib import import_module

import click

from ..errors import MissingExtra

__all__ = ["COMMANDS", "load"]

COMMANDS = {
    "demo": "Learn what a made-up crowd answers from its reports alone.",
    "plan": "Plan a survey: two of ε, people and margin give the third.",
    "survey": "Make, show or check a survey.",
    "questionnaire": "Make or show a questionnaire of several questions.",
    "randomize": "Randomize files of answers into reports, in random order.",
    "tally": "Count reports into one tally, to send instead of them.",
    "estimate": "Estimate the distribution of answers from their reports.",
    "compare": "Compare waves or groups, or one group with what is known.",
    "regress": "Find how answers depend on columns kept in the clear.",
    "simulate": "Simulate surveys of people whose answers are known.",
    "audit": "Audit a client of a survey: see what its reports reveal.",
    "paper": "Reproduce the paper's table and curves, corrected.",
    "serve": "Take reports over HTTP, count each once, and give estimates.",
    "store": "Look after the store of a service.",
    "backup": "Copy a store in SQLite to a file, which is a store too.",
}


def load(name: str) -> click.Command:
    """Import a command from the file of its name, or say which package it needs."""
    try:
        command = getattr(import_module(f"{__package__}.{name}"), name)
    except ModuleNotFoundError as error:
        package = (error.name or "privet").partition(".")[0]
        if package == "privet":
            raise
        extra = "serve" if name == "serve" else "analysis"
        raise MissingExtra(f"privet {name}", package, f"privet[{extra}]") from None
    assert isinstance(command, click.Command)  # noqa: S101
    return command
