"""Merge laws, bytes in and out, and what is refused."""

import pickle
import sys
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import Questionnaire, Scale, Survey, Tally
from privet.analysis import tally as tally_module
from privet.analysis.estimate import Estimate
from privet.analysis.questionnaire_estimate import QuestionnaireEstimate
from privet.analysis.scale_estimate import ScaleEstimate
from privet.entropy import seeded
from privet.errors import InvalidReport, InvalidTally, NoReports, SurveyMismatch
from privet.mechanisms import KSubset
from refusing import refused_argument

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
    ("change", "numbers"),
    [
        (lambda t: t._aggregate.__setitem__(0, -1), r"\[0, 3\]"),
        (lambda t: t._aggregate.__setitem__(0, 4), r"\[0, 3\]"),
        (lambda t: t._aggregate.__iadd__(1 - t._aggregate), r"\b9\b.*\b11\b"),
        (lambda t: setattr(t, "_n", 2**47 + 1), "140737488355328"),
    ],
)
def test_counts_that_no_reports_give_are_refused(change, numbers):
    tally = tally_of(SURVEYS[0], ["c1"] * 3, 1)
    assert SURVEYS[0].mechanism.k == 3
    change(tally)
    with pytest.raises(InvalidTally, match=numbers):
        Tally.from_bytes(tally.to_bytes(), SURVEYS[0])


def test_what_is_wrong_with_bytes_is_said():
    survey = Survey("Q", ["a", "b", "c"], 1.0)
    data, other = survey.tally().to_bytes(), Survey("Q", ["a", "b", "c"], 1.0, id="other")
    longer = data[:-4] + bytes(8)
    longer += zlib.crc32(longer).to_bytes(4, "little")
    for bytes_, named in (
        (b"no", "mark"),
        (data[:51], r"\b76\b.*\b51\b"),
        (data[:45], r"\b76\b.*\b45\b"),
        (data[:52], "checksum"),
        (data[:-1] + bytes([data[-1] ^ 1]), "checksum"),
        (longer, r"\b76\b.*\b84\b"),
    ):
        with pytest.raises(InvalidTally, match=named):
            Tally.from_bytes(bytes_, survey)
    mine, theirs = survey.fingerprint[:12], other.fingerprint[:12]
    with pytest.raises(SurveyMismatch, match=f"{theirs}.*'q'.*{mine}"):
        Tally.from_bytes(other.tally().to_bytes(), survey)
    with pytest.raises(SurveyMismatch, match=f"'other'.*{theirs}.*'q'.*{mine}"):
        survey.tally().merge(other.tally())


def test_the_bytes_of_a_tally_are_these():
    survey = Survey("Q", ["a", "b", "c"], 1.0, mechanism="binary-rr")
    tally = tally_of(survey, ["a"] * 9, 1)
    n, aggregate = tally.aggregated()
    assert (n, aggregate.dtype) == (9, np.int64)
    assert survey.tally().aggregated()[1].dtype == np.int64
    body = b"privetT\x01" + bytes.fromhex(survey.fingerprint) + n.to_bytes(8, "little")
    body += b"".join(int(count).to_bytes(8, "little") for count in aggregate)
    assert tally.to_bytes() == body + zlib.crc32(body).to_bytes(4, "little")
    assert repr(tally) == "Tally('q', n=9)"


def test_tallies_are_equal_where_survey_number_and_counts_are():
    survey = Survey("Q", ["a", "b", "c"], 1.0, mechanism="binary-rr")
    tally, same = tally_of(survey, ["a"] * 9, 1), tally_of(survey, ["a"] * 9, 1)
    assert tally == same
    same._n += 1
    assert tally != same
    same._n, same._aggregate[0] = 9, same._aggregate[0] - 1
    assert tally != same
    assert survey.tally() != Survey("Q", ["a", "b", "c"], 1.0, id="other").tally()
    assert tally != 9


def test_each_kind_of_answer_has_its_estimate():
    choice = Survey("Q", ["a", "b", "c"], 1.0)
    scale = Survey("How many hours?", Scale(0, 10, 5), 1.0)
    both = Questionnaire("Both", [choice, scale], 1.0)
    for contract, kind in (
        (choice, Estimate),
        (scale, ScaleEstimate),
        (both, QuestionnaireEstimate),
    ):
        n = 5
        answer = {"q": "a", scale.id: 3} if contract is both else "a" if contract is choice else 3
        tally = contract.tally()
        tally.update([contract.randomize(answer) for _ in range(n)])
        estimate = tally.estimate()
        assert type(estimate) is kind
        assert estimate.n == n
        assert estimate.survey is contract
    assert choice.tally().merge(tally_of(choice, ["a"], 1)).estimate().counts.sum() == 1


def test_tallies_of_another_survey_are_refused():
    mine, other = Survey("Q", CATEGORIES, 1.0), Survey("Q", CATEGORIES, 1.0, id="wave-2")
    with pytest.raises(SurveyMismatch, match="'wave-2'.*'q'"):
        mine.tally().merge(other.tally())
    with pytest.raises(SurveyMismatch):
        mine.tally() + other.tally()
    with pytest.raises(SurveyMismatch, match="'q'"):
        Tally.from_bytes(other.tally().to_bytes(), mine)
    with pytest.raises(TypeError):
        mine.tally() + 1
    with refused_argument("other", "Tally.merge", value=1):
        mine.tally().merge(1)
    with pytest.raises(InvalidTally):
        Tally.from_bytes(None, mine)


def test_a_bad_report_leaves_the_tally_as_it_was():
    survey = SURVEYS[0]
    tally = tally_of(survey, ["c1", "c2"], 1)
    before = tally.to_bytes()
    good = survey.randomize("c1")
    with pytest.raises(InvalidReport, match=r"reports\[1\]") as caught:
        tally.update([good, bytes(len(good)), good])
    assert caught.value.row == 1
    assert tally.to_bytes() == before


def test_counts_cannot_be_changed_from_outside():
    tally = tally_of(SURVEYS[0], ["c1"], 1)
    tally.counts[:] = 99
    assert tally.counts.max() == 1


def test_a_tally_holds_no_more_reports_than_it_says(monkeypatch):
    survey = Survey("Q", ["a", "b"], 1.0, mechanism="binary-rr")
    report = survey.randomize("a")
    one, six = survey.tally(), survey.tally()
    one.update(report)
    six.update([report] * 6)
    monkeypatch.setattr(tally_module, "MAX_REPORTS", 5)
    full = survey.tally()
    for _ in range(4):
        full.update(report)
    full.merge(one)
    assert Tally.from_bytes(full.to_bytes(), survey) == full
    before = full.to_bytes()
    for add in (lambda: full.update(report), lambda: full.merge(one)):
        with pytest.raises(InvalidTally, match=r"\b5\b"):
            add()
    assert full.to_bytes() == before
    with pytest.raises(InvalidTally, match=r"\b5\b.*\b6\b"):
        Tally.from_bytes(six.to_bytes(), survey)


def test_an_empty_tally_has_no_estimate():
    with pytest.raises(NoReports, match="'q'"):
        SURVEYS[0].tally().estimate()


def test_threads_share_a_tally_and_lose_nothing():
    survey = Survey("Q", [str(i) for i in range(50)], 1.0, mechanism="k-subset")
    reports = [survey.randomize("7") for _ in range(64)]
    shared, other = survey.tally(), survey.tally()
    other.update(reports)

    def work():
        for i in range(300):
            shared.update(reports[i % 64])
        shared.merge(other)
        for _ in range(20):
            estimate = shared.estimate()
            assert estimate.counts.sum() == estimate.n * survey.mechanism.k
            assert Tally.from_bytes(shared.to_bytes(), survey).n >= estimate.n

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(work) for _ in range(8)]:
                done.result()
    finally:
        sys.setswitchinterval(interval)
    assert shared.n == 8 * (300 + 64)
    assert shared.counts.sum() == shared.n * survey.mechanism.k


def test_two_tallies_merge_into_each_other_at_once_without_a_deadlock():
    survey = Survey("Q", ["a", "b", "c"], 1.0)
    first, second = survey.tally(), survey.tally()
    first.update(survey.randomize("a"))
    with ThreadPoolExecutor(2) as pool:
        waiting = [
            pool.submit(lambda a=a, b=b: [a.merge(b) for _ in range(20)])
            for a, b in ((first, second), (second, first))
        ]
        for done in waiting:
            done.result(timeout=30)


def test_a_tally_goes_to_other_processes_and_threads_go_on():
    survey = Survey("Q", ["a", "b", "c"], 1.0)
    tally = survey.tally()
    tally.update([survey.randomize("a") for _ in range(5)])
    there = pickle.loads(pickle.dumps(tally))
    assert there == tally
    there.update(survey.randomize("b"))
    assert (there.n, tally.n) == (6, 5)


def test_files_of_tallies(tmp_path):
    survey = Survey("Q", ["a", "b", "c"], 1.0)
    tally = survey.tally()
    tally.update([survey.randomize("a") for _ in range(5)])
    tally.write(tmp_path / "week.tally")
    assert Tally.read(tmp_path / "week.tally", survey) == tally
    assert (tmp_path / "week.tally").stat().st_mode & 0o777 == 0o600
    other = Survey("Q", ["a", "b", "c"], 1.0, id="next")
    with pytest.raises(SurveyMismatch, match="week.tally"):
        Tally.read(tmp_path / "week.tally", other)
    (tmp_path / "no.tally").write_bytes(b"no")
    with pytest.raises(InvalidTally, match="no.tally"):
        Tally.read(tmp_path / "no.tally", survey)


def test_a_file_of_any_size_is_refused_before_it_is_read(tmp_path):
    survey = Survey("Q", ["a", "b", "c"], 1.0)
    path = tmp_path / "sparse.tally"
    path.write_bytes(survey.tally().to_bytes())
    with path.open("r+b") as file:
        file.truncate(2 << 30)
    tracemalloc.start()
    with pytest.raises(InvalidTally, match=r"\b76\b.*\b2147483648\b"):
        Tally.read(path, survey)
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def test_sums_of_any_size_are_checked_and_none_wraps():
    """Counts that are off by 2^64 in all, and entries of noise at the largest number of reports."""
    d, n = 200_000, 2**47
    mechanism = KSubset(d, 1.0)

    def spread(total):
        counts = np.full(d, total // d, dtype=np.int64)
        counts[: total % d] += 1
        return counts

    counts = spread(n * mechanism.k)
    assert mechanism.check_aggregate(counts, n) is None
    wrong = counts + spread(2**64)
    assert wrong.max() <= n
    assert "add up" in mechanism.check_aggregate(wrong, n)
    survey = Survey("Q", ["a", "b"], 0.05, mechanism="geometric-noise")
    tally = survey.tally()
    tally._n, tally._aggregate[:] = 2**46, (survey.mechanism.limit + 1) * 2**46
    tally.merge(Tally.from_bytes(tally.to_bytes(), survey))
    assert (tally.counts > 0).all()
    assert survey.mechanism.check_aggregate(tally.counts, tally.n) is None
