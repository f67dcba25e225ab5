"""What is promised of every mechanism where many reports, or none, come as arrays."""

import numpy as np
import pytest

from kinds import every_mechanism, one_value_each, small, tables, usual, values_of
from privet import simulate
from privet.analysis import batch, counter
from privet.entropy import seeded
from privet.errors import InvalidReport
from refusing import refused_argument


@every_mechanism
def test_aggregates_add(cls):
    mechanism = usual(cls)
    reports = mechanism.randomize(values_of(mechanism, 50), entropy=seeded(2))
    n, total = mechanism.aggregate(reports)
    assert (n, total.dtype, total.shape) == (50, np.int64, (mechanism.aggregate_size,))
    each = [mechanism.aggregate(row.tobytes()) for row in reports]
    assert np.array_equal(total, sum(aggregate for _, aggregate in each))
    parts = [mechanism.aggregate(part)[1] for part in (reports[:20], reports[20:])]
    assert np.array_equal(total, parts[0] + parts[1])
    counts = [mechanism.counts(part) for part in parts]
    assert np.array_equal(mechanism.counts(total), counts[0] + counts[1])
    assert np.array_equal(mechanism.tally(reports), counts[0] + counts[1])
    assert mechanism.check_aggregate(total, n) is None
    impossible = total.copy()
    impossible[0] += 10**9
    assert mechanism.check_aggregate(impossible, n)


@every_mechanism
@pytest.mark.parametrize("d", [2, 37, 64, 300])
def test_many_reports_are_counted_as_few_are(cls, d):
    mechanism = usual(cls, d)
    n = counter.PLAIN_BYTES // mechanism.report_bytes + 77
    reports = mechanism.randomize(values_of(mechanism, n), entropy=seeded(3))
    total = np.zeros(mechanism.aggregate_size, dtype=np.int64)
    assert mechanism.analyst.counter.add_many(reports, total) == -1
    plainly = np.zeros(mechanism.aggregate_size, dtype=np.int64)
    mechanism.analyst.counter.add_few(reports, plainly)
    assert np.array_equal(total, plainly)
    assert np.array_equal(total, mechanism.aggregate(np.asfortranarray(reports))[1])


@every_mechanism
def test_reports_depend_on_the_entropy_alone(cls, monkeypatch):
    """Neither on the number of threads, nor on how the random bytes come."""
    monkeypatch.setattr(batch, "PLAIN_WORK", -1)
    mechanism, values = usual(cls), values_of(usual(cls), 700)
    monkeypatch.setattr(batch, "CHUNK_ROWS", 300)
    expected = mechanism.randomize(values, entropy=seeded(4), workers=1)
    assert expected.shape == (700, mechanism.report_bytes)
    assert np.array_equal(mechanism.randomize(values, entropy=seeded(4), workers=3), expected)
    for size in (1, 64):
        monkeypatch.setattr(batch, "TAIL_BYTES", size)
        assert np.array_equal(mechanism.randomize(values, entropy=seeded(4)), expected)
    assert not np.array_equal(mechanism.randomize(values, entropy=seeded(5)), expected)
    assert not np.array_equal(expected[:300], expected[300:600])
    assert not np.array_equal(mechanism.randomize(values), mechanism.randomize(values))


@every_mechanism
def test_only_what_the_sampler_can_return_is_a_report(cls):
    """Any other bytes are refused, wherever they stand, in few reports and in many."""
    mechanism = small(cls)
    size, rng = mechanism.report_bytes, np.random.default_rng(6)
    good = sorted(set().union(*tables(cls)))
    mechanism.check(good)
    changed = [bytes(rng.integers(0, 256, size, np.uint8)) for _ in range(200)]
    last = max(int.from_bytes(report, "little") for report in good)
    changed.append((last + 1).to_bytes(size, "little"))
    for report in good[:50]:
        for place in range(8 * size):
            number = int.from_bytes(report, "little") ^ 1 << place
            changed.append(number.to_bytes(size, "little"))
    bad = sorted(set(changed) - set(good))
    assert bad
    many = np.frombuffer(
        b"".join(good * (1 + 2 * counter.PLAIN_BYTES // (size * len(good)))), np.uint8
    )
    many = many.reshape(-1, size).copy()
    mechanism.check(many)
    for report in bad[:100]:
        with pytest.raises(InvalidReport) as caught:
            mechanism.check([good[0], good[-1], report, good[0]])
        assert caught.value.row == 2
        with pytest.raises(InvalidReport):
            mechanism.probability(report, 0)
    for report in bad[:100]:
        many[len(many) // 2] = many[-1] = np.frombuffer(report, np.uint8)
        total = np.zeros(mechanism.aggregate_size, dtype=np.int64)
        assert mechanism.analyst.counter.add_many(many, total) == len(many) // 2
    with pytest.raises(InvalidReport) as caught:
        mechanism.tally(many)
    assert caught.value.row == len(many) // 2


@every_mechanism
def test_reports_of_another_size_are_refused(cls):
    mechanism = usual(cls)
    size, good = mechanism.report_bytes, mechanism.randomize(values_of(mechanism, 3))
    for wrong, named in [
        (good[:, 1:], rf"uint8.*\b{size}\b"),
        (good.astype(np.int64), "int64"),
        (bytes(size + 1), rf"\b{size} bytes.* {size + 1}\b"),
        ([good[0].tobytes(), b""], r"^reports\[1\]: .* 0\b"),
        (None, "NoneType"),
        (["a"], r"\bstr\b"),
    ]:
        with pytest.raises(InvalidReport, match=named):
            mechanism.check(wrong)


@every_mechanism
def test_a_view_of_wider_items_is_as_many_bytes_as_it_has(cls):
    """Not as many as it has items, which would be a report of another size."""
    mechanism = usual(cls)
    good = mechanism.randomize(values_of(mechanism, 1))[0].tobytes()
    wide = memoryview(np.frombuffer(good * 8, np.uint8).view("<u8"))
    assert len(wide) == len(good)
    with pytest.raises(InvalidReport, match=rf"\b{len(good)} bytes.* {8 * len(good)}\b"):
        mechanism.check(wide)
    with pytest.raises(InvalidReport, match=rf"\b{8 * len(good)}\b"):
        mechanism.check([good, wide])
    mechanism.check(memoryview(good))


@every_mechanism
def test_no_answers_give_no_reports(cls):
    mechanism = usual(cls)
    none = mechanism.randomize([])
    assert none.shape == (0, mechanism.report_bytes)
    n, aggregate = mechanism.aggregate(none)
    assert (n, aggregate.any()) == (0, False)
    counts = mechanism.tally([])
    assert (len(counts), counts.any()) == (mechanism.d, False)


@one_value_each
@pytest.mark.parametrize(
    ("values", "parameter", "shown"),
    [
        ([0, 37], "values[1]", "37"),
        ([-1], "values[0]", "-1"),
        (np.array([1, 2**64 - 1], np.uint64), "values[1]", str(2**64 - 1)),
        ([0.0], "values", "float64"),
        ([[0]], "values", "2"),
    ],
)
def test_bad_values_are_named(cls, values, parameter, shown):
    with refused_argument(parameter, cls.__name__) as caught:
        usual(cls).randomize(values)
    assert shown in str(caught.value.value)


@one_value_each
def test_a_bad_value_has_no_probability(cls):
    with refused_argument("value", value=37):
        usual(cls).probability(usual(cls).randomize([0])[0].tobytes(), 37)


@one_value_each
def test_simulated_counts_have_the_claimed_mean_and_variance(cls):
    """Within six standard errors; with a tenth of the people moved elsewhere, no more."""
    mechanism, draws = usual(cls, 6), 400
    people = np.array([0, 300, 100, 50, 50, 0])
    rng = np.random.default_rng(7)
    hits = [simulate.counts(mechanism, people, rng) for _ in range(draws)]
    estimates = np.array([mechanism.frequencies(counts, 500) for counts in hits])
    variance = mechanism.variance(people / 500, 500, "sample")

    def distance(truth):
        return np.abs((estimates.mean(axis=0) - truth) / np.sqrt(variance / draws)).max()

    assert distance(people / 500) < 6
    assert distance((people + np.array([50, -50, 0, 0, 0, 0])) / 500) > 6
    assert estimates.var(axis=0) / variance == pytest.approx(1, abs=6 * np.sqrt(2 / draws))
