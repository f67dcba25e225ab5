"""Several choices: what is refused, the contract, the mechanism that is taken, estimates."""

import json
import re

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from privet import Several, Survey
from privet.entropy import seeded
from privet.errors import InvalidAnswer, InvalidSurvey
from privet.mechanisms import SetSubset
from privet.sums import pair_counts, pair_shares
from refusing import refused_argument

DRINKS = ["tea", "coffee", "milk", "juice"]
KIND = Several(DRINKS, most=2)
SURVEY = Survey("What do you drink?", KIND, 2.0)


@pytest.mark.parametrize(
    ("options", "more", "parameter", "value"),
    [
        ("tea", {}, "options", "tea"),
        (["tea"], {}, "options", ["tea"]),
        (["tea", "tea"], {}, "options[1]", "tea"),
        (["tea", ""], {}, "options[1]", ""),
        (DRINKS, {"most": 0}, "most", 0),
        (DRINKS, {"most": 5}, "most", 5),
        (DRINKS, {"most": True}, "most", True),
        (DRINKS, {"most": 2.0}, "most", 2.0),
        (["tea", "milk"], {}, "most", 3),
        (DRINKS, {"pairs": 1}, "pairs", 1),
    ],
)
def test_arguments_are_checked(options, more, parameter, value):
    with refused_argument(parameter, "Several", value=value):
        Several(options, **more)


@pytest.mark.parametrize(
    ("answer", "value"),
    [([], ()), (["milk", "tea"], (0, 2)), (("juice",), (3,)), ({"tea"}, (0,)), (iter([]), ())],
)
def test_an_answer_is_a_few_options_in_any_order(answer, value):
    assert KIND.value(answer) == value
    assert KIND.context(value) == b"".join(bytes(7) + bytes([place]) for place in value)


@pytest.mark.parametrize(
    ("answer", "wrong", "rule"),
    [
        (None, None, "list"),
        ("tea", "tea", "list"),
        (b"tea", b"tea", "list"),
        (3, 3, "list"),
        (["tee"], "tee", "category"),
        (["tea", "wine"], "wine", "category"),
        (["tea", None], None, "category"),
        (["tea", ["milk"]], ["milk"], "category"),
        (["tea", "milk", "juice"], ["tea", "milk", "juice"], r"\b2\b.*\b3\b"),
        (["tea", "tea"], ["tea", "tea"], "different"),
    ],
)
def test_what_is_not_an_answer(answer, wrong, rule):
    for row, randomize in (
        (None, SURVEY.randomize),
        (None, lambda a: SURVEY.randomize(a, secret=bytes(16))),
        (1, lambda a: SURVEY.randomize_batch([["tea"], a])),
    ):
        with pytest.raises(InvalidAnswer) as caught:
            randomize(answer)
        assert (caught.value.row, caught.value.answer) == (row, wrong)
        assert caught.value.nearest == ("tea" if wrong == "tee" else None)
        assert re.search(rule, caught.value.rule)


def test_the_order_of_options_does_not_change_a_keyed_report():
    secret = bytes(range(16))
    one, other = (SURVEY.randomize(a, secret=secret) for a in (["tea", "milk"], ["milk", "tea"]))
    assert one == other


@pytest.mark.parametrize("mechanism", ["auto", "set-subset", "one-option", "listed-sets"])
def test_a_survey_survives_json(mechanism):
    survey = Survey("?", KIND, 2.0, mechanism=mechanism)
    again = Survey.from_json(survey.to_json())
    assert again == survey
    assert again.to_json() == survey.to_json()
    assert (again.answers, again.mechanism) == (survey.answers, survey.mechanism)
    assert (again.categories, again.answers.most) == (tuple(DRINKS), 2)


def test_mechanisms_of_one_value_do_not_fit():
    with refused_argument("mechanism", "Survey", value="k-subset"):
        Survey("?", KIND, 2.0, mechanism="k-subset")
    other = Survey("?", Several(DRINKS, most=3), 2.0).mechanism
    with refused_argument("mechanism", "Survey", value=other):
        Survey("?", KIND, 2.0, mechanism=other)
    fields = json.loads(SURVEY.to_json())
    fields["answers"]["most"] = 3
    with pytest.raises(InvalidSurvey, match=r"\b3 of 4\b"):
        Survey.from_json(json.dumps(fields))


def test_kinds_are_immutable_values():
    assert Several(DRINKS, most=2) == KIND
    assert hash(Several(DRINKS, most=2)) == hash(KIND)
    assert Several(DRINKS, most=3) != KIND != Several(DRINKS[::-1], most=2)
    with pytest.raises(AttributeError, match="Several.*'most'"):
        KIND.most = 3


@pytest.mark.parametrize(
    "column",
    [
        pa.array([["tea", "milk"], []]),
        pa.array([["tea", "milk"], []], pa.large_list(pa.string())),
        pa.array(["tea; milk", ";"]),
        pl.Series([["milk", "tea"], []]),
    ],
    ids=["lists", "large-lists", "text", "polars"],
)
def test_columns_of_lists_and_of_text_are_alike(column):
    expected = SURVEY.randomize_batch([["tea", "milk"], []], entropy=seeded(3))
    assert np.array_equal(SURVEY.randomize_batch(column, entropy=seeded(3)), expected)


def test_a_cell_that_is_no_text_is_said_to_be_none():
    column = pa.array([b"tea", b"caf\xe9"], pa.binary())
    with pytest.raises(InvalidAnswer) as caught:
        SURVEY.randomize_batch(column)
    assert (caught.value.row, caught.value.answer) == (1, b"caf\xe9")


# --- estimates ------------------------------------------------------------------------------------

N = 60_000
SETS = [[], ["tea"], ["tea", "milk"], ["milk", "coffee"], ["tea", "milk"]]
TRUTH = np.array([0.6, 0.2, 0.6, 0.0])


def estimated(survey):
    tally = survey.tally()
    tally.update(survey.randomize_batch([SETS[i % 5] for i in range(N)], entropy=seeded(1)))
    return tally.estimate()


@pytest.mark.parametrize("mechanism", ["set-subset", "one-option", "listed-sets"])
def test_shares_of_people_are_estimated(mechanism):
    survey = Survey("?", KIND, 2.0, mechanism=mechanism)
    estimate = estimated(survey)
    deviations = np.sqrt(survey.mechanism.variance(TRUTH, N, "sample"))
    assert np.abs((estimate.frequencies - TRUTH) / deviations).max() < 5
    assert estimate.frequencies.sum() > 1.2  # they are of people, who hold several or none


def test_with_pairs_a_mechanism_is_taken_that_tells_them():
    options = [f"c{i}" for i in range(20)]
    plain, paired = (
        Survey("?", Several(options, most=10, pairs=pairs), 0.5).mechanism
        for pairs in (False, True)
    )
    assert plain.name == "one-option"
    assert (paired.name, paired.k > 1) == ("set-subset", True)
    survey = Survey("?", Several(DRINKS, most=2, pairs=True), 2.0)
    reports = survey.randomize_batch([SETS[i % 5] for i in range(N)], entropy=seeded(2))
    found = pair_shares(survey.mechanism, pair_counts(survey.mechanism, reports), N)
    off = found.shares - [[0.6, 0, 0.4, 0], [0, 0.2, 0.2, 0], [0.4, 0.2, 0.6, 0], [0, 0, 0, 0]]
    assert np.abs(off / found.standard_errors).max() < 6


@pytest.mark.parametrize("mechanism", ["one-option", SetSubset(4, 2.0, most=2, k=1)], ids=str)
def test_control_where_a_report_holds_one_option_pairs_cannot_be_had(mechanism):
    mechanism = Survey("?", KIND, 2.0, mechanism=mechanism).mechanism
    reports = mechanism.randomize(np.zeros((10, 1), dtype=np.int64))
    with refused_argument("mechanism", "pair_counts"):
        pair_counts(mechanism, reports)
