"""Kernels by name: found at their first use, and numba with them."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from privet.analysis import kernels
from privet.analysis.kernels import compiled


def test_numba_is_imported_at_the_first_call():
    code = (
        "import sys\n"
        "import numpy as np\n"
        "from privet.analysis import kernels\n"
        "from privet.analysis.kernels import TILE\n"
        "from privet.mechanisms import KSubset, LocalHash, Rappor\n"
        "assert 'numba' not in sys.modules\n"
        "rows = np.zeros((2, 1), np.uint8)\n"
        "assert kernels.row_orders.permute(rows, 2, np.array([7], np.uint32), 32) == 1\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_file_of_loops_is_found_here_by_its_name():
    for path in Path(kernels.__file__).parent.glob("[!_]*.py"):
        home = import_module(f"privet.analysis.kernels.{path.stem}")
        assert getattr(kernels, path.stem) is home
    ours = {function for function in compiled._kernels if "privet" in function.__module__}
    assert len(ours) > 20
    for function in ours:
        home = getattr(kernels, function.__module__.rpartition(".")[2])
        assert getattr(home, function.__name__).__wrapped__ is function


def test_what_is_no_kernel_is_said():
    with pytest.raises(AttributeError, match="'privet.analysis.kernels' has no attribute 'tos'"):
        _ = kernels.tos


def test_a_kernel_says_what_it_does():
    assert kernels.row_orders.deal.__name__ == kernels.row_orders.deal.__qualname__ == "deal"
    assert kernels.row_orders.deal.__doc__.startswith("Copy the rows pile after pile")
