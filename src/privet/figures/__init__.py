"""Pictures of estimates, plans and experiments, by matplotlib, which is imported late."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .attacks import plot_averaging
from .changes import plot_changes, plot_scale_changes
from .estimates import plot_estimate, plot_groups, save_estimate
from .experiments import plot_experiment
from .plans import plot_plan
from .regressions import plot_coefficients
from .scales import plot_below, plot_scale, plot_scale_groups, save_scale
from .tables import plot_table, save_table

__all__ = [
    "plot_averaging",
    "plot_below",
    "plot_changes",
    "plot_coefficients",
    "plot_estimate",
    "plot_experiment",
    "plot_groups",
    "plot_plan",
    "plot_scale",
    "plot_scale_changes",
    "plot_scale_groups",
    "plot_table",
    "save",
    "save_estimate",
    "save_scale",
    "save_table",
]


def save(found: Any, path: Path, **options: Any) -> None:
    """Write the picture of whatever reports say: of a question, a scale, or a table of two."""
    if hasattr(found, "categories"):
        save_table(found, path, **options)
    elif hasattr(found, "mean"):
        save_scale(found, path, **options)
    else:
        save_estimate(found, path, **options)
