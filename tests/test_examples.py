"""Every script in examples/ runs by itself, says something, and is listed."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from java import need_java

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
# What each is about, in its output.
SAYS = {
    "active_users.py": (" 30  ", "The interval held the truth on", "sent different reports"),
    "audited_client.py": ("client: passed", "forgetful: FAILED", "repeats differ"),
    "compare_mechanisms.py": ("k-subset", "rappor", "multivariate-rr"),
    "duckdb_recipe.py": ("tea", "frequency", "truth"),
    "groups.py": ("version 2.0", "from 500 reports", "All 80,500 together"),
    "polars_recipe.py": ("report", "IE", "FR", "shrunk"),
    "questionnaire.py": (
        "home × way, ",
        "20,000 reports of 2 bytes",
        "go together",
        "minutes",
    ),
    "spark_lake.py": ("FR: 46,", "IE: 23,", "neither", "The truth is 3, 2, 1 and 1 sevenths"),
    "telemetry.py": ("day 7: 1,000 reports", "sent more than one different report", "alpha"),
    "waves.py": ("drinks-2026", "juice and water", "chi-squared"),
    "web_survey.py": ("3,000 reports of 1 byte", "twice with one token: 403", "rather not say"),
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_an_example_runs(script, tmp_path):
    if script.name.startswith("spark"):
        need_java()
    done = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "default"}, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")  # Spark and its workers are quiet too
    for words in SAYS[script.name]:
        assert words in done.stdout
    assert not list(tmp_path.iterdir())


def test_the_examples_are_explained_and_listed():
    listed = (EXAMPLES / "README.md").read_text()
    shown = (EXAMPLES.parent / "docs" / "guides" / "examples.md").read_text()
    assert set(SAYS) == {script.name for script in SCRIPTS}
    for script in SCRIPTS:
        assert f"[{script.name}]({script.name})" in listed
        assert f"examples/{script.name}\n" in shown
        assert ast.get_docstring(ast.parse(script.read_text()))
        assert len(script.read_text().splitlines()) <= 120
