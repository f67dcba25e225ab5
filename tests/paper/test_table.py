"""Table 1: what is printed, by its own protocol, and with real reports."""

from contextlib import nullcontext
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from privet import entropy, paper, refine, theory
from privet.paper.protocol import (
    MECHANISMS,
    NORMS,
    PEOPLE,
    draw_crowds,
    marginal_counts,
    project_rows,
    simulate,
)
from privet.paper.table1 import read_printed
from refusing import refused_argument

ALPHA = 1e-6


def limit(tests, repeats):
    """How many standard errors no one of so many means exceeds, but for a chance of ALPHA."""
    return stats.t.isf(ALPHA / 2 / tests, repeats - 1)


# --- what is printed ------------------------------------------------------------------------


def test_the_printed_table_is_complete():
    rows = read_printed()
    assert len(rows) == 41
    assert len({(row["d"], row["epsilon"]) for row in rows}) == 41
    for row in rows:
        d, epsilon = int(row.pop("d")), float(row.pop("epsilon"))
        assert int(row.pop("k_star")) == theory.information_optimal_k(d, epsilon)
        assert int(row.pop("k_sharp")) == theory.l2_optimal_k(d, epsilon)
        assert list(row) == [f"{norm}_{name}" for norm in NORMS for name in MECHANISMS]
        errors = np.array([float(value) for value in row.values()])
        squared, absolute = errors[:4], errors[4:]
        # By Cauchy and Schwarz: ℓ1² <= d ℓ2², in every repeat; the means are 100 repeats'.
        assert (absolute**2 <= d * squared).all()
        assert (squared < 2).all()
        assert (absolute < 2).all()


def test_the_cells_are_in_the_order_of_print(table):
    rows = read_printed()
    assert len(table.cells) == len(rows) * len(MECHANISMS) * len(NORMS) == 328
    wanted = [(r["d"], float(r["epsilon"]), m, n) for r in rows for m in MECHANISMS for n in NORMS]
    assert [(str(c.d), c.epsilon, c.mechanism, c.norm) for c in table.cells] == wanted
    assert table.rows == [(int(row["d"]), float(row["epsilon"])) for row in rows]
    assert table.cell(6, 0.5, "brr", "l2").digit == 1e-5  # 0.00740
    assert table.cell(2, 1.0, "mrr", "l2").digit == 1e-7  # 9.75e-05
    assert table.cell(6, 0.01, "mrr", "l1").digit == 1e-2  # 1.51
    with refused_argument("d, epsilon, mechanism, norm", value=(3, 0.1, "brr", "l2")):
        table.cell(3, 0.1, "brr", "l2")


def test_a_z_score_has_three_sources_of_noise():
    cell = paper.Cell(8, 1.0, "mrr", "l2", 1.0, 0.1, 400, 0.9, 0.03, 1.1, 0.01)
    assert cell.z() == pytest.approx(0.1 / sqrt(0.03**2 + 0.06**2 + 0.01 / 12))
    assert cell.z("joint") == pytest.approx(-0.1 / sqrt(0.01**2 + 0.02**2 + 0.01 / 12))
    assert list(cell.to_dict()) == [
        "d", "epsilon", "mechanism", "norm", "printed",
        "marginal", "marginal_se", "joint", "joint_se", "z",
    ]  # fmt: skip
    table = paper.Table1((cell, cell), 400, 1)
    assert table.rms_z() == pytest.approx(cell.z())
    assert (table.beyond(1), table.beyond(2)) == ([cell, cell], [])


# --- the paper's protocol -------------------------------------------------------------------


def test_rows_are_projected_as_one_vector_is():
    rng = np.random.default_rng(1)
    for d in (2, 7, 64):
        for scale in (1e-3, 1, 100):
            rows = rng.normal(1 / d, scale, (50, d))
            single = [refine.project_simplex(row) for row in rows]
            np.testing.assert_allclose(project_rows(rows), single, atol=1e-13 * (1 + scale))


def test_the_protocol_reproduces_every_cell(table):
    assert abs(table.worst().z()) < limit(328, 100)
    assert table.rms_z() < 1.1


def naive_protocol(d, epsilon, make, repeats, rng):
    """The paper's protocol word by word; return squared ℓ2 errors against the people and θ."""
    mechanism = make(d, epsilon)
    errors = []
    for _ in range(repeats):
        theta = rng.random(d)
        theta /= theta.sum()
        people = np.bincount(rng.choice(d, PEOPLE, p=theta), minlength=d)
        f = [rng.binomial(n, mechanism.g) + rng.binomial(PEOPLE - n, mechanism.h) for n in people]
        estimate = refine.project_simplex(mechanism.frequencies(np.array(f), PEOPLE))
        truths = people / PEOPLE, theta
        errors.append([np.square(estimate - truth).sum() for truth in truths])
    return np.array(errors).T


def test_the_error_is_that_of_the_people_and_not_of_theta(table):
    cell = table.cell(64, 5.0, "mrr", "l2")
    against_people, against_theta = naive_protocol(
        64, 5.0, MECHANISMS["mrr"], 200, np.random.default_rng(2)
    )
    for errors, fits in ((against_people, True), (against_theta, False)):
        noise = errors.std() * sqrt(1 / 200 + 1 / 100)
        assert (abs(errors.mean() - cell.printed) < 5 * noise) == fits
        noise = sqrt(errors.var() / 200 + cell.marginal_se**2)
        assert (abs(errors.mean() - cell.marginal) < 5 * noise) == fits


def test_each_count_has_the_law_of_a_count_of_reports():
    rng = np.random.default_rng(3)
    crowd = draw_crowds(6, 1, rng)[0]
    assert crowd.sum() == PEOPLE
    crowds = np.tile(crowd, (4000, 1))
    for make in MECHANISMS.values():
        mechanism = make(6, 1.0)
        counts = marginal_counts(mechanism, crowds, rng)
        mean = crowd * mechanism.g + (PEOPLE - crowd) * mechanism.h
        variance = crowd * mechanism.g * (1 - mechanism.g)
        variance = variance + (PEOPLE - crowd) * mechanism.h * (1 - mechanism.h)
        assert (np.abs(counts.mean(axis=0) - mean) < 6 * np.sqrt(variance / 4000)).all()
        assert (np.abs(counts.var(axis=0) / variance - 1) < 6 * sqrt(2 / 4000)).all()


# --- real reports ---------------------------------------------------------------------------


def from_reports(d, epsilon, make, repeats, rng, source):
    """Everyone's report, made and counted; return the errors of both norms, (2, repeats).

    The reports of all crowds are made in one go, as compiled code makes them only of many.
    """
    mechanism = make(d, epsilon)
    crowds = draw_crowds(d, repeats, rng)
    values = np.repeat(np.tile(np.arange(d), repeats), crowds.ravel())
    reports = mechanism.randomize(values, entropy=source)
    errors = []
    for people, made in zip(crowds, reports.reshape(repeats, PEOPLE, -1), strict=True):
        frequencies = mechanism.frequencies(mechanism.tally(made), PEOPLE)
        wrong = refine.project_simplex(frequencies) - people / PEOPLE
        errors.append([np.square(wrong).sum(), np.abs(wrong).sum()])
    return np.array(errors).T


def test_the_joint_column_is_that_of_reports(table):
    rng, source, repeats = np.random.default_rng(4), entropy.seeded(4), 40
    scores = []
    for d, epsilon in table.rows:
        if d > 16:
            continue
        for name, make in MECHANISMS.items():
            made = from_reports(d, epsilon, make, repeats, rng, source)
            for norm, errors in zip(NORMS, made, strict=True):
                cell = table.cell(d, epsilon, name, norm)
                noise = sqrt(errors.var(ddof=1) / repeats + cell.joint_se**2)
                scores.append((errors.mean() - cell.joint) / noise)
    scores = np.array(scores)
    assert len(scores) == 21 * 8
    assert np.abs(scores).max() < limit(len(scores), repeats)
    assert 0.5 < np.sqrt(np.mean(scores**2)) < 1.5


def test_the_protocol_is_told_from_reports_where_there_are_two_values():
    rng, source, repeats = np.random.default_rng(5), entropy.seeded(5), 1500
    simulated = simulate(2, 1.0, repeats, rng)
    for name, make in MECHANISMS.items():
        marginal, joint = simulated[name]
        made = from_reports(2, 1.0, make, repeats, rng, source)
        for at in range(2):
            noise = made[at].std() / sqrt(repeats)
            far = limit(8, repeats) * sqrt(2) * noise
            assert abs(made[at].mean() - joint[at].mean()) < far
            assert (abs(made[at].mean() - marginal[at].mean()) > far) == (name != "brr")
        if name != "brr":
            ratio = marginal[0].mean() / joint[0].mean()
            assert abs(ratio - 1 / 2) < 6 * sqrt(2 * 2 / repeats) / 2


def test_the_bits_of_binary_randomized_response_are_independent(table):
    for cell in table.cells:
        same = (cell.marginal, cell.marginal_se) == (cell.joint, cell.joint_se)
        assert same == (cell.mechanism == "brr")


# --- seeds and arguments --------------------------------------------------------------------


def test_a_seed_gives_the_same_table_whatever_the_number_of_workers():
    done = []
    one = paper.table1(
        repeats=3, seed=7, workers=1, progress=lambda what, total: nullcontext(done.append)
    )
    assert done == [3] * 41
    assert one == paper.table1(repeats=3, seed=7, workers=3)
    other = paper.table1(repeats=3)
    assert other.seed != 7
    assert other.cells != one.cells
    assert other == paper.table1(repeats=3, seed=other.seed)


@pytest.mark.parametrize(
    "arguments",
    [
        *({"repeats": value} for value in (0, 1, -5, 100_001, 2.5, "10", True, None)),
        *({"seed": value} for value in (-1, 1.5, "1", False)),
        *({"workers": value} for value in (0, -1, 1.5)),
    ],
    ids=str,
)
def test_bad_arguments_are_named(arguments):
    ((name, value),) = arguments.items()
    with refused_argument(name, "table1", value=value):
        paper.table1(**arguments)
