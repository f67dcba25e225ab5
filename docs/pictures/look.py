"""What the pictures have in common: paper, ink, and colours that are told apart without hue."""

from matplotlib.figure import Figure

INK, GREY, PALE = "#2b2d2f", "#8a8f94", "#e6e8ea"
GREEN, ORANGE, BLUE, RED = "#4f7942", "#e08e2b", "#2f5d9b", "#b5344a"
# From weak to strong, light to dark: of one quantity's steps.
STEPS = ("#bcd3a8", "#8fb67a", "#5f914e", "#3c6a33", "#1e3d1b")


def new_figure(width: float, height: float) -> Figure:
    """Return a figure on white paper, outside pyplot's global state."""
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def tidy(ax, *, grid: str | None = "y") -> None:
    """Leave the two axes that say something, and a faint grid."""
    ax.spines[["top", "right"]].set_visible(False)
    if grid is not None:
        ax.grid(axis=grid, color=PALE, lw=0.8)
        ax.set_axisbelow(True)


def title(ax, text: str) -> None:
    """Write a title at the left."""
    ax.set_title(text, loc="left", color=INK)
