"""Pictures, with matplotlib imported late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InvalidArgument, MissingExtra

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import ArrayLike

    from .estimate import Estimate
    from .mechanisms.base import Target

__all__ = ["plot_estimate", "save_estimate"]

_HEDGE = "#4f7942"
_TRUTH = "#d1495b"
_INK = "#2b2d2f"
_MOST_BARS = 40
_FORMATS = (".png", ".svg", ".pdf")


def plot_estimate(
    estimate: Estimate,
    ax: Any = None,
    *,
    level: float = 0.95,
    target: Target = "population",
    truth: ArrayLike | None = None,
) -> Any:
    """Draw a bar a category with its interval, the largest at the top; return the axes.

    `truth`, where it is known, is marked on each bar. Beyond 40 categories only the largest 40 are
    drawn.
    """
    if ax is None:
        ax = _figure(min(len(estimate.counts), _MOST_BARS)).gca()
    order = np.argsort(estimate.frequencies, kind="stable")[-_MOST_BARS:]
    low, high = estimate.interval(level, target=target)
    shares = np.clip(estimate.frequencies, 0, None)
    at = np.arange(len(order))
    ax.barh(at, 100 * shares[order], height=0.72, color=_HEDGE, alpha=0.75, label="estimate")
    name = f"{100 * level:g} % interval"
    ax.hlines(at, 100 * low[order], 100 * high[order], color=_INK, lw=1.6, label=name)
    if truth is not None:
        shares = np.asarray(truth, dtype=np.float64)
        if shares.shape != estimate.frequencies.shape:
            rule = f"one share a category ({len(estimate.counts)})"
            raise InvalidArgument("plot_estimate", "truth", rule, shares.shape)
        ax.plot(100 * shares[order], at, "D", color=_TRUTH, ms=5, label="truth")
    names = [_shorten(estimate.survey.categories[i]) for i in order]
    ax.set_yticks(at, names, parse_math=False)  # a $ is a dollar
    ax.set_xlabel("share of people, %")
    ax.set_xlim(left=0)
    ax.set_title(
        f"{estimate.survey.question}", loc="left", fontsize=12, color=_INK, parse_math=False
    )
    omitted = len(estimate.counts) - len(order)
    left_out = f" · {omitted} smaller categories not shown" if omitted else ""
    ax.annotate(
        f"{estimate.n:,} reports · ε = {estimate.survey.epsilon:g}{left_out}",
        (1, 1), (0, 5), xycoords="axes fraction", textcoords="offset points",
        ha="right", va="bottom", fontsize=8, color="grey",
    )  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.legend(frameon=False, loc="lower right")
    return ax


def save_estimate(estimate: Estimate, path: Path, **options: Any) -> None:
    """Write the picture in the format that the path's ending names; options as plot_estimate's."""
    ending = path.suffix.lower()
    if ending not in _FORMATS:
        rule = f"a file name that ends in one of {', '.join(_FORMATS)}"
        raise InvalidArgument("save_estimate", "path", rule, path.name)
    plot_estimate(estimate, **options).figure.savefig(path)


def _figure(rows: int) -> Any:
    """Return a figure of its own, outside pyplot's global state, so that nothing leaks."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("A picture", "matplotlib", "privet[plot]") from None
    return Figure(figsize=(8, 1.4 + 0.33 * max(rows, 3)), dpi=150, layout="constrained")


def _shorten(name: str, most: int = 32) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
