"""privet survey: new, from lists and from answers; show and check; bad surveys."""

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from commands import (
    BAD_DATA,
    SURVEY,
    USAGE,
    fails,
    run,
    succeeds,
)
from privet import Survey


def test_both_levels_of_a_survey_are_shown(folder):
    asked = "-q", "Which?", "-c", "a", "-c", "b", "-e", "2", "-m", "two-level-unary"
    succeeds("survey", "new", *asked, "-o", "two.json")
    shown = succeeds("survey", "show", "two.json")
    assert "ε = 2 at most in any number of reports; 0.99" in shown
    assert "in one, as drawn" in shown
    assert "report_epsilon=1.0" in shown


def test_a_survey_is_shown(folder):
    shown = succeeds("survey", "show", "survey.json", "--top", "2")
    for part in (SURVEY.question, SURVEY.fingerprint, repr(SURVEY.mechanism), "1 byte", "2 more"):
        assert part in shown
    assert "  tea\n  coffee\n" in shown
    assert "juice" not in shown


def test_a_survey_is_checked(folder):
    assert SURVEY.fingerprint[:12] in succeeds("survey", "check", "survey.json")
    weaker = json.loads(SURVEY.to_json())
    weaker["epsilon"] /= 2
    Path("weaker.json").write_text(json.dumps(weaker))
    for command in ("check", "show"):
        said = fails(BAD_DATA, "survey", command, "weaker.json")
        assert "not as private as it says" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"privet": 3}, "This is a survey of version 3; this privet reads versions 1 and 2."),
        ({"colour": "red"}, "Not a survey: there is no field 'colour'"),
        ({"categories": ["a", "a", "b", "c"]}, "must be different from categories[0]"),
        ({"mechanism": {"name": "nope"}}, "The mechanism's name must be one of"),
        ({"epsilon": 1.9}, "this survey is not as private as it says."),
        ({"epsilon": "2"}, "Not a survey: the field 'epsilon' must be a number"),
    ],
    ids=lambda value: str(next(iter(value))) if isinstance(value, dict) else "",
)
def test_bad_surveys(out, change, said):
    Path("bad.json").write_text(json.dumps(json.loads(SURVEY.to_json()) | change))
    for command in (
        ["randomize", "bad.json", "answers.csv", "-o", out],
        ["estimate", "bad.json", "reports.parquet", "--figure", out],
    ):
        line = fails(BAD_DATA, *command)
        assert line.startswith("bad.json: ")
        assert said in line


def test_a_survey_with_larger_odds_is_not_as_private_as_it_says(out):
    fields = json.loads(SURVEY.to_json())
    fields["mechanism"]["odds"] = str(2 * int(fields["mechanism"]["odds"]))
    Path("bad.json").write_text(json.dumps(fields))
    line = fails(BAD_DATA, "randomize", "bad.json", "answers.csv", "-o", out)
    assert "this survey is not as private as it says" in line


def test_a_survey_that_is_not_json(out):
    line = fails(BAD_DATA, "randomize", "answers.csv", "answers.csv", "-o", out)
    assert line.startswith("answers.csv: Not a survey: Expecting value")


def new(*args):
    return run("survey", "new", "-q", "Which?", "-e", "1", *args)


def test_categories_from_a_column(folder, crowd):
    parquet.write_table(crowd, "a.parquet")
    result = new("--from", "a.parquet", "--column", "country", "-o", "new.json")
    assert result.exit_code == 0
    assert "Anyone who sees the survey learns that someone gave each of them" in result.stderr
    made = Survey.from_json(Path("new.json").read_text())
    assert made.categories == ("DE", "FR", "IT")  # and not by how frequent they are


def test_the_most_frequent_categories_and_one_for_the_rest(folder):
    result = new("--from", "answers.csv", "--top", "2", "--other", "-o", "new.json")
    assert result.exit_code == 0, result.output
    made = Survey.from_json(Path("new.json").read_text())
    assert made.categories == ("coffee", "tea", "other")
    args = ["new.json", "answers.csv", "-o", "new.parquet", "--unknown", "other"]
    assert "count" in run("randomize", *args).stderr
    named = new("-c", "tea", "--from", "answers.csv", "--top", "2", "--other", "else")
    assert Survey.from_json(named.stdout).categories == ("tea", "coffee", "else")


def test_rows_without_an_answer_make_no_category(folder):
    Path("gaps.csv").write_text("id,answer\n1,tea\n2,\n3,milk\n4,\n")
    result = new("--from", "gaps.csv")
    assert "gaps.csv: column answer, 4 rows, 2 different, 2 missing" in result.stderr
    assert Survey.from_json(result.stdout).categories == ("milk", "tea")


def test_letters_that_are_written_in_two_ways_are_one_category(folder):
    Path("a.csv").write_text("answer\nn\u00e9\nne\u0301\ntea\ntea\n\n", "utf-8")
    command = ["survey", "new", "-q", "?", "-e", "1", "--from", "a.csv", "-o", "s.json"]
    assert run(*command, "--top", "2").exit_code == 0
    assert json.loads(Path("s.json").read_text())["categories"] == ["n\u00e9", "tea"]


def test_a_line_of_categories_ends_where_the_line_does(folder):
    Path("c.txt").write_text("a\u2028b\nc\n", "utf-8")
    command = ["survey", "new", "-q", "?", "-e", "1", "--categories", "c.txt"]
    assert "Got 'a\\u2028b'" in fails(USAGE, *command)


def test_categories_from_a_file(tmp_path):
    listed = tmp_path / "fruit.txt"
    listed.write_text("pear\nplum \n", encoding="utf-8-sig")
    new = ["survey", "new", "-q", "Which?", "-e", "1"]
    made = Survey.from_json(succeeds(*new, "-c", "apple", "--categories", listed))
    assert made.categories == ("apple", "pear", "plum")


@pytest.mark.parametrize(
    ("content", "said", "code"),
    [
        (b"pear\n\nplum\n", "line 2: the category is empty", BAD_DATA),
        (b"\xff\xfe\n", "not UTF-8 text", BAD_DATA),
        (b"pear\npear\n", "different from categories[0]", USAGE),
        (b"pear\n", "at least two", USAGE),
    ],
)
def test_bad_files_of_categories_are_refused(folder, content, said, code):
    (folder / "fruit.txt").write_bytes(content)
    new = ["survey", "new", "-q", "Q", "-e", "1", "--categories", "fruit.txt"]
    assert said in fails(code, *new)


# --- what looks wrong with answers that categories are taken from ---------------------------


def codes(text):
    Path("codes.csv").write_text(text)
    return ["survey", "new", "-q", "Which?", "-e", "1", "--from", "codes.csv"]


def categories(*command):
    return Survey.from_json(succeeds(*command)).categories


def test_codes_are_in_the_order_of_numbers(folder):
    assert categories(*codes("id,vote\n1,10.0\n2,2.0\n3,\n4,1.0\n"), "--column", "vote") == (
        "1",
        "2",
        "10",
    )


@pytest.mark.parametrize("word", ["NA", "NaN", "null"])
def test_what_may_mean_no_answer_is_asked_about(folder, word):
    command = codes(f"vote\n1\n2\n{word}\n{word}\n")
    line = fails(BAD_DATA, *command)
    assert f"has 2 answers '{word}'" in line
    assert line.endswith(f"use --na {word}; if it is an answer, -c {word}.")
    assert categories(*command, "--na", word) == ("1", "2")
    assert "4 rows, 2 different, 2 missing" in run(*command, "--na", word).stderr
    assert categories(*command, "-c", word) == (word, "1", "2")


def test_a_header_among_the_answers_is_noticed(folder):
    for text in ("tea\nmilk\ntea\n", "tea\nmilk\nwater\ntea\n"):
        line = fails(BAD_DATA, *codes(text))
        assert "The column's name, 'tea', is among the answers" in line
        assert categories(*codes(text), "-c", "tea")[:2] == ("tea", "milk")
    assert "the column's name is a number, 3" in run(*codes("3\n1\n2\n")).stderr


def test_a_header_of_a_list_is_noticed(folder):
    Path("list.txt").write_text("Category\npear\nplum\n")
    result = new("--categories", "list.txt")
    assert "the first category of list.txt is 'Category'; is it a header?" in result.stderr


def test_a_second_header_is_noticed(folder):
    command = codes("vote\nWhom did you vote for?\n" + "1\n2\n" * 5)
    assert "'Whom did you vote for?', given once, are numbers" in run(*command).stderr


def test_answers_are_cleaned(folder):
    command = codes('drink\ntea\n" tea"\nTea\nmilk\n')
    line = fails(BAD_DATA, *command)
    assert line.endswith("space around them, such as ' tea'. Use --strip.")
    assert "'Tea' and 'tea' differ in case alone" in run(*command, "--strip").stderr
    assert categories(*command, "--strip", "--ignore-case") == ("milk", "tea")
    assert categories(*command, "--strip", "--ignore-case", "-c", "TEA") == ("TEA", "milk")
