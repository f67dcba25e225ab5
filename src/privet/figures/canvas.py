"""What all pictures share: the figure and its file, the colours, and names that fit."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from os.path import commonprefix
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..errors import InvalidArgument
from ..errors.extras import require

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEDGE, TRUTH, INK, PALE = "#4f7942", "#d1495b", "#2b2d2f", "#b4b8b0"
LETTERS_AN_INCH = 11  # of a title
# And what would say when a picture was made.
_FORMATS = {".png": "Creation Time", ".svg": "Date", ".pdf": "CreationDate"}
_MOST_LETTERS = 32
_NO_GLYPH = re.compile(r"Glyph (\d+) .*missing")


def new_figure(width: float, height: float) -> Figure:
    """Return a figure of its own, outside pyplot's global state, so that nothing leaks."""
    made = require("matplotlib.figure", "plot", "A picture").Figure
    figure: Figure = made(figsize=(width, height), dpi=150, layout="constrained")
    return figure


def shown_figure(width: float, height: float) -> Figure:
    """Return a figure of pyplot's, which a notebook shows by itself."""
    pyplot = require("matplotlib.pyplot", "plot", "A picture")
    figure: Figure = pyplot.figure(figsize=(width, height), dpi=150, layout="constrained")
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write the figure in the format that the path's ending names, the same bytes every time."""
    ending = path.suffix.lower()
    if ending not in _FORMATS:
        rule = f"a file name that ends in one of {', '.join(_FORMATS)}"
        raise InvalidArgument("figures", "path", rule, path.name)
    from matplotlib import rc_context

    with warnings.catch_warnings(record=True) as caught, rc_context({"svg.hashsalt": "privet"}):
        warnings.simplefilter("always")
        figure.savefig(path, metadata={_FORMATS[ending]: None})
    absent = {}  # once each, in their order; matplotlib warns of every one by itself
    for warning in caught:
        if found := _NO_GLYPH.match(str(warning.message)):
            absent[chr(int(found[1]))] = True
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, 0)
    if absent:
        warnings.warn(
            f"The picture's font lacks {shorten(' '.join(absent))}: name one that has them as "
            "font.family in a matplotlibrc file.",
            stacklevel=3,
        )


def set_title(ax: Axes, text: str, **options: Any) -> None:
    """Put a title above the axes, flush left, unless they have one; a $ in it is a dollar.

    It takes the place of the usual title in the middle, so that `ax.set_title` replaces it.
    """
    if not any(ax.get_title(loc) for loc in ("left", "center", "right")):
        ax.set_title(text, loc="center", x=0, ha="left", color=INK, parse_math=False, **options)
    ax.spines[["top", "right"]].set_visible(False)


def add_note(ax: Axes, text: str, above: int) -> None:
    """Put a small note between the axes and their title, so many points above the axes."""
    place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    look: dict[str, Any] = {"ha": "left", "va": "bottom", "fontsize": 8, "color": "grey"}
    ax.annotate(text, (0, 1), (0, above), **place, **look)


def set_suptitle(figure: Figure, said: Sequence[str], size: int = 11) -> None:
    """Put what is said above the whole figure, flush left, in as many lines as it takes."""
    text = fill(" · ".join(said), int(figure.get_figwidth() * LETTERS_AN_INCH))
    figure.suptitle(text, x=0.01, ha="left", fontsize=size, color=INK, parse_math=False)


def panels(figure: Figure, count: int, width: int, across: str) -> list[Axes]:
    """Return axes that share both scales, `width` of them per row; the lowest are labelled."""
    height = -(-count // width)
    grid = figure.subplots(height, width, sharex=True, sharey=True, squeeze=False).ravel()
    for place, ax in enumerate(grid):
        if place >= count:
            ax.remove()
        elif place + width >= count:
            ax.set_xlabel(across)
            ax.tick_params(labelbottom=True)
    return list(grid[:count])


def labels(names: Sequence[str]) -> list[str]:
    """Return short names; long ones that begin alike are shown from where they differ.

    >>> labels(["tea", "How I travel to my work: by bicycle", "How I travel to my work: by train"])
    ['tea', 'How I travel…bicycle', 'How I travel…train']
    """
    shown = {name: name for name in names if len(name) <= _MOST_LETTERS}
    alike: dict[str, list[str]] = {}
    for name in names:
        if name not in shown:
            alike.setdefault(name[: _MOST_LETTERS // 2], []).append(name)
    for some in alike.values():
        same = commonprefix(some) if len(some) > 1 else ""  # noqa: RUF071
        start = same.rfind(" ") + 1 or len(same)
        for name in some:
            end = f"{name[: _MOST_LETTERS // 2 - 4]}…{name[start:]}" if start else name
            shown[name] = shorten(end)
    return [shown[name] for name in names]


def shorten(name: str) -> str:
    """Return a name that fits, cut off if need be."""
    return name if len(name) <= _MOST_LETTERS else name[: _MOST_LETTERS - 1] + "…"
