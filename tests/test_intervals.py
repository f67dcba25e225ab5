"""The campaign that simulates intervals: its register, its short form, and what it must catch."""

import itertools
import json
import time
from collections import Counter

import numpy as np
import pytest
from benchmarks.intervals import campaign
from benchmarks.intervals.campaign import Cell, Finding, cells_of, judge, run, simulate
from benchmarks.intervals.controls import CONTROLS
from benchmarks.intervals.register import ELSEWHERE, STUDIES, covered, promises
from benchmarks.intervals.report import write
from benchmarks.intervals.study import Score, Study
from scipy.stats import binom

# How often one label of a study may fail here though all is well: about never.
CHANCE = 1e-8
REPEATS = 24


def fewest(asked, level=0.94):
    """Return how many promises are kept at least, if each is at this level."""
    return binom.ppf(CHANCE, asked, level)


def test_every_promise_of_an_error_has_a_study_or_a_reason():
    known = covered() | set(ELSEWHERE)
    assert sorted(promises() - known) == []
    assert sorted(set(ELSEWHERE) - promises()) == []
    assert not covered() & set(ELSEWHERE)
    assert len({study.name for study in STUDIES}) == len(STUDIES)


def test_a_new_promise_would_be_missed(monkeypatch, tmp_path):
    package = tmp_path / "made"
    package.mkdir()
    (package / "new.py").write_text(
        "class Thing:\n    def interval(self) -> float: ...\n    def _interval(self): ...\n"
        "def made() -> Thing: ...\ndef other() -> int: ...\n"
    )
    monkeypatch.setattr("benchmarks.intervals.register._SOURCES", package)
    assert promises() == {"made.new.Thing.interval", "made.new.made"}


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_promises_are_kept_in_some_small_cells(study):
    """Every third cell of the smallest surveys; `make intervals` takes all of them, 1,000 times."""
    cells = [cell for cell in cells_of([study]) if cell.n == min(study.sizes)]
    for cell in cells[:: max(1, len(cells) // 4)]:
        for label, record in simulate(study, cell, 0, REPEATS).items():
            assert record.asked + record.withheld <= REPEATS
            if record.kind != "error" and record.asked:
                assert (record.kept >= fewest(record.asked)).all(), (cell, label)


@pytest.mark.parametrize("study", CONTROLS, ids=lambda study: study.name)
def test_methods_that_do_not_hold_are_caught(study):
    for cell in cells_of([study]):
        (record,) = simulate(study, cell, 0, 200).values()
        assert record.rates.min() < 0.9, cell
        assert not all(one.holds for one in judge(Finding(cell, {"it": record}, 0)))


@pytest.mark.parametrize("part", [0.1, 0.25, 0.5, 0.9])
def test_a_part_of_the_campaign_has_the_same_part_of_every_study(part):
    cells = list(cells_of(STUDIES))
    assert len(set(cells)) == len(cells)
    sizes = {study.name: sorted(study.sizes) for study in STUDIES}
    for rank in range(3):
        some = [cell for cell in cells if sizes[cell.study][rank:][:1] == [cell.n]]
        done = Counter(cell.study for cell in some[: round(part * len(some))])
        for name, count in Counter(cell.study for cell in some).items():
            assert abs(done[name] - part * count) <= 1, (name, rank)


def test_small_surveys_come_first_and_every_truth_at_one_epsilon_before_a_second():
    study = Study("it", (), dict.fromkeys("abc"), coin(1.0).trial, (1, 2), (10, 20))
    cells = list(cells_of([study]))
    assert [cell.n for cell in cells] == [10] * 6 + [20] * 6
    assert [cell.truth for cell in cells] == list("abcabc") * 2
    assert [cell.epsilon for cell in cells[:6]] == [1, 2, 1, 2, 1, 2]
    assert len(set(cells)) == 12


def coin(chance):
    """A study whose interval holds in this share of each thousand repeats."""

    def trial(truth, epsilon, n):
        times = itertools.count()

        def once(random, score):
            hit = next(times) % 1000 < 1000 * chance
            score.interval("coin", -1, 1 if hit else -0.5, 0)
            score.error("error", random.normal(0, 2), 2.0, 0)
            score.test("test", 1.0 if hit else 0.0)

        return once

    return Study(f"coin {chance}", (), {"a": 1, "b": 2}, trial, (1.0,), (10, 20))


@pytest.mark.parametrize(
    ("chance", "asked", "interval", "test"),
    [(0.99, 1000, True, True), (0.935, 10_000, True, False), (0.92, 10_000, False, False)],
)
def test_doubtful_cells_are_repeated_and_then_judged(chance, asked, interval, test):
    """Of intervals, 93 % must hold then; tests may still reject no more than 6 %."""
    study = coin(chance)
    found = {one.label: one for one in judge(campaign.examine(study, next(cells_of([study]))))}
    assert (found["coin"].holds, found["test"].holds) == (interval, test)
    for label in ("coin", "test"):
        assert found[label].asked == asked
        assert found[label].lowest == pytest.approx(chance, abs=1e-9)


def test_scores_count_empty_intervals_and_nan_as_missed_and_compare_errors():
    score = Score()
    for _ in range(50):
        score.interval("ends", [0, 1, np.nan, 0.2], [1, 0, 1, 0.3], [0.5, 0.5, 0.5, 0.3])
        score.error("half", [1.0, 0.0], [0.5, 0.0], 0.0)
        score.test("p", [0.04, 0.06])
        score.withheld("ends")
    records = score.records
    assert records["ends"].rates.tolist() == [1, 0, 0, 1]
    assert (records["ends"].asked, records["ends"].withheld) == (50, 50)
    assert records["half"].rates.tolist() == [0.5, 1]
    assert records["p"].rates.tolist() == [0, 1]
    with pytest.raises(ValueError, match="ends"):
        score.test("ends", 0.5)


def test_a_campaign_that_was_stopped_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "REPEATS", 20)
    kept, study = tmp_path / "build" / "kept.jsonl", coin(1.0)
    whole = {one.cell: one.records["coin"].asked for one in run([study], kept, workers=1)}
    assert len(whole) == 4
    lines = kept.read_text().splitlines()
    kept.write_text("\n".join([*lines[:2], lines[2][:40]]) + "\n")  # cut off in the third
    known = {Cell(**json.loads(line)["cell"]) for line in lines[:2]}
    again = list(run([study], kept, workers=1))
    assert {one.cell for one in again[:2]} == known
    assert {one.cell: one.records["coin"].asked for one in again} == whole
    assert len(kept.read_text().splitlines()) == 5
    assert len(list(run([study], kept, workers=1, fresh=True))) == 4
    assert len(kept.read_text().splitlines()) == 4


def test_a_campaign_that_fails_keeps_what_it_found_and_simulates_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "REPEATS", 1)
    begun = tmp_path / "begun"

    def trial(truth, epsilon, n):
        def once(random, score):
            with begun.open("a") as file:
                file.write(f"{n}\n")
            time.sleep(0.02)
            if n == 2:
                raise ArithmeticError(n)
            score.interval("it", -1, 1, 0)

        return once

    kept, study = tmp_path / "kept.jsonl", Study("it", (), {"a": 1}, trial, (1,), range(100))
    with pytest.raises(ArithmeticError):
        list(run([study], kept, workers=1))
    assert len(kept.read_text().splitlines()) == 2
    assert len(begun.read_text().splitlines()) < 50


def test_the_page_has_the_lowest_of_each_label_and_says_what_is_missing(tmp_path):
    good, bad = coin(1.0), coin(0.5)
    page = tmp_path / "page.md"
    findings = [campaign.examine(good, cell) for cell in cells_of([good])]
    write(findings[:3], [good], [bad], page)
    assert "3 of 4 cells" in page.read_text()
    assert "coin 0.5" not in page.read_text()
    findings += [campaign.examine(bad, cell) for cell in cells_of([bad])]
    write(findings, [good], [bad], page)
    rows = [line.split("|") for line in page.read_text().splitlines() if line.startswith("| coin")]
    assert [row[3].strip() for row in rows] == ["1.000", "0.500 ✗"]
    assert "4 of 4 cells" in page.read_text()
