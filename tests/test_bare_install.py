"""The person's side is installed into an empty environment, creates surveys and makes reports."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from privet import Survey

ROOT = Path(__file__).parents[1]

ANSWER = """
import sys

before = set(sys.modules)
import privet

survey = privet.Survey.from_json(sys.stdin.read())
assert privet.Survey("Tea?", ["yes", "no"], 1.0) == survey
report = survey.randomize("yes")
assert isinstance(report, bytes) and len(report) == survey.mechanism.report_bytes
drinks = privet.Several(["tea", "coffee", "milk", "juice"], most=2, pairs=True)
for answers, answer in ((drinks, ["tea"]), (privet.Scale(0, 120), 35)):
    assert privet.Survey("Which?", answers, 1.0).randomize(answer)
page = privet.Questionnaire("Tea", [survey], 1.0)
assert page.randomize({survey.id: "no"})
assert privet.theory.l2_optimal_k(100, 1.0) == 27
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*loaded - sys.stdlib_module_names)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Return the Python of an environment with the wheel of privet and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    quiet = {"check": True, "capture_output": True}
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(build, **quiet)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], **quiet)
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    (wheel,) = folder.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", python]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", wheel], **quiet)
    return python


def test_a_report_needs_the_standard_library_alone(python, tmp_path):
    survey = Survey("Tea?", ["yes", "no"], epsilon=1.0).to_json()
    done = subprocess.run(
        [python, "-I", "-c", ANSWER], input=survey, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "privet\n"


def test_the_command_says_what_to_install(python, tmp_path):
    done = subprocess.run(
        [python, "-I", "-m", "privet", "demo"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1
    assert "pip install 'privet[analysis]'" in done.stderr
