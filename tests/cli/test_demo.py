"""privet demo."""

import json
import subprocess
import sys
from pathlib import Path

from commands import SYSTEM, USAGE, assert_is_a_picture, fails, succeeds
from privet.cli.demo_questionnaire import make_crowd, questionnaire


def test_the_demo_as_json(folder):
    text = succeeds("demo", "--people", "3000", "--json", "--figure", "demo.png")
    document = json.loads(text)
    assert document["n"] == 3000
    assert len(document["categories"]) == 12
    held = document["intervals_that_hold_the_truth"]
    inside = [
        row["low"] <= share <= row["high"]
        for row, share in zip(document["categories"], document["truth"], strict=True)
    ]
    # Each holds with 95 %; that fewer than 5 of 12 do has a probability below 1e-7.
    assert 5 <= held == sum(inside)
    assert_is_a_picture("demo.png")


def test_the_demo_as_a_table(folder):
    table = succeeds("demo", "--people", "3000")
    assert "3,000 people each answer once" in table
    assert "of 12 intervals contain the truth" in table
    assert table.count(" ✓") + table.count(" ✗") == 12
    assert_is_a_picture("privet-demo.png")


def test_the_demo_hands_out_its_answers(folder):
    args = ["--people", "200", "--json", "--answers", "crowd.csv"]
    truth = json.loads(succeeds("demo", *args))["truth"]
    assert Path("crowd.csv").read_text().split("\n").count("toast") == round(200 * truth[0])
    assert len(Path("crowd.csv").read_text().splitlines()) == 201


def test_the_demo_takes_a_single_person(folder):
    assert json.loads(succeeds("demo", "--people", "1", "--json"))["n"] == 1


WITHOUT_MATPLOTLIB = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")
sys.meta_path.insert(0, Hidden())
import importlib.util
known = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "matplotlib" else known(name)
from privet.__main__ import main
main()
"""


def test_the_demo_has_its_table_without_matplotlib(folder):
    command = [sys.executable, "-c", WITHOUT_MATPLOTLIB, "demo", "--people", "300"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "of 12 intervals contain the truth." in done.stdout
    assert done.stderr.startswith("Note: there is no picture without matplotlib")
    assert not Path("privet-demo.png").exists()
    command += ["--figure", "mine.png"]  # which was asked for
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == SYSTEM
    assert "matplotlib" in done.stderr


def test_the_demo_of_a_questionnaire_is_one_page(folder):
    page = succeeds("demo", "--questionnaire", "--people", "5000")
    lines = page.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100
    assert "5,000 people each draw one page" in page
    assert "of 28 intervals contain the truth" in page
    assert page.count(" ✓") + page.count(" ✗") == 16
    assert "Cramér's V" in page
    assert_is_a_picture("privet-demo.png")


def test_the_demo_of_a_questionnaire_as_json(folder):
    args = ["--people", "3000", "--json", "--figure", "demo.png", "--answers", "crowd.csv"]
    document = json.loads(succeeds("demo", "--questionnaire", *args))
    assert document["n"] == sum(page["n"] for page in document["people"]) == 3000
    rows = [*document["estimates"], *document["row_shares"]]
    held = sum(row["low"] <= row["truth"] <= row["high"] for row in rows)
    # Each holds with 95 %, and those of a question go together; half of them is far from that.
    assert 14 <= held == document["intervals_that_hold_the_truth"]
    assert document["intervals"] == len(rows) == 28
    assert_is_a_picture("demo.png")
    header, *lines = Path("crowd.csv").read_text().splitlines()
    assert header == "home,way,habits,minutes"
    assert len(lines) == 3000
    truth = {(row["question"], row["name"]): row["truth"] for row in rows}
    music = sum("music" in line.split(",")[2].split(";") for line in lines)
    assert music == round(3000 * truth["habits", "music"])


def test_the_crowd_is_the_same_every_time_and_fits_its_questionnaire():
    crowd = make_crowd(2000)
    assert crowd == make_crowd(2000)
    asked = questionnaire(1.0)
    assert [one.id for one in asked.surveys] == list(crowd)
    for one in asked.surveys:
        for answer in crowd[one.id]:
            one.answers.value(answer)


def test_the_demo_of_a_questionnaire_is_for_a_crowd(folder):
    assert "1,000 people or more" in fails(USAGE, "demo", "--questionnaire", "--people", "999")
