"""The theory against published vectors, 80-digit arithmetic, brute force and enumeration."""

import csv
import itertools
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

from privet import paper, theory
from privet.theory import formulas
from refusing import refused_argument

VECTORS = Path(__file__).parents[1] / "vectors"
LEVELS = [1e-6, 3e-5, 0.001, 0.02, 0.1, 0.24, 0.3, 0.49, 0.51, 0.8, 0.99, 1.01, 1.5, 2, 3.3, 5]
LEVELS += [7.7, 10, 15, 22, 31, 40, 50]
SIZES = [2, 3, 4, 5, 8, 17, 100, 1009, 65_536, 10**6, 999_999_937, 10**9]
GRID = list(itertools.product(SIZES, LEVELS))


@pytest.fixture(autouse=True)
def _many_digits_and_no_silent_overflow():
    with mp.workdps(80), np.errstate(divide="raise", over="raise", invalid="raise"):
        yield


def rows(path):
    with path.open(newline="") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def close(value, exact, tolerance=1e-12):
    assert abs(mp.mpf(float(value)) - exact) <= tolerance * abs(exact), (value, exact)


def subset_sizes(d):
    return sorted({k for k in (1, 2, 3, d // 7, d // 3, d // 2, d - 2, d - 1) if 1 <= k < d})


# The definitions, in as many digits as it takes.


def exact_rates(d, epsilon, k):
    big = mp.exp(epsilon)
    g = k * big / (k * big + d - k)
    return g, (k - g) / (d - 1)


def exact_variance(g, h, theta):
    return (theta * g * (1 - g) + (1 - theta) * h * (1 - h)) / (g - h) ** 2


def exact_information(d, epsilon, k):
    big = mp.exp(epsilon)
    weight = k * big + d - k
    return (k * big * mp.log(d * big / weight) + (d - k) * mp.log(d / weight)) / weight


def exact_beta(d, epsilon):
    big = mp.exp(epsilon)
    return (epsilon * big - big + 1) * d / (big - 1) ** 2


def exact_universal(epsilon):
    big = mp.exp(epsilon)
    return mp.log((big - 1) / epsilon) + epsilon / (big - 1) - 1


def paper_binary_information(d, epsilon):
    """Equation 8 as printed."""
    half, big = mp.exp(epsilon / mp.mpf(2)), mp.exp(epsilon)
    return sum(
        mp.binomial(d, k)
        * half ** (d - k - 1)
        * (k * big + d - k)
        / ((half + 1) ** d * d)
        * exact_information(d, epsilon, k)
        for k in range(d + 1)
    )


def enumerated_binary_information(d, epsilon):
    """Sum over every answer and every one of its 2^d reports."""
    keep = mp.exp(epsilon / mp.mpf(2)) / (mp.exp(epsilon / mp.mpf(2)) + 1)
    total = mp.mpf(0)
    for report in itertools.product((0, 1), repeat=d):
        chances = [
            mp.fprod(keep if bit == (i == x) else 1 - keep for i, bit in enumerate(report))
            for x in range(d)
        ]
        marginal = mp.fsum(chances) / d
        total += mp.fsum(c / d * mp.log(c / marginal) for c in chances)
    return total


def walked_binary_information(d, epsilon):
    """Sum over every size within 15 standard deviations, pmf by ratios of neighbours."""
    g, h = theory.binary_hit_rates(epsilon)
    mean, reach = (d - 1) * h, 15 * np.sqrt((d - 1) * g * h) + 50
    j = np.arange(max(0, int(mean - reach)), min(d - 1, int(mean + reach)) + 1)
    mode = int(np.searchsorted(j, int(mean)))
    steps = np.log((d - 1 - j[:-1]) / (j[:-1] + 1)) - epsilon / 2
    left, right = -np.cumsum(steps[:mode][::-1])[::-1], np.cumsum(steps[mode:])
    weights = np.exp(np.concatenate([left, [0.0], right]))
    sizes = np.arange(j[0], j[-1] + 2)
    inside = (sizes > 0) & (sizes < d)
    information = np.zeros(len(sizes))
    information[inside] = theory.mutual_information(d, epsilon, sizes[inside])
    return np.sum(weights * (g * information[1:] + h * information[:-1])) / np.sum(weights)


ARGUMENTS = {
    "d": [[3], [50], [10**6]],
    "epsilon": [1e-6, 0.3, 1.0, 9.0],
    "k": [[1], [2], [2]],
    "theta": [0.0, 0.2, 0.5, 1.0],
    "n": [1, 10, 2.5, 10**6],
}
FUNCTIONS = {
    "hit_rates": ("d", "epsilon", "k"),
    "total_variance": ("d", "epsilon", "k", "n"),
    "item_variance": ("d", "epsilon", "k", "theta", "n"),
    "l2_optimal_k": ("d", "epsilon"),
    "mutual_information": ("d", "epsilon", "k"),
    "information_beta": ("d", "epsilon"),
    "information_optimal_k": ("d", "epsilon"),
    "information_bound": ("d", "epsilon"),
    "universal_information_bound": ("epsilon",),
    "multivariate_mutual_information": ("d", "epsilon"),
    "mrr_is_suboptimal": ("d", "epsilon"),
    "binary_hit_rates": ("epsilon",),
    "binary_total_variance": ("d", "epsilon", "n"),
    "binary_mutual_information": ("d", "epsilon"),
}
KINDS = {
    "l2_optimal_k": (int, np.int64),
    "information_optimal_k": (int, np.int64),
    "mrr_is_suboptimal": (bool, np.bool),
}
UNRULY = [
    *(("d", bad) for bad in (1, 0, -7, 2**53 + 1, 2**80, 10.5, True, "ten", None)),
    *(("k", bad) for bad in (0, -1, 10, 12, 2**64, 3.5, False, "l2", None)),
    *((p, bad) for p in ("epsilon", "n") for bad in (0, -1.5, np.inf, 1j, "1", None)),
    *(("theta", bad) for bad in (-0.1, 1.1, 2, "half", None)),
]


@pytest.mark.parametrize(
    "row", rows(VECTORS / "theory.csv"), ids=lambda r: f"{r['d']:.0f}-{r['eps']:.3g}"
)
def test_vectors(row):
    d, epsilon = int(row["d"]), row["eps"]
    k, best = theory.l2_optimal_k(d, epsilon), theory.information_optimal_k(d, epsilon)
    assert (k, best) == (row["k_l2"], row["k_mi"])
    g, h = theory.hit_rates(d, epsilon, k)
    beta = theory.information_beta(d, epsilon)
    one = theory.total_variance(d, epsilon, k, 1)
    close(g, row["g"])
    close(h, row["h"])
    close(g - h, row["tv_beta"])
    close(beta, row["beta"])
    close(one, row["n_mse_freq"])
    close(one + (1 - 1 / d), row["n_mse_dist_uniform"])
    close(theory.item_variance(d, epsilon, k, 0, 1), row["n_var_item_theta0"])
    close(theory.mutual_information(d, epsilon, best), row["I_kmi"])
    close(theory.information_bound(d, epsilon), row["I_kmi"])
    close(formulas._information(d, epsilon, beta), row["I_beta"])
    close(theory.universal_information_bound(epsilon), row["I_beta"])


def test_table_of_the_paper():
    table = rows(Path(paper.__file__).parent / "table1.csv")
    d = np.array([int(row["d"]) for row in table])
    epsilon = np.array([row["epsilon"] for row in table])
    assert len(table) == 41
    assert theory.information_optimal_k(d, epsilon).tolist() == [r["k_star"] for r in table]
    assert theory.l2_optimal_k(d, epsilon).tolist() == [r["k_sharp"] for r in table]


@pytest.mark.parametrize("d", SIZES)
def test_rates_and_variances_are_exact(d):
    for epsilon, k in itertools.product(LEVELS, subset_sizes(d)):
        g, h = exact_rates(d, mp.mpf(epsilon), k)
        rates = theory.hit_rates(d, epsilon, k)
        close(rates[0], g)
        close(rates[1], h)
        total = (g * (1 - g) + (d - 1) * h * (1 - h)) / (g - h) ** 2
        close(theory.total_variance(d, epsilon, k, 1), total)
        close(theory.total_variance(d, epsilon, k, 700), total / 700)
        for theta in (0.0, 0.3, 1.0):
            item = exact_variance(g, h, mp.mpf(theta))
            close(theory.item_variance(d, epsilon, k, theta, 50), item / 50)


@pytest.mark.parametrize("d", SIZES)
def test_information_is_exact(d):
    for epsilon in LEVELS:
        e = mp.mpf(epsilon)
        for k in subset_sizes(d):
            close(theory.mutual_information(d, epsilon, k), exact_information(d, e, k))
        beta = exact_beta(d, e)
        close(theory.information_beta(d, epsilon), beta)
        floor = int(beta)
        best = max(
            (k for k in range(floor - 2, floor + 4) if 1 <= k < d),
            key=lambda k: exact_information(d, e, k),
        )
        assert theory.information_optimal_k(d, epsilon) == best
        close(theory.information_bound(d, epsilon), exact_information(d, e, best))
        close(theory.multivariate_mutual_information(d, epsilon), exact_information(d, e, 1))
        assert theory.mrr_is_suboptimal(d, epsilon) == (best > 1)


@pytest.mark.parametrize("epsilon", [*LEVELS, 100, 300, 700])
def test_universal_bound_is_exact_and_bounds(epsilon):
    bound = theory.universal_information_bound(epsilon)
    close(bound, exact_universal(mp.mpf(epsilon)))
    assert bound <= epsilon**2 / 8
    for d in SIZES:
        most = theory.information_bound(d, epsilon)
        assert most <= bound * (1 + 1e-13)
        assert theory.binary_mutual_information(d, epsilon) <= most * (1 + 1e-13)


def test_universal_bound_holds_for_any_distribution_of_answers():
    rng = np.random.default_rng(1)
    for d, epsilon in itertools.product((3, 4, 5), (0.1, 1.0, 3.0)):
        bound = theory.universal_information_bound(epsilon)
        for k in range(1, d):
            member = np.array([np.isin(range(d), z) for z in itertools.combinations(range(d), k)])
            report = np.where(member, np.exp(epsilon), 1.0)
            report /= report.sum(axis=0)
            for prior in rng.dirichlet(np.full(d, 0.5), size=200):
                ratio = report / (report @ prior)[:, None]
                assert np.sum(report * prior * np.log(ratio)) < bound
    # The uniform distribution is not the one that tells most: (½, ½, 0) is better at d = 3.
    assert theory.information_bound(3, 0.01) < theory.information_bound(2, 0.01)


def test_optimal_sizes_are_the_best_of_all():
    for d in (*range(2, 40), 100, 200):
        k = np.arange(1, d)
        levels = np.linspace(0.05, 6, 40)[:, None]
        spread = theory.total_variance(d, levels, k, 1)
        assert np.array_equal(theory.l2_optimal_k(d, levels[:, 0]), k[spread.argmin(axis=1)])
        held = theory.mutual_information(d, levels, k)
        best = k[held.argmax(axis=1)]
        assert np.array_equal(theory.information_optimal_k(d, levels[:, 0]), best)
        assert np.array_equal(theory.mrr_is_suboptimal(d, levels[:, 0]), best > 1)


def test_l2_optimal_k_is_the_smallest_that_no_larger_one_beats():
    for d, epsilon in GRID:
        k, square = int(theory.l2_optimal_k(d, epsilon)), mp.exp(2 * mp.mpf(epsilon))
        assert 1 <= k < d
        assert k * (k + 1) * square >= (d - k) * (d - k - 1)
        if k > 1:
            assert k * (k - 1) * square < (d - k) * (d - k + 1)


def test_the_papers_condition_for_randomized_response_is_sufficient_but_not_necessary():
    d, epsilon = np.meshgrid(np.arange(2, 300), np.linspace(0.1, 8, 80))
    condition = theory.information_beta(d, epsilon) >= 2
    suboptimal = theory.mrr_is_suboptimal(d, epsilon)
    assert np.all(suboptimal[condition])
    assert np.any(suboptimal[~condition])
    assert not np.all(suboptimal)


def test_total_variance_is_that_of_the_rates():
    d, epsilon = np.meshgrid(np.arange(5, 300, 7), np.linspace(0.2, 6, 40))
    for k in (1, 2, 4):
        g, h = theory.hit_rates(d, epsilon, k)
        expected = (g * (1 - g) + (d - 1) * h * (1 - h)) / (g - h) ** 2
        np.testing.assert_allclose(theory.total_variance(d, epsilon, k, 1), expected, rtol=1e-11)


@pytest.mark.parametrize("epsilon", LEVELS)
def test_binary_rates_and_variance_are_exact(epsilon):
    half = mp.exp(mp.mpf(epsilon) / 2)
    g, h = half / (half + 1), 1 / (half + 1)
    rates = theory.binary_hit_rates(epsilon)
    close(rates[0], g)
    close(rates[1], h)
    for d in SIZES:
        total = (g * (1 - g) + (d - 1) * h * (1 - h)) / (g - h) ** 2
        close(theory.binary_total_variance(d, epsilon, 12), total / 12)


@pytest.mark.parametrize("d", range(2, 9))
def test_binary_information_by_enumerating_every_report(d):
    for epsilon in (1e-6, 0.1, 1.0, 4.0, 50.0):
        exact = enumerated_binary_information(d, mp.mpf(epsilon))
        close(theory.binary_mutual_information(d, epsilon), exact)
        close(paper_binary_information(d, mp.mpf(epsilon)), exact)


@pytest.mark.parametrize("d", [2, 3, 9, 30, 64, 65, 150, 600])
def test_binary_information_is_the_sum_of_the_paper(d):
    for epsilon in LEVELS:
        exact = paper_binary_information(d, mp.mpf(epsilon))
        close(theory.binary_mutual_information(d, epsilon), exact)


@pytest.mark.parametrize(
    ("d", "epsilon"),
    [
        *itertools.product([4000, 5000, 40_000, 10**6], [1e-6, 0.5, 3.0, 9.0, 20.0, 50.0]),
        *((10**9, epsilon) for epsilon in (12.0, 20.0, 50.0)),  # the others have too many sizes
    ],
)
def test_binary_information_by_walking_every_size(d, epsilon):
    walked = walked_binary_information(d, epsilon)
    close(theory.binary_mutual_information(d, epsilon), walked)


@pytest.mark.parametrize("x", [0, 1, 2, 5, 40, 63, 64, 65, 100, 10**4, 10**9])
def test_stirling_remainder_is_exact(x):
    exact = mp.loggamma(x + 1) - x * mp.log(x or 1) + x
    assert abs(formulas._stirling(x) - exact) < 2e-13


def test_extremes_stay_finite():
    d = np.array([2, 10**9, 2**53])[:, None]
    epsilon = np.array([1e-100, 1e-20, 60, 700, 750, 1500, 1e308])
    k = theory.l2_optimal_k(d, epsilon)
    best = theory.information_optimal_k(d, epsilon)
    for size in (k, best):
        assert np.all((size >= 1) & (size <= d // 2))
        assert np.all(size[:, :2] == d // 2)
        assert np.all(size[:, 3:] == 1)
    for values in (
        *theory.hit_rates(d, epsilon, k),
        *theory.binary_hit_rates(epsilon),
        theory.total_variance(d, epsilon, k, 1),
        theory.item_variance(d, epsilon, k, 0.5, 1),
        theory.binary_total_variance(d, epsilon, 1),
        theory.information_beta(d, epsilon),
        theory.information_bound(d, epsilon),
        theory.universal_information_bound(epsilon),
        theory.binary_mutual_information(d, epsilon),
    ):
        assert np.all(np.isfinite(values))
    sure = np.broadcast_to(np.log(d), (3, 4))
    for information in (theory.information_bound, theory.binary_mutual_information):
        np.testing.assert_allclose(information(d, epsilon[3:]), sure, rtol=1e-12)


def test_every_function_is_listed_here():
    assert sorted(FUNCTIONS) == sorted(formulas.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_give_what_scalars_give(name):
    function, parameters = getattr(theory, name), FUNCTIONS[name]
    grids = np.broadcast_arrays(*(np.array(ARGUMENTS[parameter]) for parameter in parameters))
    plain, kind = KINDS.get(name, (float, np.float64))
    together = function(*(ARGUMENTS[parameter] for parameter in parameters))
    parts = together if isinstance(together, tuple) else (together,)
    for index in np.ndindex(grids[0].shape):
        one = function(*(grid[index].item() for grid in grids))
        for part, value in zip(parts, one if isinstance(one, tuple) else (one,), strict=True):
            assert type(value) is plain
            assert part.dtype == kind
            assert part.shape == grids[0].shape
            np.testing.assert_allclose(part[index], value, rtol=1e-14)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bad_arguments_are_named(name):
    usual = {"d": 10, "epsilon": 1.0, "k": 3, "theta": 0.5, "n": 100}
    cases = [case for case in UNRULY if case[0] in FUNCTIONS[name]]
    assert {case[0] for case in cases} == set(FUNCTIONS[name])
    for parameter, bad in cases:
        arguments = {key: usual[key] for key in FUNCTIONS[name]} | {parameter: bad}
        with refused_argument(parameter, name, value=bad):
            getattr(theory, name)(**arguments)


def test_the_first_bad_element_is_named():
    with refused_argument("epsilon", value=-2.0):
        theory.l2_optimal_k(10, [1.0, -2.0, np.nan])
    with refused_argument("epsilon", value=float("nan")):
        theory.l2_optimal_k(10, np.array([1.0, np.nan], dtype=np.float32))
    with refused_argument("k", value=5):
        theory.hit_rates(np.array([[20], [5]]), 1.0, [3, 5, 7])


def test_numbers_of_numpy_give_plain_ones():
    for one in (np.float64(1), np.array(1.0), np.float32(1)):
        for d in (np.int64(100), np.uint8(100), np.array(100)):
            size = theory.l2_optimal_k(d, one)
            assert type(size) is int
            assert size == 27
            assert all(type(rate) is float for rate in theory.hit_rates(d, one, k=size))


def test_sequences_of_any_kind_are_arrays():
    for d in ([100, 1000], (100, 1000), range(100, 1001, 900), np.array([100.0, 1000.0])):
        assert theory.l2_optimal_k(d, epsilon=1.0).tolist() == [27, 269]
    with pytest.raises(TypeError):
        theory.l2_optimal_k([100, 1000], 1.0, 3)
    with pytest.raises(TypeError):
        theory.l2_optimal_k([100, 1000], eps=1.0)


def test_no_elements_give_none():
    for rates in (theory.hit_rates([], 1.0, []), theory.binary_hit_rates([])):
        assert [rate.shape for rate in rates] == [(0,), (0,)]
    for size in (theory.l2_optimal_k([], 1.0), theory.binary_mutual_information(10, [])):
        assert size.shape == (0,)


def test_whole_numbers_may_come_as_floats():
    assert theory.l2_optimal_k(100.0, 1.0) == theory.l2_optimal_k(100, 1.0)
    assert theory.total_variance(100.0, 1.0, 27.0, 1) == theory.total_variance(100, 1.0, 27, 1)
