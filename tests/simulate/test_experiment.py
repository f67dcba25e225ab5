"""Experiments: errors as the theory says, tables that depend on the seed alone."""

import math
from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest

from privet import refine, theory
from privet.mechanisms import KSubset
from privet.simulate import ESTIMATORS, Experiment, experiment, run
from privet.simulate.experiment import PAPERS
from refusing import refused_argument

SMALL = {"d": 4, "epsilon": 1.0, "n": 50, "repeats": 3, "seed": 1}
ZIPF = np.arange(1, 13.0) ** -1.1 / (np.arange(1, 13.0) ** -1.1).sum()


def key(row):
    return row.truth, row.d, row.n, row.epsilon, row.mechanism, row.estimator


# --- the errors -------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["population", "sample"])
def test_the_unbiased_error_is_the_theoretical_one(target):
    names = [*PAPERS, "k-subset:information", "k-subset:7"]
    result = run(
        d=12, epsilon=[0.8, 2.5], n=400, mechanisms=names, truths="zipf:1.1", repeats=400,
        target=target, seed=5,
    )  # fmt: skip
    unbiased = [row for row in result.rows if row.estimator == "unbiased"]
    assert len(unbiased) == 2 * len(names)
    for row in unbiased:
        # A mean of 400 is normal enough: 5 standard errors are an alpha below 1e-6.
        off = abs(row.squared_l2 - row.unbiased_theory)
        assert off < 5 * row.squared_l2_se
        assert row.unbiased_theory == pytest.approx(expected(row, target), rel=1e-9)
        # The control: the error at a slightly different ε is another.
        wrong = expected(row._replace(epsilon=0.8 * row.epsilon), target)
        assert abs(row.squared_l2 - wrong) > 5 * row.squared_l2_se


def expected(row, target):
    """The expected squared ℓ2 error of the unbiased estimate, by the theory's functions."""
    sampling = (1 - np.square(ZIPF).sum()) / row.n if target == "population" else 0
    if row.mechanism == "binary-rr":
        return theory.binary_total_variance(row.d, row.epsilon, row.n) + sampling
    k = {
        "k-subset": theory.l2_optimal_k(row.d, row.epsilon),
        "k-subset:information": theory.information_optimal_k(row.d, row.epsilon),
        "k-subset:7": 7,
        "multivariate-rr": 1,
    }[row.mechanism]
    return theory.total_variance(row.d, row.epsilon, k, row.n) + sampling


def test_a_row_is_the_mean_over_repeats(monkeypatch):
    """Against the same measured by hand, from the people and counts of each repeat."""
    seen = []
    real = experiment.counts

    def watch(mechanism, people, rng):
        seen.append((people, real(mechanism, people, rng)))
        return seen[-1][1]

    monkeypatch.setattr(experiment, "counts", watch)
    result = run(**SMALL | {"repeats": 5, "target": "sample"}, mechanisms="k-subset", workers=1)
    mechanism = KSubset(4, 1.0)
    errors = [mechanism.frequencies(hits, 50) - people / 50 for people, hits in seen]
    assert [people.sum() for people, _ in seen] == [50] * 5
    row = result.rows[0]
    for name, measure in {
        "l1": lambda e: np.abs(e).sum(),
        "squared_l2": lambda e: np.square(e).sum(),
        "l_infinity": lambda e: np.abs(e).max(),
    }.items():
        measured = [measure(error) for error in errors]
        assert getattr(row, name) == pytest.approx(np.mean(measured))
        spread = np.std(measured, ddof=1) / math.sqrt(5)
        assert getattr(row, f"{name}_se") == pytest.approx(spread)


def test_projection_never_adds_squared_error():
    result = run(
        d=[3, 40], epsilon=[0.3, 3], n=100, truths=["paper", "spikes:1"], repeats=9, seed=1
    )
    for unbiased, projected in zip(result.rows[::2], result.rows[1::2], strict=True):
        assert projected.squared_l2 <= unbiased.squared_l2


def test_random_truths_are_drawn_anew_and_their_theory_averaged():
    thetas = []

    def watched(d, rng):
        thetas.append(rng.dirichlet(np.ones(d)))
        return thetas[-1]

    result = run(**SMALL, mechanisms="multivariate-rr", truths={"mine": watched}, workers=1)
    assert len(thetas) == 1 + 3  # tried once before
    sampling = np.mean([(1 - np.square(theta).sum()) / 50 for theta in thetas[1:]])
    total = theory.total_variance(4, 1.0, 1, 50) + sampling
    assert result.rows[0].unbiased_theory == pytest.approx(total)


# --- the table --------------------------------------------------------------------------------


def test_one_row_a_place_and_estimator_in_order():
    names, truths = ["binary-rr", "k-subset:2"], ["flat", "zipf:2"]
    result = run(
        d=(4, 6), epsilon=np.array([1, 0.5]), n=range(20, 40, 10), mechanisms=iter(names),
        truths=truths, repeats=2, seed=0,
    )  # fmt: skip
    places = list(product(truths, (4, 6), (20, 30), (1.0, 0.5), names, ESTIMATORS))
    assert [key(row) for row in result.rows] == places
    assert all(math.isfinite(number) for row in result.rows for number in row[6:])


def test_the_table_in_every_form():
    result = run(**SMALL)
    columns = result.columns()
    assert list(columns) == [
        "mechanism", "d", "epsilon", "n", "truth", "estimator", "l1", "l1_se", "squared_l2",
        "squared_l2_se", "l_infinity", "l_infinity_se", "unbiased_theory",
    ]  # fmt: skip
    assert result.to_arrow().to_pydict() == columns
    assert result.to_frame().to_dict("list") == columns
    assert [tuple(row) for row in result.rows] == list(zip(*columns.values(), strict=True))
    assert repr(result) == "Experiment(repeats=3, target='population', seed=1)"


def test_the_table_depends_on_the_seed_alone():
    grid = {"d": [4, 9], "epsilon": [1, 3], "n": 60, "truths": ["paper", "flat"], "repeats": 40}
    done = []
    first = run(**grid, seed=7, workers=1, progress=lambda what, total: nullcontext(done.append))
    assert sum(done) == 40 * len(first.rows) / 2
    for workers in (2, 5, None):
        assert run(**grid, seed=7, workers=workers) == first
    assert run(**grid, seed=8) != first


def test_without_a_seed_there_is_a_fresh_one_to_run_again_with():
    first, second = (run(**SMALL | {"seed": None}) for _ in range(2))
    assert first.seed != second.seed
    assert run(**SMALL | {"seed": first.seed}) == first


def test_more_repeats_go_on_from_the_same_ones():
    seen = []
    for repeats in (2, 100):
        seen.append([])

        def watched(d, rng, into=seen[-1]):
            into.append(rng.random(d).tolist())
            return into[-1]

        run(**SMALL | {"repeats": repeats}, mechanisms="k-subset", truths={"a": watched}, workers=1)
    assert seen[1][: len(seen[0])] == seen[0]
    assert len({tuple(theta) for theta in seen[1]}) == 101


# --- one's own --------------------------------------------------------------------------------


def test_ones_own_mechanisms_truths_and_estimators():
    result = run(
        **SMALL,
        mechanisms={"half": lambda d, epsilon: KSubset(d, epsilon, k=d // 2), "mrr": "k-subset:1"},
        truths={"mine": [1, 2, 3, 4], "certain": np.array([1, 0, 0, 0]), "zipf": "zipf:3"},
        estimators={"flat": lambda mechanism, hits, n: np.full(mechanism.d, 1 / mechanism.d)},
    )
    assert [(row.mechanism, row.truth) for row in result.rows] == [
        (mechanism, truth) for truth in ("mine", "certain", "zipf") for mechanism in ("half", "mrr")
    ]
    assert result.rows[0].squared_l2 == pytest.approx(0.05)
    assert result.rows[2].squared_l2 == pytest.approx(0.75)
    assert result.rows[2].l_infinity == pytest.approx(0.75)
    assert result.rows[2].l1_se == 0
    total = theory.total_variance(4, 1.0, [2, 1], 50)
    np.testing.assert_allclose([row.unbiased_theory for row in result.rows[2:4]], total)


def test_the_estimators_are_the_librarys_own():
    mechanism, hits = KSubset(3, 1.0), np.array([30, 10, 20])
    frequencies = mechanism.frequencies(hits, 40)
    assert np.array_equal(ESTIMATORS["unbiased"](mechanism, hits, 40), frequencies)
    projected = ESTIMATORS["projected"](mechanism, hits, 40)
    assert np.array_equal(projected, refine.project_simplex(frequencies))


# --- the picture ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "label", "titles", "said"),
    [
        ({}, "privacy level ε", [""], "zipf:2 · d = 4 · 50 people · 3 repeats ± 2 s.e."),
        ({"d": [4, 5]}, "values d", [""], "zipf:2 · ε = 1 · 50 people · 3 repeats ± 2 s.e."),
        ({"n": [10, 2_000_000]}, "people n", [""], "zipf:2 · ε = 1 · d = 4 · 3 repeats ± 2 s.e."),
        (
            {"epsilon": [1, 2], "truths": ["paper", "flat", "zipf", "zipf:0", "$a$"]},
            "privacy level ε",
            ["paper", "flat", "zipf", "zipf:0", "$a$"],
            "d = 4 · 50 people · 3 repeats ± 2 s.e.",
        ),
        (
            {"epsilon": [1, 2], "d": [3, 4, 5]},
            "values d",
            ["ε = 1", "ε = 2"],
            "zipf:2 · 50 people · 3 repeats ± 2 s.e.",
        ),
    ],
    ids=str,
)
def test_the_picture_is_against_what_varies_most_with_a_panel_for_the_rest(
    change, label, titles, said
):
    truths = {name: {"$a$": "flat"}.get(name, name) for name in change.get("truths", ["zipf:2"])}
    figure = run(**SMALL | change | {"truths": truths}).plot()
    figure.canvas.draw()
    assert [ax.get_title() for ax in figure.axes] == titles
    assert figure.get_suptitle() == said
    below = [ax.get_xlabel() for ax in figure.axes[-3:]]
    assert set(below) == {label}
    assert {ax.get_xscale() + ax.get_yscale() for ax in figure.axes} == {"loglog"}
    (legend,) = figure.legends
    assert [text.get_text().strip() for text in legend.get_texts()] == [
        *PAPERS, "", "unbiased", "projected", "unbiased, theory"
    ]  # fmt: skip


def test_the_picture_has_the_simulated_errors_and_the_theory():
    result = run(**SMALL | {"epsilon": [3, 1, 2]}, mechanisms="k-subset")
    (ax,) = result.plot().axes
    drawn = [line.get_xydata().tolist() for line in ax.lines]
    rows = sorted(result.rows, key=lambda row: row.epsilon)
    for estimator in ESTIMATORS:
        part = [row for row in rows if row.estimator == estimator]
        assert [[row.epsilon, row.squared_l2] for row in part] in drawn
        assert [[row.epsilon, row.unbiased_theory] for row in part] in drawn


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "parameter", "owner", "value"),
    [
        *(({"repeats": bad}, "repeats", "run", bad)
          for bad in (0, 1, -3, 2.0, True)),
        ({"n": 0}, "n", "run", 0),
        ({"n": [10, 2.5]}, "n", "run", 2.5),
        ({"n": 2**60}, "n", "run", 2**60),
        ({"n": ()}, "n", "run", ()),
        ({"epsilon": []}, "epsilon", "run", []),
        ({"epsilon": -1}, "epsilon", "KSubset", -1),
        ({"d": 1}, "d", "KSubset", 1),
        ({"seed": -1}, "seed", "run", -1),
        ({"workers": 0}, "workers", "run", 0),
        ({"target": "crowd"}, "target", "run", "crowd"),
        ({"mechanisms": "nope"}, "mechanisms", "run", "nope"),
        ({"mechanisms": "binary-rr:2"}, "mechanisms", "run", "binary-rr:2"),
        ({"mechanisms": ["k-subset", ""]}, "mechanisms", "run", ""),
        ({"mechanisms": "k-subset:4"}, "k", "KSubset", 4),
        ({"mechanisms": "k-subset:²"}, "k", "KSubset", "²"),
        ({"mechanisms": [KSubset]}, "mechanisms", "run", [KSubset]),
        ({"mechanisms": KSubset}, "mechanisms", "run", KSubset),
        ({"mechanisms": []}, "mechanisms", "run", []),
        ({"mechanisms": {"mine": 3}}, "mechanisms", "run", 3),
        ({"truths": [np.ones(4)]}, "truths", "run", [np.ones(4)]),
        ({"truths": [0.5, 0.2, 0.2, 0.1]}, "truths", "run", [0.5, 0.2, 0.2, 0.1]),
        ({"truths": "nope"}, "form", "truth", "nope"),
        ({"truths": {"mine": [1, 2, 3]}}, "form", "truth", "shape (3,)"),
    ],
    ids=str,
)  # fmt: skip
def test_bad_arguments_are_named(change, parameter, owner, value):
    with refused_argument(parameter, owner, value=value):
        run(**SMALL | change)


def test_what_goes_wrong_is_told_before_the_work(monkeypatch):
    monkeypatch.setattr(experiment, "counts", None)  # which would be called
    with refused_argument("m", "spikes"):
        run(**SMALL | {"d": [64, 4]}, truths=["flat", "spikes:5"])


def test_an_error_in_a_thread_ends_the_run():
    done = []

    def fails_later(d, rng):
        done.append(1)
        if len(done) > 10:
            raise RuntimeError("enough")
        return np.ones(d)

    with pytest.raises(RuntimeError, match="enough"):
        run(**SMALL | {"repeats": 10_000}, truths={"bad": fails_later}, workers=2)
    assert len(done) < 1000


def test_the_result_is_frozen():
    with pytest.raises(AttributeError):
        run(**SMALL).seed = 2
    assert Experiment((), 2, "sample", 1).columns()["d"] == []
