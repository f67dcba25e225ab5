"""What a person's reports have cost: exact sums, a budget that holds, and a file that is safe."""

import json
import stat
import subprocess
import sys
import time

import pytest

from privet import Ledger, Survey
from privet.errors import BudgetSpent, InvalidFile
from refusing import refused_argument

TEA = Survey("Tea or coffee?", ["tea", "coffee", "neither"], 1.5, id="tea")
FINE = Survey("Tea or coffee?", ["tea", "coffee", "neither"], 0.1, id="fine")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.json"


def test_a_fresh_report_costs_each_time_and_a_keyed_one_once_per_answer(path):
    ledger = Ledger(path, budget=7.0)
    assert (ledger.spent, ledger.left) == (0.0, 7.0)
    assert not path.exists()
    ledger.charge(TEA)
    ledger.charge(TEA)
    assert (ledger.spent, ledger.left) == (3.0, 4.0)
    for mark in ["a", "b", "a", "b", "a"]:
        ledger.charge(TEA, mark)
    assert (ledger.spent, ledger.left) == (6.0, 1.0)
    with pytest.raises(BudgetSpent, match="'tea'") as caught:
        ledger.charge(TEA, "c")
    assert (caught.value.epsilon, caught.value.left) == (1.5, 1.0)
    ledger.charge(TEA, "a")  # still free
    ledger.charge(FINE, "a")  # another survey's, so not free
    assert ledger.left == 0.9
    assert Ledger(path, budget=2.0).left == 0.0


def test_a_budget_is_spent_to_the_last_decimal(path):
    ledger = Ledger(path, budget=0.3)
    for _ in range(3):  # whose sum as floats is above 0.3
        ledger.charge(FINE)
    assert (ledger.spent, ledger.left) == (0.3, 0.0)
    with pytest.raises(BudgetSpent):
        ledger.charge(FINE)
    assert ledger.spent == 0.3


def test_the_file_is_its_owners_alone_and_says_which_surveys(path):
    Ledger(path, budget=4.0).charge(TEA)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    entry = {"id": "tea", "epsilon": 1.5, "fresh": 1, "keyed": []}
    assert json.loads(path.read_text()) == {"ledger": 1, "surveys": {TEA.fingerprint: entry}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"ledger": 2, "surveys": {}}',
        '{"ledger": 1, "surveys": []}',
        '{"ledger": 1, "surveys": {"f": 1}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": -1.0, "fresh": 1, "keyed": []}}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": NaN, "fresh": 1, "keyed": []}}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": Infinity, "fresh": 0, "keyed": []}}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": 1.0, "fresh": -1, "keyed": []}}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": 1.0, "fresh": 1, "keyed": [1]}}}',
        '{"ledger": true, "surveys": {}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": 1.0, "fresh": true, "keyed": []}}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": 1.0, "fresh": 1.0, "keyed": []}}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": 1.0, "fresh": 1, "keyed": ["a", "a"]}}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": 1.0, "fresh": 9, "fresh": 0, "keyed": []}}}',
        '{"ledger": 1, "surveys": {"f": {"epsilon": 1.0, "fresh": 9, "keyed": []}}, "surveys": {}}',
    ],
)
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(path, text):
    path.write_text(text)
    with pytest.raises(InvalidFile, match=path.name):
        Ledger(path, budget=1.0)
    assert path.read_text() == text


def test_what_is_wrong_is_said_with_the_survey_and_its_value(path):
    path.write_text('{"ledger": 1, "surveys": {"f": {"epsilon": 1.0, "fresh": true, "keyed": []}}}')
    with pytest.raises(InvalidFile) as caught:
        Ledger(path, budget=1.0)
    for word in (str(path), "'f'", "'fresh'", "true", "Restore"):
        assert word in str(caught.value)


@pytest.mark.parametrize("budget", [0, -1.0, float("nan"), "4"])
def test_a_budget_is_a_number_above_zero(path, budget):
    with refused_argument("budget", "Ledger", value=budget):
        Ledger(path, budget=budget)


def test_processes_that_share_a_ledger_spend_one_budget(path):
    code = f"""
import privet
survey = privet.Survey.from_json({FINE.to_json()!r})
ledger, charged = privet.Ledger({str(path)!r}, budget=20.0), 0
input()  # until all are ready
try:
    while True:
        ledger.charge(survey)
        charged += 1
except privet.errors.BudgetSpent:
    print(charged)
"""
    command, pipe = [sys.executable, "-c", code], subprocess.PIPE
    several = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(3)]
    time.sleep(0.5)
    for one in several:
        one.stdin.write("\n")
        one.stdin.flush()
    charged = [int(one.communicate(timeout=60)[0]) for one in several]
    assert sum(charged) == 200
    assert Ledger(path, budget=20.0).left == 0.0


def test_a_child_that_was_forked_while_charging_does_not_keep_the_lock(path):
    """The child of a fork has the lock's file open, for as long as it lives."""
    code = f"""
import os, privet
ledger, (ended, end) = privet.Ledger({str(path)!r}, budget=10.0), os.pipe()
with ledger._locked():
    child = os.fork()
    if not child:
        os.close(end)
        os.read(ended, 1)  # until the parent ends
        os._exit(0)
ledger.charge(privet.Survey.from_json({TEA.to_json()!r}))  # would wait for the child otherwise
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
    assert Ledger(path, budget=10.0).spent == 1.5
