"""privet simulate."""

from __future__ import annotations

import click


@click.command()
def simulate() -> None:
    """To be written."""
