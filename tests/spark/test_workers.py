"""What runs on executors, run here: counts that are given out in pieces add up to the same."""

import numpy as np
import pyarrow as pa
import pytest

from privet import Survey
from privet.bulk import Cleaning
from privet.bulk.spark import workers

SURVEY = Survey("?", [f"c{i}" for i in range(30)], 1.0, mechanism="k-subset")
DROP = Cleaning(missing="drop", unknown="drop")


def batches_of(n, groups):
    rng = np.random.default_rng(n)
    for _ in range(5):
        reports = SURVEY.mechanism.randomize(rng.integers(0, 30, n))
        countries = [f"country {i}" for i in rng.integers(0, groups, n)]
        yield pa.record_batch([pa.array([r.tobytes() for r in reports]), pa.array(countries)],
                              names=["report", "by0"])  # fmt: skip


def totals(rows, width):
    """Return each group's vector from rows of slices."""
    vectors = {}
    for row in rows.to_pylist():
        counts = np.frombuffer(row["counts"], "<i8")
        assert len(counts) == width
        key = row["by0"], row["slice"]
        vectors[key] = vectors.get(key, 0) + counts
    return {country: np.concatenate([vectors[key] for key in sorted(vectors) if key[0] == country])
            for country, _ in vectors}  # fmt: skip


def expected(batches):
    vectors = {}
    for batch in batches:
        for row in batch.to_pylist():
            vector = vectors.setdefault(row["by0"], np.zeros(31, np.int64))
            vector[0] += SURVEY.mechanism.fold(row["report"], vector[1:])
    return vectors


@pytest.mark.parametrize("width", [31, 10, 7])
@pytest.mark.parametrize("held_bytes", [1, 1000, 1 << 20])
def test_however_little_memory_there_is_and_however_short_the_slices(
    monkeypatch, width, held_bytes
):
    monkeypatch.setattr(workers, "_SLICE", width)
    monkeypatch.setattr(workers, "_HELD_BYTES", held_bytes)
    monkeypatch.setattr(workers, "_ROWS", 2)
    batches = list(batches_of(40, groups=6))
    counted = pa.Table.from_batches(workers.fold(iter(batches), SURVEY.mechanism, ["by0"]))
    pieces = counted.sort_by([("by0", "ascending"), ("slice", "ascending")])
    merged = pa.Table.from_batches(workers.merge(iter(pieces.to_batches(7)), width))
    assert len(merged) == 6 * -(-31 // width)
    assert len(counted) > len(merged) or held_bytes > 1000
    for found in (totals(counted, width), totals(merged, width)):
        for country, vector in expected(batches).items():
            assert np.array_equal(found[country][:31], vector)
            assert not found[country][31:].any()


def test_rows_that_say_what_is_wrong_are_handed_on(monkeypatch):
    (first, *rest) = batches_of(40, groups=2)
    wrong = first.set_column(0, "report", pa.array([b"no report"] * 40))
    rows = list(workers.fold(iter([*rest, wrong]), SURVEY.mechanism, ["by0"]))
    assert len(rows) == 1
    again = list(workers.merge(iter(rows), 31))
    assert again == rows
    assert again[0].column("slice").to_pylist() == [workers.PROBLEM]
    assert b"has 4 bytes. Got 9" in again[0].column("counts")[0].as_py()


def test_a_mechanism_travels_small_however_much_it_has_worked_out():
    import pickle

    survey = Survey("?", [f"c{i}" for i in range(1000)], 1.0, mechanism="rappor")
    tally = survey.tally()
    tally.update(survey.randomize("c1"))
    assert tally.counts.sum() > 0
    sent = pickle.dumps(survey.mechanism)
    assert len(sent) < 5000
    assert pickle.loads(sent) == survey.mechanism


def test_answers_become_reports_in_pieces(monkeypatch):
    monkeypatch.setattr(workers, "_BATCH_BYTES", 10 * SURVEY.mechanism.report_bytes)
    batch = pa.record_batch(
        [pa.array(["c1", "c2", None, "other"] * 20), pa.array(range(80))], names=["answer0", "by0"]
    )
    made = list(workers.randomize(iter([batch]), SURVEY.to_json(), ["by0"], DROP))
    assert [len(piece) for piece in made] == [10] * 4
    table = pa.Table.from_batches(made)
    assert table["by0"].to_pylist() == [i for i in range(80) if i % 4 < 2]
    SURVEY.mechanism.check(table["report"].to_pylist())
    places = table["place"].to_pylist()
    assert len(set(places)) == 40
    assert places != sorted(places)
    again = list(workers.randomize(iter([batch]), SURVEY.to_json(), ["by0"], DROP))
    assert pa.Table.from_batches(again)["place"].to_pylist() != places


@pytest.mark.parametrize("answer", [b"caf\xe9", "caf\u00e9", "other", "", None])
def test_an_answer_that_is_no_category_travels_as_it_is(answer):
    kind = pa.binary() if isinstance(answer, bytes) else pa.string()
    batch = pa.record_batch([pa.array([answer], kind)], names=["answer0"])
    (made,) = workers.randomize(iter([batch]), SURVEY.to_json(), [], Cleaning())
    (said,) = made.column("problem").to_pylist()
    assert workers.raised(said).answer == answer
