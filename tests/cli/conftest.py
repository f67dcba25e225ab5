"""The working folder of a command."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from commands import SURVEY, answers, succeeds, write_reports

COUNTRIES = ["FR", "DE", "FR", "IT"]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """The working folder: a command that must touch nothing has all of it looked at."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path):
    """The working folder, with a survey, answers and reports of it."""
    Path("survey.json").write_text(SURVEY.to_json())
    Path("answers.csv").write_text(answers(1000))
    write_reports("reports.parquet", SURVEY.randomize_batch(["tea"] * 1000))
    return tmp_path


@pytest.fixture
def crowd(folder):
    """Answers with a country each, as a table."""
    answers = Path("answers.csv").read_text().split()[1:]
    country = [COUNTRIES[i % 4] for i in range(len(answers))]
    return pa.table({"answer": answers, "country": country})


@pytest.fixture
def grouped(folder, crowd):
    """Reports with a country each, in g.parquet."""
    parquet.write_table(crowd, "a.parquet")
    succeeds("randomize", "survey.json", "a.parquet", "-o", "g.parquet", "--by", "country")


@pytest.fixture(params=["no output yet", "an older output"])
def out(request, folder):
    """The path of an output that may exist and must stay as it is."""
    path = folder / "out.svg"
    if request.param == "an older output":
        path.write_text("as it was")
    return path
