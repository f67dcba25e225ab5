"""One option asked of each, person's side: its law by exact enumeration, its integers."""

from fractions import Fraction
from itertools import product

import pytest

from exact import assert_private, law, laws, values_of, walks
from privet.device.mechanisms.odds import floor_exp
from privet.errors import InvalidSurvey
from privet.mechanisms import OneOption
from refusing import refused_argument

SHAPES = [(d, most) for d in range(2, 6) for most in range(1, d + 1)]
EPSILONS = [0.01, 1.0, 3.0, 12.0]
every_shape = pytest.mark.parametrize(("d", "most"), SHAPES)


def check(mechanism, tables):
    """All that is claimed of the mechanism, of these exact laws of its reports."""
    E, d = Fraction(mechanism.odds, 2**mechanism.scale), mechanism.d
    assert assert_private(tables, mechanism.epsilon) == E == mechanism.likelihood_ratio
    p, q = mechanism.hit_rates
    assert (p, q) == (E / (E + 1), 1 / (E + 1))
    for value, table in zip(values_of(mechanism), tables, strict=True):
        expected = {}
        for option in range(d):
            yes = p if option in value else q
            expected |= {bytes([2 * option + 1]): yes / d, bytes([2 * option]): (1 - yes) / d}
        assert table == expected


@every_shape
def test_the_sampler_has_exactly_the_law_of_the_definition(d, most):
    for epsilon in EPSILONS:
        mechanism = OneOption(d, epsilon, most)
        tables = laws(mechanism)
        check(mechanism, tables)
        for value, table in zip(values_of(mechanism), tables, strict=True):
            assert table == {z: mechanism.probability(z, value) for z in table}


@every_shape
def test_draws_tell_neither_the_answer_nor_how_many_options_there_are(d, most):
    mechanism = OneOption(d, 1.0, most)
    draws = {
        tuple(walk.draws)
        for value in values_of(mechanism)
        for _, walk in walks(lambda walk, x=value: mechanism.sample(x, walk))
    }
    assert len(draws) == 1


def test_a_report_says_yes_to_one_option_or_none():
    mechanism = OneOption(200, 1.0, 3)
    assert mechanism.report_bytes == 2
    assert mechanism.members((2 * 150 + 1).to_bytes(2, "little")) == [150]
    assert mechanism.members((2 * 150).to_bytes(2, "little")) == []
    assert mechanism.problem((399).to_bytes(2, "little")) is None
    assert "399" in mechanism.problem((400).to_bytes(2, "little"))


# --- negative controls: wrong samplers fail the same checks -------------------------------------


class AsksWhatWasChosen(OneOption):
    """Draws the option among the person's own, where there are any."""

    def sample(self, value, stream):
        truth = stream.coin(*self.coin)
        options = value or range(self.d)
        option = options[stream.below(len(options))]
        return bytes([2 * option + (truth == (option in value))])


def test_control_a_question_that_depends_on_the_answer_is_caught():
    mechanism = AsksWhatWasChosen(4, 1.0, 2)
    with pytest.raises(AssertionError, match="identifies"):
        assert_private(laws(mechanism), 1.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_control_odds_rounded_up_are_caught(epsilon):
    mechanism = OneOption(4, epsilon, 2)
    object.__setattr__(mechanism, "odds", floor_exp(epsilon, mechanism.scale) + 1)
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(laws(mechanism), epsilon)


# --- parameters and values ----------------------------------------------------------------------


def test_the_arguments_are_checked():
    for arguments, parameter in [
        ((1, 1.0, 1), "d"), ((4097, 1.0, 1), "options"), ((5, 0, 1), "epsilon"),
        ((5, 1.0, 0), "most"), ((5, 1.0, 6), "most"), ((5, 1.0, True), "most"),
        ((5, 1.0, 2.0), "most"), ((5, 99.0, 2), "epsilon"),
    ]:  # fmt: skip
        with refused_argument(parameter, "OneOption"):
            OneOption(*arguments)


def test_integers_that_break_the_promise_are_refused():
    good = OneOption(10, 1.0, 3).parameters
    with pytest.raises(InvalidSurvey, match="private"):
        OneOption.from_parameters(10, 0.999, good)
    for most in (0, 11):
        with pytest.raises(InvalidSurvey, match=rf"\bmost of .* {most}\b"):
            OneOption.from_parameters(10, 1.0, {**good, "most": most})
    with pytest.raises(InvalidSurvey, match="4096"):
        OneOption.from_parameters(4097, 1.0, good)


@pytest.mark.parametrize("value", [[0, 0], [0, 1, 2, 3], [10], [-1], [0.0], [True], 3, "ab"])
def test_a_value_is_a_few_different_options(value):
    mechanism = OneOption(10, 1.0, 3)
    with refused_argument("value", value=value):
        mechanism.probability(b"\x00", value)


def test_the_law_does_not_depend_on_the_order_of_options():
    mechanism = OneOption(4, 1.0, 2)
    one, other = (law(lambda walk, x=x: mechanism.sample(x, walk)) for x in [(0, 3), (3, 0)])
    assert one == other


@pytest.mark.parametrize(("d", "epsilon"), [*product([2, 37, 4096], [1e-9, 0.1, 1.0, 8.0, 30.0])])
def test_the_odds_are_the_finest_that_keep_the_promise(d, epsilon):
    mechanism = OneOption(d, epsilon, 2)
    assert mechanism.odds == floor_exp(epsilon, mechanism.scale)
    assert mechanism.realized_epsilon == pytest.approx(epsilon, rel=1e-5)
