"""Questionnaires: private as a whole, by enumeration; keyed; what is refused."""

from fractions import Fraction

import pytest

from exact import assert_private
from party import DRINKS, EVERYONE, law_of, party
from privet import Questionnaire, Scale, Several, Survey
from privet.errors import InvalidAnswer, NoReports
from refusing import refused_argument

SECRET = bytes(range(32))

# --- privacy, by enumeration ----------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_page_and_report_together_are_private_over_all_answers_of_a_person(epsilon, monkeypatch):
    questionnaire = party(epsilon)
    mechanism = questionnaire.mechanism
    assert [page.asks for page in questionnaire.pages] == [
        ("drink",), ("cakes",), ("hours",), ("drink", "hours"),
    ]  # fmt: skip
    tables = [law_of(questionnaire, answers, monkeypatch) for answers in EVERYONE]
    assert assert_private(tables, epsilon) == mechanism.likelihood_ratio
    total = sum(mechanism.weights)
    for table in tables:
        pages = [0] * 4
        for report, chance in table.items():
            assert mechanism.problem(report) is None
            pages[report[0]] += chance
        assert pages == [Fraction(weight, total) for weight in mechanism.weights]


def test_a_number_between_two_cells_is_a_mixture_of_theirs(monkeypatch):
    questionnaire = party()

    def own(hours):
        answers = {"drink": "tea", "cakes": [], "hours": hours}
        return law_of(questionnaire, answers, monkeypatch)

    low, between, high = own(0), own(0.25), own(1)
    for report, chance in between.items():
        if report[0] == 2:
            assert chance == Fraction(3, 4) * low[report] + Fraction(1, 4) * high[report]


def test_what_is_claimed_of_a_report_is_what_is_drawn(monkeypatch):
    questionnaire = party()
    for answers in EVERYONE[::7]:
        if answers["hours"] in (0, 1, 2):
            drink, band = DRINKS.index(answers["drink"]), int(answers["hours"] >= 1)
            cakes = ["abc".index(one) for one in answers["cakes"]]
            value = drink, cakes, answers["hours"], 2 * drink + band
            for report, chance in law_of(questionnaire, answers, monkeypatch).items():
                assert questionnaire.mechanism.probability(report, value) == chance


def test_control_a_person_who_chooses_the_page_is_caught(monkeypatch):
    def own_choice(questionnaire, answers):
        page = 1 if answers["cakes"] else 0
        return questionnaire.randomize(answers, page=questionnaire.pages[page])

    tables = [law_of(party(), answers, monkeypatch, own_choice) for answers in EVERYONE]
    with pytest.raises(AssertionError, match="identifies"):
        assert_private(tables, 1.0)


def test_control_a_second_page_is_more_than_the_promise(monkeypatch):
    def twice(questionnaire, answers):
        return questionnaire.randomize(answers) + questionnaire.randomize(answers)

    tables = [law_of(party(), answers, monkeypatch, twice) for answers in EVERYONE[::34]]
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(tables, 1.0)


# --- keyed reports --------------------------------------------------------------------------------


def test_the_page_depends_on_the_secret_and_the_contract_alone():
    questionnaire = party()
    secrets = [bytes([i]) * 16 for i in range(64)]
    pages = [questionnaire.draw(secret=secret).number for secret in secrets]
    assert set(pages) == {0, 1, 2, 3}
    for secret, page in zip(secrets, pages, strict=True):
        reports = {questionnaire.randomize(one, secret=secret)[0] for one in EVERYONE}
        assert reports == {page}
    again = Questionnaire.from_json(questionnaire.to_json())
    assert [again.draw(secret=secret).number for secret in secrets] == pages
    other = party(id="another")
    assert [other.draw(secret=secret).number for secret in secrets] != pages


def test_the_report_depends_on_the_answers_of_its_page_alone():
    questionnaire = party()
    changed = set()
    for i in range(48):
        secret = bytes([i]) * 16
        page = questionnaire.draw(secret=secret)
        by_value = {}
        for answers in EVERYONE:
            report = questionnaire.randomize(answers, secret=secret)
            assert report == questionnaire.randomize(answers, page=page, secret=secret)
            own = {one: None if one not in page.asks else answers[one] for one in answers}
            assert report == questionnaire.randomize(own, secret=secret)
            value = tuple(str(answers[one]) for one in page.asks)
            by_value.setdefault(value, set()).add(report)
        assert all(len(reports) == 1 for reports in by_value.values())
        if len(set.union(*by_value.values())) > 1:
            changed.add(page.number)
    assert changed == {0, 1, 2, 3}


def test_each_page_of_a_secret_has_a_stream_of_its_own():
    """Two questions alike on two pages: the same answers do not give the same draws."""
    drinks = [Survey("?", [f"c{i}" for i in range(64)], 1.0, id=name) for name in ("one", "two")]
    questionnaire = Questionnaire("Twins", drinks, 1.0)
    answers = {"one": "c5", "two": "c5"}
    first, second = (
        questionnaire.randomize(answers, page=page, secret=SECRET) for page in questionnaire.pages
    )
    assert first[1:] != second[1:]
    assert first[1:] != drinks[0].randomize("c5", secret=SECRET)


def test_no_two_draws_of_a_contract_share_a_stream():
    """The key of a stream tells pages apart, values on them, and the draw of the page."""
    contexts = [b"page"]
    for page in party().pages:
        values = {str(value): value for value in map(page.value, EVERYONE)}
        contexts += map(page.context, values.values())
    assert len(contexts) == len(set(contexts)) == 1 + 3 + 7 + 5 + 6


# --- arguments ------------------------------------------------------------------------------------

TEA = Survey("Tea?", ["yes", "no"], 1.0, id="tea")
AGE = Survey("Age?", Scale(0, 100), 1.0, id="age")
FOOD = Survey("Food?", Several(["a", "b", "c"]), 1.0, id="food")
OTHER = Survey("?", ["a", "b"], 2.0)
ALL = [TEA, AGE, FOOD]


@pytest.mark.parametrize(
    ("surveys", "options", "parameter", "value"),
    [
        ([], {}, "surveys", []),
        ("tea", {}, "surveys", "tea"),
        ({"tea": TEA}, {}, "surveys", {"tea": TEA}),
        (TEA, {}, "surveys", TEA),
        ([TEA, "age"], {}, "surveys[1]", "age"),
        ([TEA, OTHER], {}, "surveys[1]", OTHER),
        ([TEA, AGE, TEA], {}, "surveys[2]", "tea"),
        (ALL, {"tables": "tea"}, "tables", "tea"),
        (ALL, {"tables": 3}, "tables", 3),
        (ALL, {"tables": ["tea"]}, "tables[0]", "tea"),
        (ALL, {"tables": [3]}, "tables[0]", 3),
        (ALL, {"tables": [("tea", "cake")]}, "tables[0]", "cake"),
        (ALL, {"tables": [("tea", ["age"])]}, "tables[0]", ["age"]),
        (ALL, {"tables": [("tea",)]}, "tables[0]", ("tea",)),
        (ALL, {"tables": [()]}, "tables[0]", ()),
        (ALL, {"tables": [("tea", "tea")]}, "tables[0]", ("tea", "tea")),
        (ALL, {"tables": [("tea", "food")]}, "tables[0]", "food"),
        (ALL, {"tables": [("tea", "age"), ("age", "tea")]}, "tables[1]", ("age", "tea")),
        (ALL, {"shares": 3}, "shares", 3),
        (ALL, {"shares": {"cake": 1}}, "shares", "cake"),
        (ALL, {"shares": {3: 1}}, "shares", 3),
        (ALL, {"shares": {("tea", "age"): 1}}, "shares", ("tea", "age")),
        (ALL, {"shares": {"tea": 0.5}}, "shares", 0.5),
        (ALL, {"shares": {"tea": 0.7, "age": 0.7}}, "shares", 1.4),
        (ALL, {"shares": {"tea": -0.5, "age": 1.5}}, "shares['tea']", -0.5),
        (ALL, {"shares": {"tea": float("nan")}}, "shares['tea']", float("nan")),
        (ALL, {"shares": {"tea": "1"}}, "shares['tea']", "1"),
        (ALL, {"id": "Not an id"}, "id", "Not an id"),
    ],
)  # fmt: skip
def test_arguments_are_checked(surveys, options, parameter, value):
    with refused_argument(parameter, value=value):
        Questionnaire("Title", surveys, 1.0, **options)


@pytest.mark.parametrize("title", ["", " ", "a\n", None, 3])
def test_a_title_is_text(title):
    with refused_argument("title", "Questionnaire"):
        Questionnaire(title, [TEA], 1.0)


@pytest.mark.parametrize("epsilon", [2.0, None, "1", float("nan"), -1])
def test_the_level_is_that_of_all_questions(epsilon):
    with refused_argument("surveys[0]", value=TEA):
        Questionnaire("Title", [TEA], epsilon)


def test_shares_become_small_integers_and_pages_that_nobody_draws_are_left_out():
    shares = {"tea": 0.5, "food": 0.25, ("tea", "age"): 0.25}
    made = Questionnaire("Title", ALL, 1.0, tables=[("tea", "age")], shares=shares)
    assert [(p.asks, p.weight, p.share) for p in made.pages] == [
        (("tea",), 2, 0.5), (("food",), 1, 0.25), (("tea", "age"), 1, 0.25),
    ]  # fmt: skip
    (alone,) = Questionnaire("Title", [TEA], 1.0).pages
    assert (alone.weight, alone.share) == (1, 1.0)


@pytest.mark.parametrize("left_out", ["tea", "age", "food"])
def test_a_question_that_nobody_is_asked_survives_json(left_out):
    rest = [one.id for one in ALL if one.id != left_out]
    made = Questionnaire("Title", ALL, 1.0, shares=dict.fromkeys(rest, 0.5))
    again = Questionnaire.from_json(made.to_json())
    assert again == made
    assert again.to_json() == made.to_json()
    assert again[left_out].answers == made[left_out].answers
    tally = again.tally()
    tally.update(again.randomize({"tea": "yes", "age": 3, "food": ["a"]}))
    with pytest.raises(NoReports, match=f"'{left_out}'"):
        tally.estimate()[left_out]


# --- one person's answers -------------------------------------------------------------------------


def test_answers_that_are_not_on_the_page_may_be_left_out():
    questionnaire = party()
    own = {"drink": "tea", "cakes": ["a"], "hours": 1}
    for page in questionnaire.pages:
        few = {name: own[name] for name in page.asks}
        for answers in (few, dict.fromkeys(own) | few, own):
            report = questionnaire.randomize(answers, page=page)
            assert report[0] == page.number
            questionnaire.mechanism.check(report)


@pytest.mark.parametrize("missing", ["drink", "cakes", "hours"])
def test_an_answer_that_is_missing_on_the_page_names_its_question(missing):
    questionnaire = party()
    own = {"drink": "tea", "cakes": ["a"], "hours": 1}
    for page in questionnaire.pages:
        if missing in page.asks:
            for answers in ({**own, missing: None}, {k: v for k, v in own.items() if k != missing}):
                with pytest.raises(InvalidAnswer) as raised:
                    questionnaire.randomize(answers, page=page)
                assert raised.value.question == missing


@pytest.mark.parametrize(
    ("page", "answers", "question", "answer", "nearest"),
    [
        (0, {"drink": "cofee"}, "drink", "cofee", "coffee"),
        (1, {"cakes": ["a", "d"]}, "cakes", "d", None),
        (1, {"cakes": ["a", "b", "c"]}, "cakes", ["a", "b", "c"], None),
        (2, {"hours": "late"}, "hours", "late", None),
        (3, {"drink": "tea", "hours": "late"}, "hours", "late", None),
    ],
)
def test_an_answer_that_is_wrong_names_its_question(page, answers, question, answer, nearest):
    with pytest.raises(InvalidAnswer) as raised:
        party().randomize(answers, page=party().pages[page])
    error = raised.value
    assert (error.question, error.answer, error.nearest) == (question, answer, nearest)


def test_answers_to_unknown_questions_are_refused():
    with refused_argument("answers", value="Drink"):
        party().randomize({"Drink": "tea"})
    for wrong in ("tea", None, [("drink", "tea")]):
        with refused_argument("answers", value=wrong):
            party().randomize(wrong)


def test_a_page_is_one_of_this_questionnaire():
    other = Questionnaire("Other", [TEA], 1.0)
    for page in (other.pages[0], 0, "drink", party(2.0).pages[0]):
        with refused_argument("page"):
            party().randomize({"drink": "tea"}, page=page)
    again = Questionnaire.from_json(party().to_json())
    assert party().randomize({"drink": "tea"}, page=again.pages[0])[0] == 0


def test_a_page_of_other_answers_is_another_page():
    """Same id, same size, same mechanism: but what was shown is not what would be reported."""
    one, other = (
        Questionnaire("Title", [Survey("Tea?", names, 1.0, id="tea")], 1.0)
        for names in (["yes", "no"], ["no", "yes"])
    )
    assert one.pages[0].mechanism == other.pages[0].mechanism
    assert one.pages[0] != other.pages[0]
    with refused_argument("page"):
        one.randomize({"tea": "yes"}, page=other.pages[0])
