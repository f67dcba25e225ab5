"""privet simulate attack: attacks on surveys, run against made-up people."""

from __future__ import annotations

import click

from .attack_averaging import averaging
from .attack_poisoning import poisoning
from .options import InOrder


@click.group(cls=InOrder, no_args_is_help=False)
def attack() -> None:
    """Attack a survey of made-up people, and see what holds.

    privet simulate attack averaging --people 500
    """


attack.add_command(averaging)
attack.add_command(poisoning)
