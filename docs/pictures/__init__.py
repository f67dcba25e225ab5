"""The site's pictures, each drawn by the code that it is about; one topic a file."""

from io import BytesIO
from pathlib import Path

from matplotlib import rc_context

from privet.device.files import replacing

from . import attacks, crowds, estimates, kinds, privacy, reports

_LOOK = {"svg.hashsalt": "privet", "font.size": 10, "axes.titlesize": 11}

PICTURES = {
    "posterior": privacy.draw_posterior,
    "guesses": privacy.draw_guesses,
    "report": reports.draw_report,
    "likelihoods": reports.draw_likelihoods,
    "margins": crowds.draw_margins,
    "crowds": crowds.draw_crowds,
    "survey": crowds.draw_survey,
    "targets": estimates.draw_targets,
    "shrunk": estimates.draw_shrunk,
    "repeats": attacks.draw_repeats,
    "liars": attacks.draw_liars,
    "numbers": kinds.draw_numbers,
    "table": kinds.draw_table,
    "split": kinds.draw_split,
}


def draw_all(folder: Path) -> None:
    """Write every picture as SVG, leaving files alone that are the same already."""
    folder.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        buffer = BytesIO()
        with rc_context(_LOOK):
            draw().savefig(buffer, format="svg", metadata={"Date": None})
        path = folder / f"{name}.svg"
        if not path.exists() or path.read_bytes() != buffer.getvalue():
            with replacing(path) as temporary:  # another build may be reading it
                temporary.write_bytes(buffer.getvalue())
