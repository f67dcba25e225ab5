"""Pictures of estimates, plans and experiments, by matplotlib, which is imported late."""

from __future__ import annotations

from functools import singledispatch
from pathlib import Path
from typing import Any

from ..analysis.scale_estimate import ScaleEstimate
from ..analysis.shown import Shown
from ..analysis.tables.table import Table
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


@singledispatch
def save(found: object, path: Path, **options: Any) -> None:
    """Write the picture of what reports say, by its class; options as those that draw it."""
    raise TypeError(f"There is no picture of {type(found).__name__}.")


save.register(Shown, save_estimate)
save.register(ScaleEstimate, save_scale)
save.register(Table, save_table)
