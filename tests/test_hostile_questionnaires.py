"""Hostile contracts of every kind of answer, and of questionnaires: refused at once, and as such.

Every field is replaced by whatever JSON can say, left out, or added to; numbers are out of bounds;
pages ask what is not there. Whatever happens, it is InvalidSurvey, or a contract that works.
"""

import json
from copy import deepcopy
from time import process_time

import pytest

from privet import Questionnaire, Scale, Several, Survey
from privet.device.contract import Contract
from privet.device.mechanisms.paged import MOST_PAGES, MOST_WEIGHT
from privet.errors import InvalidSurvey
from privet.mechanisms import by_name

DRINK = Survey("Drink?", ["tea", "coffee", "milk"], 1.0, id="drink")
AGE = Survey("Age?", Scale(0, 100, cells=11, bands=[18, 65], unit="years"), 1.0, id="age")
CAKES = Survey("Cakes?", Several(["a", "b", "c"], most=2), 1.0, id="cakes")
PARTY = Questionnaire("Party", [DRINK, AGE, CAKES], 1.0, tables=[("age", "drink")])
ANSWERS = {"drink": "tea", "age": 20, "cakes": ["a"]}

WRONG = [
    None, True, False, 0, 1, -1, 2, 1.5, -0.0, 1e-320, 1e308, 10**19, 10**400, -(10**400), "", "1",
    "x", "drink", "\ud800", [], [0], [[]], [None], ["a"], ["a", "a"], ["drink", "age"], {},
    {"a": 1}, [{}], [{"id": "a"}], 1e16, 2**53, "a" * 10_000,
]  # fmt: skip


def places(document, path=()):
    """Yield the path of every field and entry."""
    inside = document.items() if isinstance(document, dict) else enumerate(document)
    for name, value in inside:
        yield (*path, name)
        if isinstance(value, dict | list):
            yield from places(value, (*path, name))


def changed(document, path, change):
    """Return a copy with a change made to what holds the last name of a path."""
    copy = deepcopy(document)
    holder = copy
    for name in path[:-1]:
        holder = holder[name]
    change(holder, path[-1])
    return copy


def worked(contract):
    """Use a contract once, as a client does."""
    for _ in range(3):
        if isinstance(contract, Survey):
            kind = contract.answers.kind
            by_kind = {"scale": 1.0, "several": [], "choice": contract.categories[0]}
            report = contract.randomize(by_kind[kind], secret=bytes(16))
        else:
            page = contract.draw(secret=bytes(16))
            answers = {}
            for one in page.questions:
                by_kind = {"scale": 1.0, "several": [], "choice": one.categories[0]}
                answers[one.id] = by_kind[one.answers.kind]
            report = contract.randomize(answers, page=page)
        assert contract.mechanism.problem(report) is None
        assert contract.mechanism.realized_epsilon <= contract.epsilon
    assert type(contract).from_json(contract.to_json()) == contract


def read(document):
    """Read it, and use it if it is one; return whether it is."""
    text = document if isinstance(document, str) else json.dumps(document)
    begin = process_time()
    try:
        contract = Contract.from_json(text)
    except InvalidSurvey as refused:
        error = refused
    else:
        worked(contract)
        return True
    assert process_time() - begin < 0.5, text[:200]
    assert len(str(error)) < 1000
    return False


@pytest.mark.filterwarnings("ignore::privet.errors.Clamped")
@pytest.mark.parametrize("contract", [DRINK, AGE, CAKES, PARTY], ids=lambda one: one.id)
def test_any_field_may_be_anything_missing_or_repeated(contract):
    good = json.loads(contract.to_json())
    assert read(good)
    accepted = 0
    for path in places(good):
        for wrong in WRONG:
            accepted += read(changed(good, path, lambda at, name, w=wrong: at.__setitem__(name, w)))
        accepted += read(changed(good, path, lambda at, name: at.pop(name)))
        if isinstance(path[-1], str):
            assert not read(changed(good, path, lambda at, name: at.__setitem__("extra", 1)))
        else:  # an entry of an array, twice
            accepted += read(changed(good, path, lambda at, name: at.insert(name, at[name])))
    assert accepted < len([*places(good)]) * len(WRONG) / 2
    name = json.dumps(next(iter(good)))
    with pytest.raises(InvalidSurvey, match=name.replace('"', "'")):
        Contract.from_json(contract.to_json().replace(name, f"{name}:2,{name}", 1))


def party(**changes):
    return {**json.loads(PARTY.to_json()), **changes}


def with_page(number, **changes):
    document = party()
    document["pages"][number] |= changes
    return document


@pytest.mark.parametrize(
    ("document", "named"),
    [
        (party(pages=[]), r"\b65536\b"),
        (party(questions=[]), "'surveys'"),
        (party(privet=1), "version"),
        (party(privet=1, stream="aes-256-ctr"), "version 2"),
        (party(stream="aes-256-ctr"), "stream"),
        (party(epsilon=0.5), "private"),
        (party(epsilon=10**400), "'epsilon'"),
        (party(questions=party()["questions"][:2]), "'drink'.*'age'"),
        (party(questions=[*party()["questions"], party()["questions"][0]]), r"'surveys\[3\]'"),
        (party(pages=[*party()["pages"], party()["pages"][0]]), "once"),
        (with_page(0, asks=["tea"]), "'cakes'.*'tea'"),
        (with_page(0, asks=[]), r"\(\)"),
        (with_page(0, asks=["drink", "drink"]), "'drink', 'drink'"),
        (with_page(0, asks=["drink", "age"]), "'age', 'drink'"),
        (with_page(0, asks=["drink", "cakes"]), "'cakes'"),
        (with_page(0, asks=[3]), "once"),
        (with_page(0, asks=[["drink"]]), "once"),
        (with_page(0, weight=0), "'weights'"),
        (with_page(0, weight=-3), "'weights'"),
        (with_page(0, weight=1.0), "'weight'"),
        (with_page(0, weight=True), "'weight'"),
        (with_page(0, weight=MOST_WEIGHT), str(MOST_WEIGHT)),
        (with_page(0, weight=10**4000), str(MOST_WEIGHT)),
        (with_page(0, mechanism=party()["pages"][2]["mechanism"]), "name "),
        (with_page(2, mechanism=party()["pages"][0]["mechanism"]), "set-subset"),
        (with_page(0, mechanism={"name": "paged", "pages": []}), "name "),
        (with_page(3, mechanism=DRINK.mechanism.parameters | {"name": "k-subset", "k": 9}), "."),
    ],
)  # fmt: skip
def test_what_is_no_questionnaire_is_said(document, named):
    with pytest.raises(InvalidSurvey, match=named):
        Contract.from_json(json.dumps(document))


@pytest.mark.parametrize("number", range(4))
def test_one_page_that_breaks_the_promise_is_enough(number):
    document = party()
    mechanism = document["pages"][number]["mechanism"]
    name = "odds" if "odds" in mechanism else "meet"
    mechanism[name] = str(int(mechanism[name]) + 1)
    with pytest.raises(InvalidSurvey, match="private"):
        Contract.from_json(json.dumps(document))


def many(questions, pages=None):
    """Questions alike, and a page of each."""
    mechanism = {"name": "multivariate-rr", **Survey("?", ["a", "b"], 1.0,
                 mechanism="multivariate-rr").mechanism.parameters}  # fmt: skip
    ids = [f"q{i}" for i in range(questions)]
    return party(
        questions=[{"id": one, "question": "?", "categories": ["a", "b"]} for one in ids],
        pages=pages or [{"asks": [one], "weight": 1, "mechanism": mechanism} for one in ids],
    )


def test_many_pages_are_read_in_time_that_grows_with_their_number():
    def least(text):
        times = []
        for _ in range(3):
            begin = process_time()
            Contract.from_json(text)
            times.append(process_time() - begin)
        return min(times)

    few, many_more = (least(json.dumps(many(size))) for size in (500, 4000))
    assert many_more < 24 * few


def test_too_many_pages_are_refused():
    page = {"asks": ["q0"], "weight": 1, "mechanism": {}}
    begin = process_time()
    with pytest.raises(InvalidSurvey, match=rf"\b{MOST_PAGES}\b"):
        Contract.from_json(json.dumps(many(1, [page] * (MOST_PAGES + 1))))
    assert process_time() - begin < 2


def test_a_table_of_more_cells_than_can_be_is_refused_at_once():
    document = many(40)
    document["pages"].append({"asks": [f"q{i}" for i in range(40)], "weight": 1,
                              "mechanism": document["pages"][0]["mechanism"]})  # fmt: skip
    begin = process_time()
    with pytest.raises(InvalidSurvey, match="65,536"):
        Contract.from_json(json.dumps(document))
    assert process_time() - begin < 0.5


@pytest.mark.parametrize("name", ["k-subset", "binary-rr", "multivariate-rr", "local-hash"])
def test_the_largest_table_is_answered_quickly(name):
    """A few hundred bytes ask for 2^16 cells."""
    document = many(16)
    parameters = by_name[name](2**16, 1.0).parameters
    page = {"asks": [f"q{i}" for i in range(16)], "weight": 1}
    document["pages"] = [{**page, "mechanism": {"name": name, **parameters}}]
    text, taken = json.dumps(document), []
    for _ in range(3):  # again, without what others do to this machine
        begin = process_time()
        contract = Contract.from_json(text)
        contract.randomize({f"q{i}": "a" for i in range(16)})
        taken.append(process_time() - begin)
    assert min(taken) < 0.1


@pytest.mark.parametrize("depth", [100, 100_000])
def test_nested_arrays_and_objects_are_refused(depth):
    for opening, closing in ("[]", ('{"a":', "}")):
        deep = opening * depth + ("1" if closing == "}" else "") + closing * depth
        for text in (deep, PARTY.to_json().replace('"weight":', f'"weight":{deep},"w":', 1)):
            with pytest.raises(InvalidSurvey):
                Contract.from_json(text)
