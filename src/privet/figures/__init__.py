"""Pictures of estimates, plans and experiments, by matplotlib."""

from .drawing import (
    plot_estimate,
    plot_experiment,
    plot_groups,
    plot_plan,
    save_estimate,
    save_experiment,
    save_groups,
    save_plan,
)

__all__ = [
    "plot_estimate",
    "plot_experiment",
    "plot_groups",
    "plot_plan",
    "save_estimate",
    "save_experiment",
    "save_groups",
    "save_plan",
]
