"""Merge laws, bytes in and out, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import Survey, Tally
from privet.entropy import seeded
from privet.errors import InvalidArgument, InvalidReport, InvalidTally, NoReports, SurveyMismatch

CATEGORIES = [f"c{i}" for i in range(11)]
SURVEYS = [Survey("Q", CATEGORIES, 1.0, mechanism=m) for m in ("k-subset", "binary-rr")]
SURVEYS.append(Survey("Q", [f"c{i}" for i in range(40)], 4.0, mechanism="multivariate-rr"))
answers = st.lists(st.sampled_from(CATEGORIES), max_size=12)
surveys = st.sampled_from(SURVEYS)


def tally_of(survey, batch, seed):
    tally = survey.tally()
    tally.update(survey.randomize_batch(batch, entropy=seeded(seed)))
    return tally


@given(surveys, answers, answers, answers)
def test_merging_is_associative_commutative_and_has_an_identity(survey, a, b, c):
    x, y, z = (tally_of(survey, batch, seed) for seed, batch in enumerate((a, b, c)))
    assert (x + y) + z == x + (y + z)
    assert x + y == y + x
    assert x + survey.tally() == x == survey.tally() + x
    assert (x + y).n == len(a) + len(b)


@given(surveys, answers, answers)
def test_updating_and_merging_commute(survey, a, b):
    first = survey.randomize_batch(a, entropy=seeded(1))
    second = survey.randomize_batch(b, entropy=seeded(2))
    together = survey.tally()
    together.update(np.concatenate([first, second]))
    one_by_one = survey.tally()
    for report in (*first, *second):
        one_by_one.update(report.tobytes())
    x, y = survey.tally(), survey.tally()
    x.update(first)
    y.update([report.tobytes() for report in second])
    assert together == one_by_one == x + y == x.merge(y)
    assert x.n == len(a) + len(b)


@given(surveys, answers)
def test_bytes_round_trip(survey, batch):
    tally = tally_of(survey, batch, 1)
    again = Tally.from_bytes(tally.to_bytes(), survey)
    assert again == tally
    assert again.counts.tolist() == tally.counts.tolist()
    again.update(survey.randomize("c3"))
    assert again.n == tally.n + 1


@given(surveys, st.binary(max_size=200))
def test_random_bytes_are_no_tally(survey, data):
    with pytest.raises(InvalidTally):
        Tally.from_bytes(data, survey)


@given(surveys, answers, st.data())
def test_damaged_bytes_are_no_tally(survey, batch, draw):
    data = bytearray(tally_of(survey, batch, 1).to_bytes())
    at = draw.draw(st.integers(0, len(data) - 1))
    data[at] ^= draw.draw(st.integers(1, 255))
    with pytest.raises(InvalidTally):
        Tally.from_bytes(bytes(data), survey)
    with pytest.raises(InvalidTally):
        Tally.from_bytes(bytes(data[:at]), survey)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t._aggregate.__setitem__(0, -1), r"counts must be in \[0, 3\]"),
        (lambda t: t._aggregate.__setitem__(0, 4), r"counts must be in \[0, 3\]"),
        (lambda t: t._aggregate.__iadd__(1 - t._aggregate), r"must add up to 9, not 11"),
        (lambda t: setattr(t, "_n", 2**47 + 1), "at most 140737488355328 reports"),
    ],
)
def test_counts_that_no_reports_give_are_refused(change, message):
    tally = tally_of(SURVEYS[0], ["c1"] * 3, 1)
    assert SURVEYS[0].mechanism.k == 3
    change(tally)
    with pytest.raises(InvalidTally, match=message):
        Tally.from_bytes(tally.to_bytes(), SURVEYS[0])


def test_tallies_of_another_survey_are_refused():
    mine, other = Survey("Q", CATEGORIES, 1.0), Survey("Q", CATEGORIES, 1.0, id="wave-2")
    with pytest.raises(SurveyMismatch, match="'wave-2' .* cannot be merged into one of 'q'"):
        mine.tally().merge(other.tally())
    with pytest.raises(SurveyMismatch):
        mine.tally() + other.tally()
    with pytest.raises(SurveyMismatch, match="of another survey"):
        Tally.from_bytes(other.tally().to_bytes(), mine)
    with pytest.raises(TypeError):
        mine.tally() + 1
    with pytest.raises(InvalidArgument, match="'other' parameter of Tally.merge must be a Tally"):
        mine.tally().merge(1)
    with pytest.raises(InvalidTally, match="Not a tally"):
        Tally.from_bytes(None, mine)


def test_a_bad_report_leaves_the_tally_as_it_was():
    survey = SURVEYS[0]
    tally = tally_of(survey, ["c1", "c2"], 1)
    before = tally.to_bytes()
    good = survey.randomize("c1")
    with pytest.raises(InvalidReport, match=r"reports\[1\]"):
        tally.update([good, bytes(len(good)), good])
    assert tally.to_bytes() == before


def test_counts_cannot_be_changed_from_outside():
    tally = tally_of(SURVEYS[0], ["c1"], 1)
    tally.counts[:] = 99
    assert tally.counts.max() == 1


def test_an_empty_tally_has_no_estimate():
    with pytest.raises(NoReports, match="survey 'q' has no reports yet"):
        SURVEYS[0].tally().estimate()
