"""Pages, person's side: the law of page and report together, over all that a person may answer."""

import json
import pickle
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, log

import pytest

from exact import assert_private, largest_ratio, law, values_of, walks
from privet.device.mechanisms.paged import MOST_PAGES, MOST_WEIGHT, Paged
from privet.errors import InvalidReport, InvalidSurvey
from privet.mechanisms import Interval, KSubset, MultivariateRR, OneOption, SetSubset
from refusing import refused_argument

EPSILONS = [0.1, 1.0, 3.0]


def three(epsilon, cls=Paged):
    """One choice, several, and a scale: each has more values, and longer reports, than another."""
    parts = [KSubset(3, epsilon), SetSubset(4, epsilon, most=1, k=2), Interval(300, epsilon)]
    return cls(parts, [2, 1, 3])


def whole_answers(mechanism):
    """A value for each page: all combinations, of many values the first, a middle and the last."""
    values = map(values_of, mechanism.parts)
    few = (own if len(own) < 99 else [own[0], own[len(own) // 2], own[-1]] for own in values)
    return [*product(*few)]


@cache
def laws(mechanism):
    """The exact law of a report, for each of all combinations."""
    return [law(lambda w, x=x: mechanism.sample(x, w)) for x in whole_answers(mechanism)]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_page_and_report_together_have_exactly_the_law_of_the_definition(epsilon):
    mechanism = three(epsilon)
    tables = laws(mechanism)
    assert len(tables) == 3 * 5 * 3
    assert assert_private(tables, epsilon) == mechanism.likelihood_ratio
    for value, table in zip(whole_answers(mechanism), tables, strict=True):
        expected = {}
        for page, (part, weight) in enumerate(zip(mechanism.parts, [2, 1, 3], strict=True)):
            own = law(lambda w, part=part, x=value[page]: part.sample(x, w))
            for report, chance in own.items():
                sent = (bytes([page]) + report).ljust(mechanism.report_bytes, b"\0")
                expected[sent] = Fraction(weight, 6) * chance
        assert table == expected
        assert table == {report: mechanism.probability(report, value) for report in table}


def test_the_ratio_is_that_of_the_least_private_page():
    mechanism = three(1.0)
    ratios = [part.likelihood_ratio for part in mechanism.parts]
    assert len({*ratios}) > 1
    assert mechanism.likelihood_ratio == max(ratios)
    assert mechanism.realized_epsilon == max(part.realized_epsilon for part in mechanism.parts)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_page_does_not_depend_on_the_answers(epsilon):
    for table in laws(three(epsilon)):
        chances = dict.fromkeys(range(3), Fraction(0))
        for report, chance in table.items():
            chances[report[0]] += chance
        assert chances == {0: Fraction(2, 6), 1: Fraction(1, 6), 2: Fraction(3, 6)}


def test_the_page_is_the_first_draw_and_tells_what_else_is_drawn():
    mechanism = three(1.0)
    draws = {
        (report[0], tuple(walk.draws[:1]))
        for value in whole_answers(mechanism)
        for report, walk in walks(lambda w, x=value: mechanism.sample(x, w))
    }
    assert draws == {(page, (("below", 6),)) for page in range(3)}


def test_every_report_has_one_encoding():
    """What can be sent is just what `problem` lets pass."""
    mechanism = Paged([KSubset(3, 1.0, k=1), Interval(300, 1.0)], [2, 1])
    (table, *_) = laws(mechanism)
    assert mechanism.report_bytes == 3
    everything = (bytes(z) for z in product(range(3), range(256), range(256)))
    assert {z for z in everything if mechanism.problem(z) is None} == set(table)


@pytest.mark.parametrize(
    ("report", "numbers"),
    [
        (b"\x03\x01\x00", r"page 3\b.*\b2\b"),
        (b"\x00\x01\x01", r"page 0\b"),
        (b"\x00\x03\x00", r"Page 0\b.*members"),
        (b"\x01\x00\x00", r"Page 1\b.*members"),
        (b"\x02\xff\xff", r"Page 2\b"),
        (b"\x00\x01", r"3 bytes.*\b2\b"),
        (b"\x00\x01\x00\x00", r"3 bytes.*\b4\b"),
    ],
)
def test_what_is_not_a_report_is_refused(report, numbers):
    with pytest.raises(InvalidReport, match=numbers):
        three(1.0).probability(report, [0, (), 0])


@pytest.mark.parametrize(("pages", "size"), [(1, 1), (256, 1), (257, 2)])
def test_a_pages_number_takes_as_few_bytes_as_it_can(pages, size):
    mechanism = Paged([KSubset(3, 1.0)] * pages, [1] * pages)
    assert (mechanism.number_bytes, mechanism.report_bytes) == (size, size + 1)
    last = mechanism.enclosed(pages - 1, b"\x01")
    assert last == (pages - 1).to_bytes(size, "little") + b"\x01"
    assert mechanism.probability(last, [0] * pages) > 0
    if pages == 257:
        assert "257" in mechanism.problem(b"\x01\x01\x01")


# --- negative controls: wrong samplers fail the same checks -------------------------------------


class AsksWhatIsKnown(Paged):
    """Goes on to the next page if the answer to the first is the first."""

    def sample(self, value, stream):
        page = (self.draw(stream) + (value[0] == 0)) % len(self.parts)
        return self.enclosed(page, self.parts[page].sample(value[page], stream))


class AnswersTwoPages(Paged):
    """Sends the reports of two pages, each at full ε."""

    def sample(self, value, stream):
        page = self.draw(stream)
        other = (page + 1) % len(self.parts)
        pages = [(one, self.parts[one].sample(value[one], stream)) for one in (page, other)]
        return b"".join(self.enclosed(*one) for one in pages)


class PadsWithTheDraw(Paged):
    """Leaves in the padding whether the answer was reported as it is."""

    def sample(self, value, stream):
        page = self.draw(stream)
        report = self.parts[page].sample(value[page], stream)
        told = value[page] in self.parts[page].members(report)
        return self.enclosed(page, report)[:-1] + bytes([told])


def two(cls):
    return cls([MultivariateRR(3, 1.0), MultivariateRR(300, 1.0)], [1, 1])


def test_control_a_page_that_depends_on_an_answer_is_caught():
    mechanism = two(AsksWhatIsKnown)
    object.__setattr__(mechanism, "weights", (3, 1))
    object.__setattr__(mechanism, "ends", [3, 4])
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(laws(mechanism), 1.0)


def test_control_two_pages_cost_twice_as_much():
    tables = laws(two(AnswersTwoPages))
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(tables, 1.0)
    ratios = [part.likelihood_ratio for part in two(Paged).parts]
    assert largest_ratio(tables) == ratios[0] * ratios[1]


def test_control_padding_that_tells_of_the_draw_is_caught():
    mechanism = two(PadsWithTheDraw)
    tables = laws(mechanism)
    with pytest.raises(AssertionError, match="identifies"):
        assert_private(tables, 1.0)
    sent = {report for table in tables for report in table if report[0] == 0}
    assert any(mechanism.problem(report) for report in sent)


class FakesTheOthers:
    """RS+FD: one answer at ln(m(E − 1) + 1), and others drawn at random to hide which one it is."""

    def __init__(self, d, m, epsilon):
        self.parts = [MultivariateRR(d, log(m * (exp(epsilon) - 1) + 1))] * m

    def sample(self, value, stream):
        real = stream.below(len(self.parts))
        drawn = []
        for i, part in enumerate(self.parts):
            fake = 1 << stream.below(part.d)
            drawn.append(part.sample(value[i], stream) if i == real else bytes([fake]))
        return b"".join(drawn)


@pytest.mark.parametrize("m", [2, 3])
def test_control_fake_answers_hide_which_is_real_and_not_what_it_is(m):
    """Sampling amplifies privacy for one answer that changes, and here all of them may."""
    mechanism = FakesTheOthers(3, m, 1.0)
    tables = [law(lambda w, x=x: mechanism.sample(x, w)) for x in product(range(3), repeat=m)]
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(tables, 1.0)
    assert largest_ratio(tables) == mechanism.parts[0].likelihood_ratio
    assert float(largest_ratio(tables)) == pytest.approx(m * (exp(1.0) - 1) + 1)


# --- parameters and values ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "weights", "parameter", "value"),
    [
        ([], [], "parts", 0),
        ([KSubset(3, 1.0)] * (MOST_PAGES + 1), [1] * (MOST_PAGES + 1), "parts", 65537),
        ([KSubset(3, 1.0), KSubset(3, 2.0)], [1, 1], "parts", [KSubset(3, 1.0), KSubset(3, 2.0)]),
        ([KSubset(3, 1.0)], [1, 1], "weights", [1, 1]),
        ([KSubset(3, 1.0)] * 2, [1, 0], "weights", [1, 0]),
        ([KSubset(3, 1.0)] * 2, [1, -1], "weights", [1, -1]),
        ([KSubset(3, 1.0)] * 2, [1, 1.0], "weights", [1, 1.0]),
        ([KSubset(3, 1.0)] * 2, [1, True], "weights", [1, True]),
        ([KSubset(3, 1.0)] * 2, [1, MOST_WEIGHT], "weights", (1, MOST_WEIGHT)),
    ],
)
def test_the_arguments_are_checked(parts, weights, parameter, value):
    with refused_argument(parameter, value=value):
        Paged(parts, weights)


def test_the_largest_weights_there_can_be():
    mechanism = Paged([KSubset(3, 1.0)] * 2, [MOST_WEIGHT - 1, 1])
    assert mechanism.probability(b"\x01\x01", [0, 0]) * MOST_WEIGHT < 1
    assert mechanism.ends == [MOST_WEIGHT - 1, MOST_WEIGHT]


@pytest.mark.parametrize("value", [[0, ()], [0, (), 0, 0], 3, None])
def test_a_value_is_one_for_each_page(value):
    with refused_argument("value", "Paged", value=value):
        three(1.0).probability(b"\x00\x01\x00", value)


@pytest.mark.parametrize("value", [[3, (), 0], [0, (9,), 0]])
def test_a_page_takes_its_own_values(value):
    with refused_argument("value"):
        three(1.0).probability(b"\x00\x01\x00", value)


def test_it_is_an_immutable_value():
    mechanism = three(1.0)
    assert mechanism == three(1.0)
    assert hash(mechanism) == hash(three(1.0))
    others = [three(2.0), Paged(mechanism.parts, [2, 1, 4]), Paged(mechanism.parts[:2], [2, 1])]
    assert mechanism not in others
    assert repr(mechanism) == "Paged(3 pages, epsilon=1.0)"
    with pytest.raises(AttributeError, match="Paged is immutable"):
        mechanism.weights = (1, 1, 1)


def test_parameters_rebuild_it_through_json():
    mechanism = three(1.0)
    parameters = json.loads(json.dumps(mechanism.parameters))
    assert Paged.from_parameters(mechanism.d, 1.0, parameters) == mechanism
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    with pytest.raises(InvalidSurvey, match="private"):
        Paged.from_parameters(mechanism.d, 0.999, parameters)
    parameters["pages"][0]["name"] = "paged"
    with pytest.raises(InvalidSurvey, match="'paged'"):
        Paged.from_parameters(mechanism.d, 1.0, parameters)


def test_a_report_rarely_needs_more_random_bytes_than_it_says():
    mechanism = Paged([OneOption(9, 1.0, 2), KSubset(100, 1.0)], [1, 1])
    assert mechanism.stream_bytes == 8 + KSubset(100, 1.0).stream_bytes
