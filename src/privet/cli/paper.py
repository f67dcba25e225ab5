"""privet paper."""

from __future__ import annotations

import click


@click.command()
def paper() -> None:
    """To be written."""
