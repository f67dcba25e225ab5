"""privet simulate attack: attacks on simulated crowds, one a file."""

from __future__ import annotations

import click

from .attack_poisoning import poisoning
from .options import InOrder


@click.group(cls=InOrder, no_args_is_help=False)
def attack() -> None:
    """Attack a simulated crowd, and show what comes of it.

    privet simulate attack --help
    """


attack.add_command(poisoning)
