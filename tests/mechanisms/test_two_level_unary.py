"""Two levels: both laws by enumeration, what repeats promise together, and who needs a secret."""

import json
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest

from exact import assert_private, largest_ratio, law
from privet import Client, Ledger, Questionnaire, Survey
from privet.device.mechanisms.flips import ONE
from privet.errors import InvalidSurvey
from privet.mechanisms import OptimizedUnary, TwoLevelUnary
from privet.plan import choose, compare
from refusing import refused_argument

LEVELS = [(2.0, 1.0), (1.0, 0.1), (4.0, 3.9), (0.2, 0.1)]
NAMES = [f"v{i}" for i in range(20)]
SECRET = bytes(range(16))


def survey(epsilon=2.0, **options):
    mechanism = TwoLevelUnary(len(NAMES), epsilon, **options)
    return Survey("Which?", NAMES, epsilon, mechanism=mechanism)


def joint(mechanism, times):
    """For each value, the law of several reports of one person."""

    def reports(x, walk):
        permanent = mechanism.permanent(x, walk)
        return tuple(mechanism.renewed(permanent, walk) for _ in range(times))

    return [law(lambda walk, x=x: reports(x, walk)) for x in range(mechanism.d)]


# --- both levels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "report_epsilon"), LEVELS)
@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_permanent_response_is_an_optimized_unary_one(d, epsilon, report_epsilon):
    mechanism = TwoLevelUnary(d, epsilon, report_epsilon)
    permanent = [law(lambda walk, x=x: mechanism.permanent(x, walk)) for x in range(d)]
    plain = OptimizedUnary(d, epsilon)
    for x, table in enumerate(permanent):
        reports = {bits: plain.probability(bytes([bits]), x) for bits in table}
        assert table == reports
    assert assert_private(permanent, epsilon) == mechanism.permanent_ratio


@pytest.mark.parametrize(("epsilon", "report_epsilon"), LEVELS)
@pytest.mark.parametrize("d", [2, 3, 4])
def test_one_report_keeps_to_its_own_level(d, epsilon, report_epsilon):
    mechanism = TwoLevelUnary(d, epsilon, report_epsilon)
    tables = [law(lambda walk, x=x: mechanism.sample(x, walk)) for x in range(d)]
    ratio = assert_private(tables, report_epsilon)
    assert ratio == mechanism.likelihood_ratio
    assert mechanism.realized_epsilon == pytest.approx(report_epsilon, rel=1e-9)


@pytest.mark.parametrize(("d", "times"), [(2, 1), (2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)])
def test_any_number_of_reports_keeps_to_the_level_of_the_permanent_response(d, times):
    mechanism = TwoLevelUnary(d, 2.0, 1.0)
    ratio = assert_private(joint(mechanism, times), 2.0)
    assert ratio < mechanism.permanent_ratio
    assert ratio >= mechanism.likelihood_ratio


def test_more_reports_come_nearer_to_that_level():
    mechanism = TwoLevelUnary(2, 2.0, 1.0)
    ratios = [largest_ratio(joint(mechanism, times)) for times in (1, 2, 3, 4)]
    assert ratios == sorted(set(ratios))
    assert ratios[0] == mechanism.likelihood_ratio
    assert ratios[-1] > Fraction(9, 10) * mechanism.permanent_ratio


def test_control_a_permanent_response_that_is_redrawn_breaks_the_promise():
    mechanism = TwoLevelUnary(2, 2.0, 1.0)

    def redrawn(x, times, walk):
        return tuple(mechanism.sample(x, walk) for _ in range(times))

    for times in (2, 3):
        tables = [law(partial(redrawn, x, times)) for x in range(2)]
        assert largest_ratio(tables) == mechanism.likelihood_ratio**times
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(tables, 2.0)


def test_control_without_the_fresh_flip_one_report_says_too_much():
    mechanism = TwoLevelUnary(3, 2.0, 1.0)
    tables = [law(lambda walk, x=x: mechanism.permanent(x, walk)) for x in range(3)]
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(tables, 1.0)


# --- integers, error ------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "report_epsilon"), [*LEVELS, (43.0, 1e-3), (40.0, 39.0)])
def test_the_integers_are_the_smallest_that_keep_both_promises(epsilon, report_epsilon):
    mechanism = TwoLevelUnary(5, epsilon, report_epsilon)

    def level(ratio):
        with mpmath.workdps(60):
            return mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)

    def one_report(noise):
        q1, q2 = Fraction(mechanism.flip, ONE), Fraction(noise, ONE)
        h = q1 * (1 - q2) + (1 - q1) * q2
        return level((1 - h) / h)

    assert (
        level(mechanism.permanent_ratio) <= epsilon < level(Fraction(ONE, mechanism.flip - 1) - 1)
    )
    assert one_report(mechanism.noise) <= report_epsilon < one_report(mechanism.noise - 1)
    assert one_report(mechanism.noise) == level(mechanism.likelihood_ratio)


def test_the_noise_of_two_and_one_is_as_published():
    """1 − p2, with p2 = (E₁E∞ − 1)/(E₁E∞ + E∞ − E₁ − 1)."""
    mechanism = TwoLevelUnary(100, 2.0, 1.0)
    assert mechanism.noise / ONE == pytest.approx(0.19661, abs=5e-6)
    for epsilon, report_epsilon in LEVELS:
        both, once = np.exp([epsilon, report_epsilon])
        p2 = (once * both - 1) / (once * both + both - once - 1)
        noise = TwoLevelUnary(100, epsilon, report_epsilon).noise / ONE
        assert noise == pytest.approx(1 - p2, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "report_epsilon"), LEVELS)
def test_the_error_is_that_of_a_fresh_report_at_the_level_of_one(epsilon, report_epsilon):
    mechanism, fresh = (
        TwoLevelUnary(100, epsilon, report_epsilon),
        OptimizedUnary(100, report_epsilon),
    )
    theta = np.random.default_rng(1).dirichlet(np.ones(100))
    for target in ("population", "sample"):
        ours, theirs = (one.variance(theta, 50, target) for one in (mechanism, fresh))
        assert ours == pytest.approx(theirs, rel=1e-9)
    rare = TwoLevelUnary(100, 2.0, 1.0).variance(np.eye(100)[0], 1)[1]
    assert rare == pytest.approx(3.68, abs=0.005)


def test_the_estimate_is_the_published_one():
    mechanism = TwoLevelUnary(3, 2.0, 1.0)
    p1, q1, q2 = 0.5, mechanism.flip / ONE, mechanism.noise / ONE
    p2, counts, n = 1 - q2, np.array([30, 55, 42]), 100
    published = (counts / n - q1 * (p2 - q2) - q2) / ((p1 - q1) * (p2 - q2))
    assert mechanism.frequencies(counts, n) == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize("report_epsilon", [2.0, 3.0, 1e300, 0.0, -1.0, 1e-13, float("nan"), "1"])
def test_a_level_of_one_report_that_is_not_below_the_other_is_refused(report_epsilon):
    with refused_argument("report_epsilon", "TwoLevelUnary", value=report_epsilon):
        TwoLevelUnary(10, 2.0, report_epsilon)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("flip", lambda integer: str(int(integer) - 1)),
        ("noise", lambda integer: str(int(integer) - 1)),
        ("noise", lambda integer: str(2**63)),
        ("noise", lambda integer: "0"),
        ("report_epsilon", lambda level: level - 1e-9),
    ],
)
def test_a_survey_that_breaks_either_promise_is_refused(name, change):
    fields = json.loads(survey().to_json())
    fields["mechanism"][name] = change(fields["mechanism"][name])
    with pytest.raises(InvalidSurvey, match="private"):
        Survey.from_json(json.dumps(fields))


def test_a_level_of_one_report_that_is_none_is_refused():
    parameters = {**TwoLevelUnary(4, 1.0).parameters, "report_epsilon": 2.0}
    with pytest.raises(InvalidSurvey, match=r"report_epsilon.* 2\.0"):
        TwoLevelUnary.from_parameters(4, 1.0, parameters)


# --- surveys, clients, plans ----------------------------------------------------------------------


def test_repeats_differ_over_one_permanent_response():
    asked = survey()
    reports = np.array([list(asked.randomize("v3", secret=SECRET)) for _ in range(4000)])
    assert len({row.tobytes() for row in reports.astype(np.uint8)}) > 2500
    bits = np.unpackbits(reports.astype(np.uint8), axis=1, bitorder="little")[:, : len(NAMES)]
    noise = asked.mechanism.noise / ONE
    off = np.abs(bits.mean(axis=0) - np.where(bits.mean(axis=0) > 0.5, 1 - noise, noise))
    assert off.max() < 5.5 * np.sqrt(noise * (1 - noise) / 4000)  # each bit is one of two coins


def test_another_secret_or_value_has_another_permanent_response():
    asked = survey()

    def permanent(answer, secret):
        reports = [list(asked.randomize(answer, secret=secret)) for _ in range(200)]
        bits = np.unpackbits(np.array(reports, np.uint8), axis=1, bitorder="little")
        return tuple(bits.mean(axis=0) > 0.5)

    found = [permanent("v3", SECRET), permanent("v3", SECRET), permanent("v4", SECRET)]
    assert found[0] == found[1] != found[2]
    assert permanent("v3", bytes(16)) != found[0]


def test_a_secret_is_needed():
    with refused_argument("secret", "Survey.randomize", value=None):
        survey().randomize("v1")
    with refused_argument("secret", value="5 bytes"):
        survey().randomize("v1", secret=b"short")
    with refused_argument("secret", "Client", value=None):
        Client("http://127.0.0.1:9", survey())


def test_a_ledger_is_charged_all_of_epsilon_once_for_each_value(tmp_path):
    ledger = Ledger(tmp_path / "ledger.json", budget=5.0)
    with Client("http://127.0.0.1:9", survey(), secret=SECRET, ledger=ledger) as client:
        for _ in range(30):
            assert client.send("v3")
        assert ledger.spent == 2.0
        client.send("v4")
        client.send("v3")
        assert ledger.spent == 4.0
        assert len({report for _, report in client._queue}) > 20
        client.close(0)


def test_a_page_of_a_questionnaire_may_have_a_permanent_response():
    asked = Questionnaire("Both", [survey(), Survey("Tea?", ["yes", "no"], 2.0, id="tea")], 2.0)
    assert Questionnaire.from_json(asked.to_json()) == asked
    pages = {}
    for person in range(20):
        secret = person.to_bytes(16, "big")
        page = asked.draw(secret=secret)
        answers = {"which": "v3", "tea": "yes"}
        reports = {asked.randomize(answers, secret=secret) for _ in range(5)}
        assert {report[0] for report in reports} == {page.number}
        pages[page.asks] = len(reports)
    assert pages[("tea",)] == 1 < pages[("which",)]
    with refused_argument("secret", "Questionnaire.randomize", value=None):
        asked.randomize({"which": "v3"}, page=asked.pages[0])
    with refused_argument("secret", "Client", value=None):
        Client("http://127.0.0.1:9", asked)


def test_it_is_compared_and_never_chosen():
    listed = {one.mechanism.name: one for one in compare(100, 2.0, 1)}
    half = OptimizedUnary(100, 1.0).variance(np.full(100, 0.01), 1, "sample").sum()
    assert listed["two-level-unary"].squared_error == pytest.approx(half, rel=1e-9)
    for d in (2, 10, 100, 1000):
        for epsilon in (0.1, 1.0, 4.0):
            assert not choose(d, epsilon).needs_secret
