"""What is imported when: nothing heavy before it is used, and what is missing is named."""

import subprocess
import sys

import pytest

from privet import Survey
from privet.bulk import read_answers
from privet.errors import MissingExtra
from refusing import refused


@pytest.mark.parametrize("what", ["privet.bulk", "privet.bulk.spark"])
def test_heavy_packages_are_imported_late(what):
    code = f"import sys, {what}; print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in shown.stdout.split()}
    assert "privet" in loaded
    assert not loaded & {"pyarrow", "pandas", "pyspark", "msgspec", "numba", "cryptography"}


def test_without_pyarrow_a_line_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("answer\ntea\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refused(MissingExtra, "pyarrow", "'privet[analysis]'"):
        next(read_answers(tmp_path / "a.csv", Survey("?", ["tea", "coffee"], 1.0)))
