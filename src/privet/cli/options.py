"""The kinds of argument that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

__all__ = ["FIGURE", "INPUT", "OUTPUT"]

_FORMATS = (".png", ".svg", ".pdf")


class _Figure(click.Path):
    """A path whose ending names a format, checked before any work is done."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if path.suffix.lower() not in _FORMATS:
            self.fail(f"{path.name!r} must end in one of {', '.join(_FORMATS)}.", param, ctx)
        return super().convert(value, param, ctx)


INPUT = click.Path(exists=True, dir_okay=False, path_type=Path)
# Whether the system lets us write there is its own to say, with an exit code of its own.
OUTPUT = click.Path(readable=False, path_type=Path)
FIGURE = _Figure(readable=False, path_type=Path)
