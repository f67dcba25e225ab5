"""The walks of docs/architecture.md, taken: commands and a server enter these modules, in order."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import privet
from serving import Serving

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
SOURCES = ROOT / "src" / "privet"
WALKING = ROOT / "tests" / "support" / "walking.py"
SURVEY = privet.Survey("Tea or coffee?", ["tea", "coffee"], 1.0, id="drinks")


def walks(heading):
    """Return the modules of each numbered list of a section, in the order of the text."""
    section = re.search(rf"^## {heading}$(.*?)(^## |\Z)", PAGE, re.M | re.S)[1]
    lists = re.findall(r"(?:^\d\. (?:.+\n|\n(?=   ))+)+", section, re.M)
    return [re.findall(r"`([a-z_/]+\.py)`", one) for one in lists]


RANDOMIZING, ESTIMATING = walks("One answer")
(POSTING,) = walks("One report over HTTP")


def entered(lines):
    """Return the modules in the order in which they were first entered."""
    return [*dict.fromkeys(lines)]


def run(folder, *arguments):
    """Run a command; return what it entered."""
    command = [sys.executable, WALKING, "trace.txt", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return entered((folder / "trace.txt").read_text().splitlines())


def placed(walk, seen):
    """Return the walk's modules that were entered, in the order in which they were."""
    return [module for module in seen if module in walk]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A survey and a thousand answers."""
    folder = tmp_path_factory.mktemp("walk")
    (folder / "survey.json").write_text(SURVEY.to_json())
    (folder / "answers.csv").write_text("answer\n" + "tea\ncoffee\n" * 500)
    return folder


def test_an_answer_takes_its_walk(folder):
    seen = run(folder, "randomize", "survey.json", "answers.csv", "-o", "reports.parquet")
    assert len(RANDOMIZING) >= 9
    assert placed(RANDOMIZING, seen) == RANDOMIZING
    seen = run(folder, "estimate", "survey.json", "reports.parquet", "--figure", "shares.png")
    assert len(ESTIMATING) >= 9
    assert placed(ESTIMATING, seen) == ESTIMATING


def test_a_report_over_http_takes_its_walk(tmp_path):
    trace = tmp_path / "trace.txt"
    with Serving(tmp_path, launcher=[str(WALKING), str(trace)]) as server:
        client, other = server.client(), server.client()
        client.create(SURVEY)
        client.send("drinks", SURVEY.randomize("tea"))  # loads what is loaded once
        client.get("/surveys/drinks/estimate", admin=True)  # after what is written meanwhile
        # The module that was entered last has a new line only after another.
        before = trace.read_text().count("\n") - 1
        assert other.send("drinks", SURVEY.randomize("tea"), key="a" * 22).status == 200
        assert other.get("/surveys/drinks/estimate", admin=True).json["n"] == 2
    seen = entered(trace.read_text().splitlines()[before:])
    walk = [module for module in POSTING if module != "store/postgres.py"]
    assert len(walk) >= 9
    assert placed(walk, seen) == walk


def test_every_file_named_exists():
    for path in re.findall(r"`([a-z_/]+\.py)`", PAGE):
        assert (SOURCES / path).exists() or (ROOT / path).exists(), path


def test_the_page_is_short():
    assert len(PAGE.split()) <= 1000
