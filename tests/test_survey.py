"""The contract: what it refuses, its canonical text, and answers into reports."""

import json
from collections import Counter
from hashlib import sha256

import pytest

from privet import Scale, Survey
from privet.entropy import Stream, keyed, seeded
from privet.errors import InvalidAnswer, InvalidReport, InvalidSurvey
from privet.mechanisms import BinaryRR, KSubset, LaplaceNoise, MultivariateRR
from refusing import refused_argument

FRUIT = ["apple", "pear", "plum", "quince", "medlar"]
UNORDERED = {"a", "b"}


@pytest.fixture
def survey():
    return Survey("Which fruit?", FRUIT, 1.0)


# --- the contract -----------------------------------------------------------------------------


def test_canonical_text_is_pinned(survey):
    assert survey.to_json() == (
        '{"privet":2,"id":"which-fruit","question":"Which fruit?",'
        '"categories":["apple","pear","plum","quince","medlar"],"epsilon":1.0,'
        '"mechanism":{"name":"k-subset","k":1,"odds":"24484106059472293","scale":53,'
        '"start":[0,0]},"stream":"hmac-sha256"}'
    )
    assert survey.fingerprint == sha256(survey.to_json().encode()).hexdigest()


@pytest.mark.parametrize("mechanism", ["auto", "k-subset", "multivariate-rr", "binary-rr"])
def test_json_round_trip(mechanism):
    survey = Survey("¿Qué fruta?", FRUIT, 0.5, mechanism=mechanism, id="wave-2")
    again = Survey.from_json(survey.to_json())
    assert again == survey
    assert again.mechanism == survey.mechanism
    assert again.fingerprint == survey.fingerprint
    assert hash(again) == hash(survey)
    assert again.id == "wave-2"
    # Layout does not matter, only content.
    assert Survey.from_json(json.dumps(json.loads(survey.to_json()), indent=3)) == survey


def test_old_integers_are_kept():
    """A survey made with coarser odds keeps them, because reports were drawn with them."""
    document = json.loads(Survey("Which fruit?", FRUIT, 1.0).to_json())
    document["mechanism"] |= {"odds": "2783", "scale": 10}
    survey = Survey.from_json(json.dumps(document))
    assert survey.mechanism.likelihood_ratio.denominator == 1024
    assert json.loads(survey.to_json())["mechanism"]["odds"] == "2783"


def test_everything_is_part_of_the_fingerprint(survey):
    others = [
        Survey("Which  fruit?", FRUIT, 1.0),
        Survey("Which fruit?", FRUIT[::-1], 1.0),
        Survey("Which fruit?", FRUIT, 1.1),
        Survey("Which fruit?", FRUIT, 1.0, id="second"),
        Survey("Which fruit?", FRUIT, 1.0, mechanism="binary-rr"),
    ]
    assert len({survey.fingerprint, *(other.fingerprint for other in others)}) == 6
    assert all(other != survey for other in others)


def test_mechanisms_by_name_and_by_value():
    assert Survey("Q", FRUIT, 1.0).mechanism == KSubset(5, 1.0)
    assert Survey("Q", FRUIT, 1.0, mechanism="multivariate-rr").mechanism == MultivariateRR(5, 1.0)
    assert Survey("Q", FRUIT, 1.0, mechanism=BinaryRR(5, 1.0)).mechanism == BinaryRR(5, 1.0)
    assert Survey("Q", FRUIT, 1).epsilon == 1.0


def test_a_survey_is_immutable(survey):
    with pytest.raises(AttributeError, match="Survey.*'epsilon'"):
        survey.epsilon = 9.0


@pytest.mark.parametrize(
    ("arguments", "parameter", "value"),
    [
        (("", FRUIT, 1.0), "question", ""),
        (("two\nlines", FRUIT, 1.0), "question", "two\nlines"),
        ((None, FRUIT, 1.0), "question", None),
        (("Q", ["a"], 1.0), "categories", ["a"]),
        (("Q", [], 1.0), "categories", []),
        (("Q", "abc", 1.0), "categories", "abc"),
        (("Q", UNORDERED, 1.0), "categories", UNORDERED),
        (("Q", None, 1.0), "categories", None),
        (("Q", ["a", ""], 1.0), "categories[1]", ""),
        (("Q", ["a", " b"], 1.0), "categories[1]", " b"),
        (("Q", ["a", 7], 1.0), "categories[1]", 7),
        (("Q", ["a", "b", "a"], 1.0), "categories[2]", "a"),
        (("Q", ["é", "e\u0301"], 1.0), "categories[1]", "é"),
        (("Q", FRUIT, 0), "epsilon", 0),
        (("Q", FRUIT, float("nan")), "epsilon", float("nan")),
    ],
)
def test_bad_surveys_are_refused(arguments, parameter, value):
    with refused_argument(parameter, value=value):
        Survey(*arguments)


@pytest.mark.parametrize(
    "options",
    [
        {"mechanism": "laplace-noise"},
        {"mechanism": 3},
        {"mechanism": LaplaceNoise(5, 1.0)},
        {"mechanism": KSubset(6, 1.0)},
        {"mechanism": KSubset(5, 2.0)},
        {"id": "No Spaces"},
        {"id": ""},
        {"id": "a" * 65},
    ],
)
def test_bad_options_are_refused(options):
    ((parameter, value),) = options.items()
    with refused_argument(parameter, "Survey", value=value):
        Survey("Q", FRUIT, 1.0, **options)


def test_ids_are_made_from_the_question():
    assert Survey("Où vas-tu, ami ?", FRUIT, 1.0).id == "ou-vas-tu-ami"
    assert Survey("何？", FRUIT, 1.0).id == "survey"
    assert Survey("x" * 200, FRUIT, 1.0).id == "x" * 64
    assert Survey("x" * 63 + " y", FRUIT, 1.0).id == "x" * 63


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"privet": 1}, "'stream'"),
        ({"privet": 3, "novelty": []}, r"\b3\b.*\b1 and 2\b"),
        ({"stream": "aes-256-ctr"}, "'hmac-sha256'"),
        ({"privet": "1"}, "'privet'"),
        ({"more": 1}, "'more'"),
        ({"epsilon": None}, "'epsilon'"),
        ({"epsilon": -1.0}, "'epsilon'"),
        ({"epsilon": 0.5}, "private"),
        ({"categories": ["a"]}, r"'categories'.*\['a'\]"),
        ({"categories": [*FRUIT[:4], "apple"]}, r"'categories\[4\]'"),
        ({"mechanism": {"name": "magic"}}, "'magic'"),
        ({"mechanism": {"name": ["k-subset"]}}, r"name .*\['k-subset'\]"),
        ({"mechanism": {}}, "name .*None"),
        ({"id": "A"}, "'id'"),
    ],
)
def test_bad_json_is_refused(survey, change, named):
    document = json.loads(survey.to_json()) | change
    with pytest.raises(InvalidSurvey, match=named):
        Survey.from_json(json.dumps(document))


@pytest.mark.parametrize(
    "text", [None, 5, "[" * 100_000, "", "{", "[]", "null", b"\xff\xfe", '{"privet":1}', "{}" * 2]
)
def test_what_is_no_json_survey_is_refused(text):
    with pytest.raises(InvalidSurvey):
        Survey.from_json(text)


# --- answers to reports -----------------------------------------------------------------------


def test_reports_are_fresh_and_valid(survey):
    reports = [survey.randomize("plum") for _ in range(200)]
    survey.mechanism.check(reports)
    assert {len(report) for report in reports} == {survey.mechanism.report_bytes}
    assert len(set(reports)) > 1


def test_a_secret_makes_reports_repeat_themselves():
    """The same person, asked again, gives the same report; nothing else repeats."""
    survey = Survey("Q", [f"c{i}" for i in range(200)], 1.0)
    alice, bob = b"alice's own secret", b"bob has another one"
    report = survey.randomize("c7", secret=alice)
    assert all(survey.randomize("c7", secret=alice) == report for _ in range(5))
    assert survey.randomize("c8", secret=alice) != report
    assert survey.randomize("c7", secret=bob) != report
    wave = Survey("Q", survey.categories, 1.0, id="next")
    assert wave.randomize("c7", secret=alice) != report
    survey.mechanism.check(report)


def test_the_keyed_stream_is_the_documented_one(survey):
    secret = bytes(range(16))
    context = bytes.fromhex(survey.fingerprint) + (2).to_bytes(8, "big")
    stream = Stream(keyed(secret, context), 7)
    assert survey.randomize("plum", secret=secret) == survey.mechanism.sample(2, stream)


def test_over_many_secrets_reports_have_the_right_law():
    survey = Survey("Q", ["a", "b", "c"], 1.0)
    seen = Counter(survey.randomize("b", secret=b"%016d" % i) for i in range(6000))
    for report, times in seen.items():
        p = float(survey.mechanism.probability(report, 1))
        assert abs(times - 6000 * p) < 5 * (6000 * p * (1 - p)) ** 0.5
    assert len(seen) == 3


def test_batches_agree_with_the_mechanism(survey):
    answers = ["plum", "apple", "medlar"] * 10
    batch = survey.randomize_batch(answers, entropy=seeded(5))
    values = [FRUIT.index(answer) for answer in answers]
    assert (batch == survey.mechanism.randomize(values, entropy=seeded(5))).all()
    assert survey.randomize_batch(iter(answers)).shape == batch.shape
    assert survey.randomize_batch([]).shape == (0, survey.mechanism.report_bytes)


def test_composed_and_decomposed_letters_are_one_answer():
    survey = Survey("Q", ["café", "the\u0301"], 1.0)
    assert survey.categories == ("café", "thé")
    assert survey.index("cafe\u0301") == 0
    survey.mechanism.check(survey.randomize("cafe\u0301"))
    survey.mechanism.check(survey.randomize_batch(["cafe\u0301", "thé"]))


@pytest.mark.parametrize(
    ("answer", "shown", "nearest"),
    [
        ("aple", "aple", "apple"),
        ("APPLE", "APPLE", "apple"),
        ("xyz", "xyz", None),
        ("", "", None),
        (None, None, None),
        (3, "3", None),
        (["apple"], ["apple"], None),
        (float("nan"), None, None),
    ],
)
def test_unknown_answers_are_refused_with_the_nearest(survey, answer, shown, nearest):
    with pytest.raises(InvalidAnswer) as one:
        survey.randomize(answer)
    with pytest.raises(InvalidAnswer) as many:
        survey.randomize_batch(["plum", answer, "aple"])
    for error, row in ((one.value, None), (many.value, 1)):
        assert (error.row, error.answer, error.nearest) == (row, shown, nearest)
    assert str(many.value) == f"answers[1]: {one.value}"


@pytest.mark.parametrize("answers", ["apple", None, 3])
def test_what_is_no_batch_of_answers(survey, answers):
    with refused_argument("answers", "Survey.randomize_batch", value=answers):
        survey.randomize_batch(answers)


def test_reports_of_another_shape_are_refused(survey):
    wider = Survey("Q", [str(i) for i in range(50)], 1.0)
    with pytest.raises(InvalidReport):
        survey.tally().update(wider.randomize("7"))


@pytest.mark.parametrize("word", ["می\u200cخواهم", "👩\u200d👧", "क्\u200dष"])
def test_joiners_are_part_of_words(word):
    survey = Survey("?", [word, "b"], 1.0)
    assert Survey.from_json(survey.to_json()).index(word) == 0


@pytest.mark.parametrize("text", ["\u200d", "a\u200bb", "a\u202eb", "a\tb"])
def test_what_cannot_be_seen_is_no_category(text):
    with refused_argument("categories[0]", "Survey", value=text):
        Survey("?", [text, "b"], 1.0)


@pytest.mark.parametrize("low", [-1e-05, -1.5e-05, -1e-07, -1e16, -2.5])
def test_negative_ends_of_a_scale_survive_json(low):
    survey = Survey("?", Scale(low, 1.0), 1.0)
    assert json.loads(survey.to_json())["answers"]["low"] == low
    assert Survey.from_json(survey.to_json()) == survey
