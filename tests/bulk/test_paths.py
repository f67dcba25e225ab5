"""Paths: as text or Path, one or many, in every function that takes files."""

from pathlib import Path

import pytest

from privet import Survey
from privet.bulk import (
    ReportsWriter,
    count_answers,
    randomize_files,
    read_answers,
    read_reports,
    tally_files,
    tally_groups,
)
from privet.bulk.paths import as_paths
from privet.errors import InvalidArgument
from refusing import refused

SURVEY = Survey("?", ["tea", "coffee"], 1.0)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("answer\ntea\ncoffee\n")
    with ReportsWriter("r.parquet", SURVEY) as file:
        file.write(SURVEY.randomize_batch(["tea", "coffee"]))


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize(
    "many", [lambda path: path, lambda path: [path], lambda path: iter([path])]
)
def test_files_are_named_by_text_or_path_one_or_many(kind, many):
    def answers():
        return many(kind("a.csv"))

    def reports():
        return many(kind("r.parquet"))

    assert sum(count_answers(answers()).counts.values()) == 2
    assert [len(chunk.values) for chunk in read_answers(answers(), SURVEY)] == [2]
    assert randomize_files(answers(), SURVEY, kind("new.parquet")).n == 2
    assert sum(map(len, read_reports(reports(), SURVEY))) == 2
    assert tally_files(reports(), SURVEY).n == 2
    assert tally_groups(reports(), SURVEY, ())[()].n == 2


def test_the_answers_of_several_files_come_one_after_the_other():
    Path("b.csv").write_text("drink\ncoffee\n")
    chunks = read_answers(["a.csv", "b.csv"], SURVEY)
    assert [chunk.values.tolist() for chunk in chunks] == [[0, 1], [1]]


@pytest.mark.parametrize("paths", [7, [7], None])
def test_what_is_no_path(paths):
    with refused(InvalidArgument, parameter="paths", value=paths):
        as_paths("tally_files", paths)
