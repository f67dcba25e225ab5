"""Pictures of the reproduction; matplotlib is imported only when one is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import theory
from ..figures.canvas import HEDGE, INK, new_figure
from .curves import Information, Point, find_threshold
from .protocol import LABELS
from .table1 import Table1

if TYPE_CHECKING:  # which take long to import, or are not installed
    from matplotlib.figure import Figure

_GREY = "#8a8f94"
# Distinguishable without colour: by lightness, mark and dash.
_STYLES: dict[str, dict[str, Any]] = {
    "ksharp": {"color": HEDGE, "marker": "o", "ls": "-"},
    "kstar": {"color": "#8e5aa8", "marker": "^", "ls": (0, (5, 1.5))},
    "mrr": {"color": "#e08e2b", "marker": "s", "ls": (0, (3, 1, 1, 1))},
    "brr": {"color": "#2f5d9b", "marker": "D", "ls": (0, (1.5, 1.2))},
}
_NORMS = {"l2": "squared ℓ2 error", "l1": "ℓ1 error"}


def draw_errors(table: Table1, norm: str = "l2") -> Figure:
    """Draw, for each d, every error relative to the k#-subset mechanism with real reports."""
    domains = list(dict.fromkeys(d for d, _ in table.rows))
    figure = new_figure(9, 7.6)
    grid = figure.subplots(3, 3, sharex=True, sharey=True)
    for ax, d in zip(grid.flat, domains, strict=True):
        levels = np.array([epsilon for size, epsilon in table.rows if size == d])
        least = _column(table, d, "ksharp", norm, "joint")
        for name, style in _STYLES.items():
            real = _column(table, d, name, norm, "joint") / least
            printed = _column(table, d, name, norm, "printed") / least
            ax.plot(levels, real, **style, lw=1.6, ms=4)
            hollow = style | {"ls": "none", "mfc": "white"}
            ax.plot(levels, printed, **hollow, ms=6, mew=1, zorder=1.5)
        ax.axhspan(0, 1, color=HEDGE, alpha=0.06, lw=0)
        _dress(ax, f"d = {d}")
    grid[0, 0].set(xscale="log", yscale="log", ylim=(0.42, 6) if norm == "l2" else (0.6, 2.8))
    _ticks(grid[0, 0], "x", (0.01, 0.1, 0.5, 1, 2, 5))
    _ticks(grid[0, 0], "y", (0.5, 1, 2, 4) if norm == "l2" else (0.7, 1, 1.4, 2), "{:g}×")
    figure.supxlabel("privacy level ε", fontsize=10)
    figure.supylabel(f"{_NORMS[norm]}, relative to the k#-subset mechanism", fontsize=10)
    for name, style in _STYLES.items():
        ax.plot([], [], **style, lw=1.6, ms=4, label=f"{LABELS[name]}, real reports")
    ax.plot([], [], "o", color=_GREY, mfc="white", ms=6, label="as printed")
    figure.legend(loc="outside upper left", ncols=5, frameon=False, fontsize=9)
    return figure


def draw_agreement(table: Table1) -> Figure:
    """Draw printed against reproduced values, and the z-scores of all cells."""
    figure = new_figure(9, 3.6)
    left, right = figure.subplots(1, 2)
    for name, style in _STYLES.items():
        cells = [cell for cell in table.cells if cell.mechanism == name]
        left.plot(
            [cell.marginal for cell in cells], [cell.printed for cell in cells], ls="none",
            marker=style["marker"], color=style["color"], mfc="none", ms=4.5, label=LABELS[name],
        )  # fmt: skip
    left.axline((1e-3, 1e-3), slope=1, color=INK, lw=0.8, zorder=0)
    left.set(xscale="log", yscale="log", xlabel="reproduced by the protocol", ylabel="printed")
    _dress(left, f"{len(table.cells)} cells, as printed and reproduced", loc="upper left")
    scores = [cell.z() for cell in table.cells]
    bins = np.arange(-4.25, 4.5, 0.5)
    right.hist(scores, bins, color=HEDGE, alpha=0.75, rwidth=0.9, label="cells")
    z = np.linspace(-4.25, 4.25, 200)
    normal = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * len(scores) / 2
    right.plot(z, normal, color=INK, lw=1.2, label="if print were a mean of 100 repeats")
    right.set(xlabel="z, standard errors from print to reproduction", ylabel="cells")
    right.set_ylim(top=1.35 * right.get_ylim()[1])
    _dress(right, "their differences", loc="upper left")
    return figure


def draw_understatement(table: Table1) -> Figure:
    """Draw printed over real errors against d, and the factor by which the protocol is too kind."""
    figure = new_figure(9, 3.6)
    for ax, norm in zip(figure.subplots(1, 2, sharey=True), _NORMS, strict=True):
        domains = np.array(list(dict.fromkeys(d for d, _ in table.rows)), dtype=float)
        for at, (name, style) in enumerate(_STYLES.items()):
            cells = [c for c in table.cells if (c.mechanism, c.norm) == (name, norm)]
            x = np.array([cell.d for cell in cells]) * 1.05 ** (at - 1.5)
            ratio = [cell.printed / cell.joint for cell in cells]
            error = [cell.standard_error("joint") / cell.joint for cell in cells]
            look = {"color": style["color"], "marker": style["marker"], "mfc": "white"}
            ax.errorbar(x, ratio, error, ls="none", elinewidth=0.7, ms=4, mew=1, **look)
            ax.plot([], [], ls="none", ms=4, **look, label=LABELS[name])
        d = np.geomspace(domains.min() / 1.2, domains.max() * 1.2, 200)
        power, formula = (1, "(d − 1)/d") if norm == "l2" else (0.5, "√((d − 1)/d)")
        ax.plot(d, np.maximum(1 - 1 / d, 0) ** power, color=INK, lw=1.4, label=formula)
        ax.axhline(1, color=_GREY, lw=0.8, zorder=0)
        ax.set(xscale="log", xlabel="values d", ylim=(0.3, 1.4))
        _ticks(ax, "x", domains)
        _dress(ax, _NORMS[norm], loc="lower right", ncols=2)
    figure.axes[0].set_ylabel("printed / real")
    return figure


def draw_reduction(table: Table1) -> Figure:
    """Draw how much less error the k#-subset mechanism makes than the better of its rivals."""
    figure = new_figure(9, 3.8)
    ax = figure.gca()
    domains = (8, 16, 32, 64, 128, 256)
    epsilon = np.geomspace(0.05, 7, 400)
    for d, colour, mark in zip(domains, _shades(domains), "osD^vP", strict=True):
        least = theory.total_variance(d, epsilon, theory.l2_optimal_k(d, epsilon), 1)
        brr = theory.binary_total_variance(d, epsilon, 1)
        mrr = theory.total_variance(d, epsilon, 1, 1)
        ax.plot(epsilon, 100 * (1 - least / np.minimum(mrr, brr)), color=colour, lw=1.4)
        levels = np.array([level for size, level in table.rows if size == d])
        own, *others = (_column(table, d, name, "l2", "joint") for name in ("ksharp", "brr", "mrr"))
        less = 1 - own / np.minimum(*others)
        look = {"ls": "none", "marker": mark, "color": colour, "mec": "white", "mew": 0.6}
        ax.plot(levels, 100 * less, **look, ms=6.5, label=f"d = {d}")
    ax.plot([], [], color=_GREY, lw=1.4, label="unprojected, exactly")
    ax.axhline(0, color=_GREY, lw=0.8, zorder=0)
    ax.set(xscale="log", xlabel="privacy level ε", ylabel="less squared ℓ2 error, %")
    ax.set_xlim(0.05, 7)
    _ticks(ax, "x", (0.05, 0.1, 0.2, 0.5, 1, 2, 5))
    title = "k#-subset against the better of BRR and MRR, with real reports"
    _dress(ax, title, loc="upper left")
    return figure


def draw_information(curves: Information) -> Figure:
    """Draw the information of each mechanism against the bounds, the best sizes, the thresholds."""
    figure = new_figure(9, 6.4)
    parts: Any = figure.subfigures(2, 1, height_ratios=(1, 1.1))
    top, bottom = parts
    panels = top.subplots(1, len(curves.thresholds), sharex=True, sharey=True, squeeze=False)[0]
    mechanisms = (("brr", "brr", ":"), ("mrr", "mrr", "-."), ("kstar", "k_subset", "-"))
    for ax, threshold in zip(panels, curves.thresholds, strict=True):
        points = _points(curves, threshold.d)
        epsilon, limit = _values(points, "epsilon"), _values(points, "any_d")
        for name, field, dash in mechanisms:
            look = {"color": _STYLES[name]["color"], "ls": dash, "lw": 1.8, "label": LABELS[name]}
            ax.plot(epsilon, 100 * (_values(points, field) / limit), **look)
        ax.plot(epsilon, 100 * _values(points, "quadratic") / limit, color=INK, lw=1, label="ε²/8")
        line = {"color": _GREY, "lw": 0.8, "ls": "--", "label": "MRR optimal from here"}
        ax.axvline(threshold.information, **line)
        ax.set(xscale="log", ylim=(0, 125), xlabel="privacy level ε")
        _ticks(ax, "x", (0.1, 1, 10))
        _dress(ax, f"d = {threshold.d}")
    panels[0].set_ylabel("information,\n% of the bound for any d")
    lines = panels[0].get_legend_handles_labels()
    top.legend(*lines, loc="outside upper left", ncols=5, frameon=False, fontsize=9)
    left, middle, right = bottom.subplots(1, 3)
    _draw_bounds(left, curves)
    _draw_sizes(middle, curves)
    _draw_thresholds(right)
    return figure


def _draw_bounds(ax: Any, curves: Information) -> None:
    for d, colour in _domains(curves):
        points = _points(curves, d)
        epsilon = _values(points, "epsilon")
        ax.plot(epsilon, _values(points, "k_subset"), color=colour, lw=1.6, label=f"d = {d}")
    ax.plot(epsilon, _values(points, "any_d"), color=INK, lw=1, ls="--", label="any d")
    ax.plot(epsilon, _values(points, "quadratic"), color=INK, lw=1, label="ε²/8")
    ax.set(xlim=(0, 10), ylim=(0, 7), xlabel="privacy level ε", ylabel="information, nats")
    _dress(ax, "The bound", loc="upper left", fontsize=8)


def _draw_sizes(ax: Any, curves: Information) -> None:
    for d, colour in _domains(curves):
        points = _points(curves, d)
        for field, dash in (("k_star", "-"), ("k_sharp", ":")):
            sizes = _values(points, field) / d
            ax.step(_values(points, "epsilon"), sizes, where="mid", color=colour, lw=1.3, ls=dash)
    ax.plot([], [], color=_GREY, lw=1.3, label="k*, most information")
    ax.plot([], [], color=_GREY, lw=1.3, ls=":", label="k#, least squared error")
    ax.set(xscale="log", xlabel="privacy level ε", ylabel="k / d", ylim=(0, 0.6))
    _ticks(ax, "x", (0.1, 1, 10))
    _dress(ax, "The best size of a report", loc="upper right", fontsize=8)


def _draw_thresholds(ax: Any) -> None:
    domains = np.unique(np.geomspace(4, 10**5, 60).astype(int))
    thresholds = [find_threshold(int(d)) for d in domains]
    for field, colour, dash, label in (
        ("information", _STYLES["kstar"]["color"], "-", "for information"),
        ("sufficient", _STYLES["kstar"]["color"], ":", "… the paper's condition"),
        ("l2", _STYLES["ksharp"]["color"], "-", "for the squared error"),
    ):
        ax.plot(domains, _values(thresholds, field), color=colour, ls=dash, lw=1.6, label=label)
    ax.set(xscale="log", xlabel="values d", ylabel="privacy level ε", ylim=(0, 16))
    _dress(ax, "From where on MRR is optimal", loc="upper left", fontsize=8)


def _column(table: Table1, d: int, name: str, norm: str, column: str) -> NDArray[np.float64]:
    cells = [cell for cell in table.cells if (cell.d, cell.mechanism, cell.norm) == (d, name, norm)]
    return _values(cells, column)


def _points(curves: Information, d: int) -> list[Point]:
    return [point for point in curves.points if point.d == d]


def _values(records: Iterable[object], field: str) -> NDArray[np.float64]:
    return np.array([getattr(record, field) for record in records])


def _shades(domains: Sequence[int]) -> list[Any]:
    from matplotlib import colormaps

    return [colormaps["viridis"](x) for x in np.linspace(0, 0.85, len(domains))]


def _domains(curves: Information) -> list[tuple[int, Any]]:
    """Return each d with its colour."""
    domains = [threshold.d for threshold in curves.thresholds]
    return list(zip(domains, _shades(domains), strict=True))


def _dress(ax: Any, title: str, **legend: Any) -> None:
    """Put a title above the axes, and a legend into them if it is said where."""
    if legend:
        ax.legend(frameon=False, **{"fontsize": 9, **legend})
    ax.set_title(title, loc="left", fontsize=10, color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="0.92", lw=0.6)
    ax.set_axisbelow(True)


def _ticks(ax: Any, axis: str, values: Any, text: str = "{:g}") -> None:
    getattr(ax, f"set_{axis}ticks")(values, [text.format(value) for value in values])
    getattr(ax, f"set_{axis}ticks")([], minor=True)
