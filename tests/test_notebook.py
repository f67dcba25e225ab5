"""The notebook of the examples runs from top to bottom, and shows tables and pictures."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent.parent / "examples" / "notebook.ipynb"


@pytest.fixture(scope="module")
def shown():
    """What each cell of code shows, by its id: the kinds of content, and the content itself."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # none is kept in the file
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return {cell.id: [output.get("data", output) for output in cell.outputs] for cell in code}


def test_a_picture_is_shown(shown):
    (picture,) = shown["picture"]
    assert len(picture["image/png"]) > 10_000


@pytest.mark.parametrize("cell", ["survey", "tally", "frame"])
def test_tables_are_shown(shown, cell):
    (table,) = shown[cell]
    assert "coffee" in table["text/html"]


def test_sums_are_printed(shown):
    printed, difference = shown["sums"]
    assert printed["text"].startswith("hot drinks: ")
    assert difference["text/plain"].startswith("Difference(value=")
