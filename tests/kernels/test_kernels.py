"""Kernels by name: found at their first use, and numba with them."""

import subprocess
import sys
from importlib import import_module

import pytest

from privet.analysis import kernels


def test_numba_is_imported_at_the_first_call():
    code = (
        "import sys\n"
        "import numpy as np\n"
        "from privet.analysis import kernels\n"
        "from privet.analysis.kernels import TILE, counting\n"
        "from privet.mechanisms import KSubset, LocalHash, Rappor\n"
        "assert 'numba' not in sys.modules\n"
        "rows = np.zeros((2, 1), np.uint8)\n"
        "assert kernels.permute(rows, 2, np.array([7], np.uint32), 32) == 1\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kernels_are_found_by_name():
    for file, names in kernels.KERNELS.items():
        home = import_module(f"privet.analysis.kernels.{file}")
        for name in names:
            assert getattr(kernels, name) is getattr(home, name)


def test_what_is_no_kernel_is_said():
    with pytest.raises(AttributeError, match="'privet.analysis.kernels' has no attribute 'tos'"):
        _ = kernels.tos
