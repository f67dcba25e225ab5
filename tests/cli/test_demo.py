"""privet demo."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from subprocess import PIPE
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from commands import INTERRUPTED, SYSTEM, USAGE, assert_is_a_picture, fails, succeeds
from privet.cli.demo_questionnaire import make_crowd, questionnaire
from refusing import assert_names


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
    assert "3,000 people" in table
    assert f"{table.count(' ✓')} of 12 intervals" in table
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
    assert "of 12 intervals" in done.stdout
    assert done.stderr.startswith("Note: ")
    assert "matplotlib" in done.stderr
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
    assert "5,000 people" in page
    assert "of 28 intervals" in page
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
    line = fails(USAGE, "demo", "--questionnaire", "--people", "999")
    assert_names(line, "1,000 people")


# --- over HTTP ------------------------------------------------------------------------------------


def test_a_crowd_answers_over_http(folder):
    args = ["--people", "300", "--json", "--figure", "demo.png", "--answers", "crowd.csv"]
    document = json.loads(succeeds("demo", "--serve", *args))
    assert document["n"] == 300
    assert document["service"] == {
        "requests": 2 * 300 + 15 + 7 + 2 * 3,
        "counted": 300,
        "already": 15,
        "unchanged": 7,
        "closed": 3,
        "stored": 300,
    }
    assert len(Path("crowd.csv").read_text().splitlines()) == 301
    held = document["intervals_that_hold_the_truth"]
    # Each holds with 95 %; that fewer than 5 of 12 do has a probability below 1e-7.
    assert held >= 5
    assert_is_a_picture("demo.png")


def test_the_page_of_a_served_demo_says_what_was_counted(folder):
    page = succeeds("demo", "--serve", "--people", "40")
    for name in ("40 people", "40 reports", "2 of them", "1 more", "of 12 intervals"):
        assert name in page
    assert "privet-demo.png" in page


@pytest.mark.parametrize(
    ("number", "args", "code"),
    [
        (signal.SIGINT, ["--people", "1000000"], INTERRUPTED),
        (signal.SIGTERM, ["--people", "1000000"], 143),
        (signal.SIGINT, ["--people", "20", "--keep"], 0),
        (signal.SIGTERM, ["--people", "20", "--keep"], 143),
    ],
    ids=str,
)
def test_a_served_demo_leaves_nothing_behind(folder, number, args, code):
    temporary = Path("tmp")
    temporary.mkdir()
    command = [sys.executable, "-m", "privet", "demo", "--serve", *args]
    environment = os.environ | {"TMPDIR": str(temporary.absolute())}
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=PIPE, env=environment)
    if "--keep" in args:
        found = (re.search(rb"http://\S+/results", line) for line in running.stderr)
        _, ended = islice(filter(None, found), 2)  # the address is shown before and after the crowd
        url = ended[0].decode()
        with urlopen(url, timeout=30) as reply:
            assert b"<h1" in reply.read()
        with urlopen(url.replace("/results", "/estimate"), timeout=30) as reply:
            assert json.load(reply)["n"] == 20
    else:
        while not (token := [*temporary.rglob("token")]) or not token[0].stat().st_size:
            time.sleep(0.01)
        time.sleep(0.5)  # in the middle of the crowd
    running.send_signal(number)
    assert running.wait(60) == code
    running.stderr.close()
    assert [*temporary.iterdir()] == []
    assert not any(str(temporary.absolute()) in line for line in processes())
    if "--keep" in args:
        with pytest.raises(URLError):
            urlopen(url, timeout=5)


def processes():
    """The commands of all processes."""
    return subprocess.check_output(["ps", "-eo", "args"], text=True).splitlines()


def test_what_goes_together_with_serve(folder):
    assert_names(fails(USAGE, "demo", "--serve", "--questionnaire"), "--serve", "--questionnaire")
    assert_names(fails(USAGE, "demo", "--keep"), "--keep", "--serve")
