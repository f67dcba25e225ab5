"""Estimates of questionnaires: the sample is all who answered any page."""

import numpy as np
import pytest

from privet import Questionnaire, Scale, Several, Survey
from privet.entropy import seeded
from refusing import refused_argument

EPSILON, PEOPLE = 6.0, 600


def asked(tables):
    """Two questions of one choice, a scale and a question of several choices."""
    surveys = [
        Survey("?", ["a", "b", "c"], EPSILON, id="one"),
        Survey("?", ["n", "s"], EPSILON, id="two"),
        Survey("?", Scale(0, 9, 10), EPSILON, id="number"),
        Survey("?", Several(["x", "y", "z"], most=2), EPSILON, id="options"),
    ]
    return Questionnaire("All", surveys, EPSILON, tables=tables)


def answers_of(rng):
    """Answers of all people to all questions, and the shares of each among them."""
    one, two = rng.choice(3, PEOPLE, p=[0.6, 0.35, 0.05]), rng.integers(0, 2, PEOPLE)
    held = rng.random((PEOPLE, 3)) < [0.4, 0.1, 0.02]
    held[held.all(axis=1), 0] = False
    crowd = {
        "one": np.array(list("abc"))[one],
        "two": np.array(list("ns"))[two],
        "number": rng.uniform(0, 9, PEOPLE),
        "options": [[name for name, yes in zip("xyz", row, strict=True) if yes] for row in held],
    }
    shares = {
        "one": np.bincount(one, minlength=3) / PEOPLE,
        "two": np.bincount(two, minlength=2) / PEOPLE,
        "options": held.mean(axis=0),
    }
    return crowd, shares, np.histogram2d(one, two, [3, 2], [[0, 3], [0, 2]])[0] / PEOPLE


@pytest.mark.parametrize("tables", [[], [("one", "two")]])
def test_the_sample_is_all_who_answered_any_page(tables):
    """With and without tables; as the sample of those who drew the page, it is covered rarely."""
    questionnaire, rng, repeats = asked(tables), np.random.default_rng(1), 120
    names = ("two", "options") if tables else ("one", "two", "options")
    hits = dict.fromkeys([*names, "cells"], 0.0)
    alone = 0.0
    for i in range(repeats):
        crowd, shares, cells = answers_of(rng)
        tally = questionnaire.tally()
        tally.update(questionnaire.randomize_batch(crowd, entropy=seeded(i)))
        estimate = tally.estimate()
        for name in names:
            low, high = estimate[name].interval(target="sample")
            hits[name] = hits[name] + ((low <= shares[name]) & (shares[name] <= high)) / repeats
        if tables:
            low, high = estimate.table("one", "two").interval(target="sample")
            hits["cells"] = hits["cells"] + ((low <= cells) & (cells <= high)) / repeats
        else:
            one = estimate["one"]
            low, high = one.survey.mechanism.interval(one.counts, one.n, 0.05, "sample")
            alone = alone + ((low <= shares["one"]) & (shares["one"] <= high)) / repeats
    for name in [*names, *(["cells"] if tables else [])]:
        assert np.min(hits[name]) >= 0.89, name
    assert np.min(alone) < 0.6


def test_as_many_people_as_took_part_are_the_sample():
    """Of every question and table; fewer people cannot be the population."""
    questionnaire, rng = asked([("one", "two")]), np.random.default_rng(2)
    crowd, _, _ = answers_of(rng)
    tally = questionnaire.tally()
    tally.update(questionnaire.randomize_batch(crowd, entropy=seeded(3)))
    estimate = tally.estimate()
    every = estimate.questions | {"both": estimate.table("one", "two")}
    for name, one in every.items():
        sample, same = one.interval(target="sample"), one.interval(target=PEOPLE)
        np.testing.assert_array_equal(sample, same)
        if name != "number":  # whose cells' intervals hold for any target
            population = one.interval()
            assert (population[1] - population[0]).sum() > (sample[1] - sample[0]).sum()
        with refused_argument("target", value=PEOPLE - 1):
            one.interval(target=PEOPLE - 1)


def test_totals_of_one_page_are_of_all_who_took_part():
    """And differences, whose errors are those of the target."""
    questionnaire, rng = asked([]), np.random.default_rng(3)
    crowd, _, _ = answers_of(rng)
    tally = questionnaire.tally()
    tally.update(questionnaire.randomize_batch(crowd, entropy=seeded(4)))
    one = tally.estimate()["one"]
    total = one.total(["a", "b"], target="sample")
    assert total.target == PEOPLE
    assert total.interval() == one.total(["a", "b"], target=PEOPLE).interval()
    difference = one.difference("a", "b", target="sample")
    assert difference.standard_error == one.difference("a", "b", target=PEOPLE).standard_error
    assert difference.standard_error < one.difference("a", "b").standard_error
