"""Tables: cells and conditional shares with intervals that cover, tests and measures that hold."""

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest

from privet import simulate
from privet.analysis.tables.association import _law
from privet.analysis.tables.ratios import shown
from privet.mechanisms import Cyclotomic, KSubset
from privet.tables import Combined, PageCounts
from questionnaires import correlated, margin, page_of, pages_of
from refusing import refused_argument

PAGES, PEOPLE = [(0, 1), (0,), (1,)], [2000, 600, 600]
TIED = np.array([[0.30, 0.05, 0.05], [0.05, 0.25, 0.30]])
FREE = np.multiply.outer([0.4, 0.6], [0.5, 0.3, 0.2])


def tables_of(joint, repeats, epsilon=1.0, people=PEOPLE, seed=1):
    """Tables of people and reports drawn anew."""
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        yield Combined(pages_of(joint, PAGES, people, epsilon, rng), joint.shape).table(0, 1)


def cramers_v(joint):
    """As its definition has it."""
    free = np.multiply.outer(joint.sum(axis=1), joint.sum(axis=0))
    return sqrt(((joint - free) ** 2 / free).sum() / (min(joint.shape) - 1))


def rejected(rate, repeats):
    """The bounds of a rate that is as it should be, but for one time in a million."""
    reach = NormalDist().inv_cdf(1 - 5e-7) * sqrt(rate * (1 - rate) / repeats)
    return rate - reach, rate + reach


def test_intervals_cover_and_half_of_them_do_not():
    """300 questionnaires: cells, all of them at once, row shares and Cramér's V.

    Half an interval, which covers two times in three, is what a wrong error would look like.
    """
    repeats, v = 300, cramers_v(TIED)
    rows, row_shares = TIED.sum(axis=1), TIED / TIED.sum(axis=1, keepdims=True)
    hits, halves, together = [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], 0
    for table in tables_of(TIED, repeats):
        every = table, table.margin(0), table.row_shares(), table.association()
        for i, (one, truth) in enumerate(zip(every, (TIED, rows, row_shares, v), strict=True)):
            low, high = one.interval()
            middle, reach = (low + high) / 2, (high - low) / 4
            hits[i] = hits[i] + (low <= truth) * (truth <= high) / repeats
            halves[i] = halves[i] + (abs(middle - truth) <= reach) / repeats
        low, high = table.interval(simultaneous=True)
        together += ((low <= TIED) & (high >= TIED)).all() / repeats
    least, _ = rejected(0.95, repeats)
    assert min(map(np.min, hits)) > least
    assert together > least
    assert max(map(np.max, halves)) < least


def test_the_sample_is_covered_too():
    """At ε = 4, where the sampling of people is most of the error of the population."""
    repeats, n, people = 400, 2000, [800, 600, 600]
    rng, mechanisms = np.random.default_rng(3), [KSubset(6, 4.0), KSubset(2, 4.0), KSubset(3, 4.0)]
    hits = 0.0
    for _ in range(repeats):
        crowd = rng.multinomial(n, TIED.ravel())
        left, pages, truth = crowd.copy(), [], crowd.reshape(TIED.shape) / n
        for page, mechanism, many in zip(PAGES, mechanisms, people, strict=True):
            some = rng.multivariate_hypergeometric(left, many)
            left -= some
            held = margin(some.reshape(TIED.shape), page)
            counts = simulate.counts(mechanism, held.ravel(), rng)
            pages.append(PageCounts(page, held.shape, mechanism, many, counts))
        low, high = Combined(pages, TIED.shape).table(0, 1).interval(target="sample")
        hits = hits + (low <= truth) * (truth <= high) / repeats
    least, most = rejected(0.95, repeats)
    assert least < hits.min()
    assert hits.max() < min(most, 1)


def test_conditional_shares_are_the_truth_where_counts_are_as_expected():
    """In rows and in columns, whose shares add up to 1."""
    table = Combined(pages_of(TIED, PAGES, PEOPLE, 1.0), TIED.shape).table(0, 1)
    rows, columns = table.row_shares(), table.column_shares()
    np.testing.assert_allclose(rows.frequencies, TIED / TIED.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(columns.frequencies, (TIED / TIED.sum(axis=0)).T)
    np.testing.assert_allclose(rows.frequencies.sum(axis=1), 1)
    # The delta method, by the exact variance of a linear function.
    cell = np.zeros(TIED.shape)
    cell[0, 1], share = 1, rows.frequencies[0, 1]
    cell[0] -= share
    expected = sqrt(table.combined.variance((0, 1), cell)) / TIED[0].sum()
    assert rows.standard_errors[0, 1] == pytest.approx(expected, rel=1e-9)
    assert [*rows.columns()][:2] == ["question 0", "question 1"]


def test_a_share_of_next_to_nobody_may_be_anything():
    """Where it cannot be told whether anyone is in a row at all."""
    joint = np.array([[0.5, 0.498], [0.001, 0.001]])
    table = Combined(pages_of(joint, PAGES, [300, 100, 100], 1.0), joint.shape).table(0, 1)
    low, high = table.row_shares().interval()
    np.testing.assert_array_equal([low[1], high[1]], [[0, 0], [1, 1]])
    assert (high[0] - low[0] < 0.6).all()


@pytest.mark.parametrize("people", [PEOPLE, [150, 5, 5]])
def test_independence_is_rejected_as_often_as_it_should_be(people):
    """One time in twenty, whatever the margins are, or less where people are very few."""
    repeats = 400
    skewed = np.multiply.outer([0.85, 0.1, 0.05], [0.7, 0.2, 0.1])
    for joint in (FREE, skewed):
        found = np.mean(
            [t.independence().p_value < 0.05 for t in tables_of(joint, repeats, 1.0, people)]
        )
        assert found < rejected(0.05, repeats)[1]
        if people is PEOPLE:
            assert found > rejected(0.05, repeats)[0]


def test_independence_is_rejected_where_answers_go_together():
    """Nearly always, and the result says so in words."""
    every = [table.independence() for table in tables_of(TIED, 100)]
    assert np.mean([one.p_value < 0.05 for one in every]) > 0.95
    assert "'question 0'" in str(every[0])
    assert "'question 1'" in str(every[0])
    (free,) = (table.independence() for table in tables_of(FREE, 1))
    assert str(free).startswith("No sign")
    assert free.degrees_of_freedom == 2


def test_the_statistic_is_chi_squared_where_pages_are_alike():
    """In a flat crowd: its mean is the degrees of freedom, within 5 of its standard errors."""
    flat, repeats = np.full((3, 4), 1 / 12), 200
    values = [table.independence().statistic for table in tables_of(flat, repeats)]
    assert abs(np.mean(values) - 6) < 5 * sqrt(12 / repeats)


def test_association_is_not_taken_for_noise():
    """Where there is none it is near 0, though noise alone looks like a lot."""
    repeats = 150
    none, tied = (
        [table.association() for table in tables_of(joint, repeats)] for joint in (FREE, TIED)
    )
    naive = [sqrt(max(cramers_v_of(t.frequencies), 0)) for t in tables_of(FREE, repeats)]
    assert np.median([one.value for one in none]) < 0.5 * np.median(naive)
    assert np.mean([one.interval()[0] == 0 for one in none]) > rejected(0.95, repeats)[0]
    error = np.mean([one.standard_error for one in tied])
    assert abs(np.mean([one.value for one in tied]) - cramers_v(TIED)) < 0.2 * error
    assert np.std([one.value for one in tied]) == pytest.approx(error, rel=0.25)


def cramers_v_of(table):
    """V² as it is without reports, of shares that may be below 0."""
    free = np.multiply.outer(table.sum(axis=1), table.sum(axis=0))
    return ((table - free) ** 2 / free).sum() / (min(table.shape) - 1)


def test_association_without_noise_is_cramers_v():
    """From the counts that are expected of very many people."""
    people = [10**12] * 3
    table = Combined(pages_of(TIED, PAGES, people, 3.0), TIED.shape).table(0, 1)
    measured = table.association()
    assert measured.value == pytest.approx(cramers_v(TIED), rel=1e-5)
    low, high = measured.interval()
    assert low < measured.value < high < low + 1e-4


ALONE = [
    (np.full((8, 8), 1 / 64), 0.5, 4000),
    (np.full((8, 8), 1 / 64), 1.0, 1000),
    (np.multiply.outer([0.7, 0.3, 0], [0.5, 0.5, 0, 0]), 1.0, 300),
    (np.multiply.outer([0.5, 0.3, 0.1, 0.06, 0.04], [0.4, 0.3, 0.2, 0.05, 0.03, 0.02]), 1.0, 3000),
]


def joint_tables(joint, epsilon, n, repeats, seed=1):
    """Tables of people who all answered both questions."""
    rng, mechanism = np.random.default_rng(seed), KSubset(joint.size, epsilon)
    for _ in range(repeats):
        page = page_of(joint, (0, 1), mechanism, n, rng)
        yield Combined([page], joint.shape).table(0, 1)


@pytest.mark.parametrize(("joint", "epsilon", "n"), ALONE)
def test_association_excludes_0_exactly_where_independence_is_rejected(joint, epsilon, n):
    """At every level, and so as often as it should be; weak ones are excluded by the same rule."""
    repeats, found = 150, 0
    for table in joint_tables(joint, epsilon, n, repeats):
        p_value, v = table.independence().p_value, table.association()
        for alpha in (0.01, 0.05, 0.3, 0.9):
            low, high = v.interval(1 - alpha)
            assert (low > 0) == (p_value <= alpha)
            assert low < high
        low, high = v.interval()
        assert low <= v.value <= high
        found += low > 0
    assert found / repeats < rejected(0.05, repeats)[1]


def test_association_by_itself_excludes_0_too_often():
    """The law of φ² alone, which weighs by estimated margins: why the test decides."""
    joint, epsilon, n = ALONE[2]
    laws = (
        _law(table, [table.margin(0), table.margin(1)])
        for table in joint_tables(joint, epsilon, n, 400)
    )
    assert np.mean([law.least(0.025, 9.0) > 0 for law in laws]) > 0.09


def test_association_is_covered_where_answers_are_rare():
    """Two of a hundred; it goes up to 1 where it is not certain that an answer is given."""
    joint, repeats = np.array([[0.02, 0.01], [0.03, 0.94]]), 300
    v, ends = cramers_v(joint), []
    for table in joint_tables(joint, 4.0, 3000, repeats):
        measured = table.association()
        ends.append((*measured.interval(), measured.standard_error))
    low, high, errors = np.array(ends).T
    assert np.mean((low <= v) & (v <= high)) > rejected(0.95, repeats)[0]
    assert (high < 1).all()
    assert np.isfinite(errors).all()
    for table in joint_tables(joint, 1.0, 300, 20):
        if (table.margin(0).interval()[0] == 0).any():
            assert table.association().interval()[1] == 1
            assert np.isnan(table.association().standard_error)


@pytest.mark.parametrize("corrected", [True, False])
def test_independence_where_hardly_anybody_differs(corrected, monkeypatch):
    """One false report is no sign; the law of normal errors alone would take it for one."""
    if not corrected:
        monkeypatch.setattr("privet.analysis.tables.independence._excess", lambda *_: 0.0)
    joint, repeats = np.zeros((5, 3)), 400
    joint[0, 0] = 1
    found = np.mean(
        [t.independence().p_value <= 0.05 for t in joint_tables(joint, 8.0, 120, repeats)]
    )
    assert bool(found < rejected(0.05, repeats)[1]) is corrected


def test_conditional_shares_of_few_people_are_covered_at_a_large_epsilon():
    """A row of 4 in 100, of whom hardly any gave the answer: where the normal law covers less."""
    joint = np.array([[0.002, 0.038], [0.46, 0.5]])
    shares, repeats, z = joint / joint.sum(axis=1, keepdims=True), 500, 1.96
    hits = normal = 0.0
    for table in joint_tables(joint, 8.0, 300, repeats, seed=2):
        rows = table.row_shares()
        low, high = rows.interval()
        hits = hits + ((low <= shares) & (shares <= high)) / repeats
        off = table.frequencies - shares * table.frequencies.sum(axis=1, keepdims=True)
        normal = normal + (off**2 <= z**2 * rows._variance(rows.frequencies.clip(0, 1))) / repeats
    assert np.min(hits) > rejected(0.95, repeats)[0]
    assert np.min(normal) < 0.8


def test_conditional_shares_beyond_the_ends_have_intervals():
    """As those at the ends: never empty, and shown within 0 and 1; errors need a clear divisor."""
    beyond = np.array([[0.33, -0.03], [0.15, 0.55]])
    mechanism = KSubset(4, 1.0)
    counts = 3000 * (mechanism.h + (mechanism.g - mechanism.h) * beyond.ravel())
    page = PageCounts((0, 1), (2, 2), mechanism, 3000, counts)
    rows = Combined([page], (2, 2)).table(0, 1).row_shares()
    np.testing.assert_allclose(rows.frequencies[0], [1.1, -0.1])
    np.testing.assert_array_equal(shown(rows.frequencies)[0], [1, 0])
    low, high = rows.interval()
    assert (low < high).all()
    assert high[0, 0] == 1
    assert low[0, 1] == 0
    assert np.isfinite(rows.standard_errors).all()
    rare = np.array([[0.01, 0.01], [0.48, 0.5]])
    table = next(joint_tables(rare, 1.0, 300, 1))
    assert np.isnan(table.row_shares().standard_errors[0]).all()


def test_traces_of_many_cells_are_near_the_exact_ones(monkeypatch):
    """Random signs take the place of all cells."""
    joint = correlated((20, 20), 0.2)
    table = Combined(
        pages_of(joint, PAGES, [9000, 100, 100], 1.0, np.random.default_rng(4)), joint.shape
    ).table(0, 1)
    near = table.independence()
    monkeypatch.setattr("privet.analysis.tables.squared_lengths._MOST_PROBES", 400)
    exact = table.independence()
    assert near.statistic == exact.statistic
    assert near.p_value == pytest.approx(exact.p_value, abs=0.02)


def test_columns_name_questions_and_answers():
    """A row a cell, the last question fastest."""
    pages = pages_of(TIED, PAGES, PEOPLE, 1.0)
    names, answers = ["tea", "milk"], [["yes", "no"], ["none", "some", "much"]]
    table = Combined(pages, TIED.shape, names=names, categories=answers).table(0, 1)
    columns = table.columns()
    assert [*columns] == ["tea", "milk", "frequency", "standard_error", "low", "high"]
    assert columns["tea"] == ["yes"] * 3 + ["no"] * 3
    assert columns["milk"] == ["none", "some", "much"] * 2
    np.testing.assert_allclose(columns["frequency"], TIED.ravel())
    assert repr(table) == "<Table: tea (2) × milk (3)>"
    assert len(table.to_frame()) == 6


def test_three_questions_have_cells_and_no_rows():
    """They have margins, too."""
    joint = correlated((2, 3, 2))
    pages = [page_of(joint, (0, 1, 2), Cyclotomic(12, 1.0), 4000)]
    table = Combined(pages, joint.shape).table(2, 0, 1)
    np.testing.assert_allclose(table.frequencies, joint.transpose(2, 0, 1), atol=1e-12)
    np.testing.assert_allclose(table.margin(1).frequencies, margin(joint, (1,)), atol=1e-12)
    for asked in (table.row_shares, table.column_shares, table.independence, table.association):
        with refused_argument("questions", f"Table.{asked.__name__}"):
            asked()
    with refused_argument("question", "Table.margin", value=3):
        table.margin(3)
