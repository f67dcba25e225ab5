"""The working folder of a command."""

from pathlib import Path

import pytest
from commands import SURVEY, answers, write_reports


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with a survey, answers and reports of it."""
    monkeypatch.chdir(tmp_path)
    Path("survey.json").write_text(SURVEY.to_json())
    Path("answers.csv").write_text(answers(1000))
    write_reports("reports.parquet", SURVEY.randomize_batch(["tea"] * 1000))
    return tmp_path
