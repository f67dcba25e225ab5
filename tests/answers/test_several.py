"""Several choices: what is refused, the contract, the mechanism that is taken, estimates."""

import json

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from privet import Several, Survey
from privet.entropy import seeded
from privet.errors import InvalidAnswer, InvalidArgument, InvalidSurvey
from privet.mechanisms import SetSubset
from privet.sums import pair_counts, pair_shares

DRINKS = ["tea", "coffee", "milk", "juice"]
KIND = Several(DRINKS, most=2)
SURVEY = Survey("What do you drink?", KIND, 2.0)


@pytest.mark.parametrize(
    ("options", "more", "said"),
    [
        ("tea", {}, "'options' parameter of Several must be an ordered sequence"),
        (["tea"], {}, "'options' .* at least two"),
        (["tea", "tea"], {}, r"'options\[1\]' .* different from options\[0\]"),
        (["tea", ""], {}, r"'options\[1\]' .* non-empty"),
        (DRINKS, {"most": 0}, r"'most' parameter of Several must be an int in \[1, 4\]. Got 0"),
        (DRINKS, {"most": 5}, r"'most' .* in \[1, 4\]. Got 5"),
        (DRINKS, {"most": True}, "'most' .* Got True"),
        (DRINKS, {"most": 2.0}, "'most' .* Got 2.0"),
        (["tea", "milk"], {}, r"'most' .* in \[1, 2\]. Got 3"),
        (DRINKS, {"pairs": 1}, "'pairs' .* True or False. Got 1"),
    ],
)
def test_arguments_are_checked(options, more, said):
    with pytest.raises(InvalidArgument, match=said):
        Several(options, **more)


@pytest.mark.parametrize(
    ("answer", "value"),
    [([], ()), (["milk", "tea"], (0, 2)), (("juice",), (3,)), ({"tea"}, (0,)), (iter([]), ())],
)
def test_an_answer_is_a_few_options_in_any_order(answer, value):
    assert KIND.value(answer) == value
    assert KIND.context(value) == b"".join(bytes(7) + bytes([place]) for place in value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "^the answer is empty, which is not a list of at most 2 options"),
        ("tea", "^'tea' is not a list of at most 2 options of this survey"),
        (b"tea", "^the answer is not UTF-8 text"),
        (3, "^3 is not a list of at most 2 options"),
        (["tee"], "^'tee' is not a category of this survey. Did you mean 'tea'"),
        (["tea", "wine"], "^'wine' is not"),
        (["tea", None], "^the answer is empty"),
        (["tea", ["milk"]], "is not"),
        (["tea", "milk", "juice"], "is not at most 2 options: it has 3"),
        (["tea", "tea"], r"^\['tea', 'tea'\] is not a list of different options"),
    ],
)
def test_what_is_no_answer(answer, said):
    for randomize in (SURVEY.randomize, lambda a: SURVEY.randomize(a, secret=bytes(16))):
        with pytest.raises(InvalidAnswer, match=said):
            randomize(answer)
    with pytest.raises(InvalidAnswer, match=r"^answers\[1\]: "):
        SURVEY.randomize_batch([["tea"], answer])


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
    with pytest.raises(InvalidArgument, match="one of auto, set-subset, one-option, listed-sets"):
        Survey("?", KIND, 2.0, mechanism="k-subset")
    other = Survey("?", Several(DRINKS, most=3), 2.0).mechanism
    with pytest.raises(InvalidArgument, match="for at most 2 of 4 options and epsilon = 2.0"):
        Survey("?", KIND, 2.0, mechanism=other)
    fields = json.loads(SURVEY.to_json())
    fields["answers"]["most"] = 3
    with pytest.raises(InvalidSurvey, match="is not for at most 3 of 4 options"):
        Survey.from_json(json.dumps(fields))


def test_kinds_are_immutable_values():
    assert Several(DRINKS, most=2) == KIND
    assert hash(Several(DRINKS, most=2)) == hash(KIND)
    assert Several(DRINKS, most=3) != KIND != Several(DRINKS[::-1], most=2)
    with pytest.raises(AttributeError, match="Several is immutable"):
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
    with pytest.raises(InvalidAnswer, match=r"^answers\[1\]: the answer is not UTF-8 text"):
        SURVEY.randomize_batch(column)


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
    with pytest.raises(InvalidArgument, match="'mechanism' parameter of pair_counts must be "):
        pair_counts(mechanism, reports)
