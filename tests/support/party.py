"""A questionnaire of every kind of question, small enough for all draws of it to be enumerated."""

from functools import cache
from itertools import product

from exact import law
from privet import Questionnaire, Scale, Several, Survey

SHARES = {"drink": 0.25, "cakes": 0.375, "hours": 0.25, ("drink", "hours"): 0.125}


@cache
def party(epsilon=1.0, id="party"):
    drink = Survey("Drink?", ["tea", "coffee", "milk"], epsilon, id="drink")
    cakes = Survey("Cakes?", Several(["a", "b", "c"], most=2), epsilon, id="cakes")
    hours = Survey("Hours?", Scale(0, 2, cells=3, bands=2), epsilon, id="hours")
    surveys = [drink, cakes, hours]
    tables = [("drink", "hours")]
    return Questionnaire("Party", surveys, epsilon, tables=tables, shares=SHARES, id=id)


DRINKS = ["tea", "coffee", "milk"]
CAKES = [[], ["a"], ["b"], ["c"], ["a", "b"], ["a", "c"], ["b", "c"]]
HOURS = [0, 0.25, 1, 1.9, 2]
EVERYONE = [
    {"drink": d, "cakes": c, "hours": h} for d, c, h in product(DRINKS, CAKES, HOURS)
]  # fmt: skip


def law_of(questionnaire, answers, monkeypatch, randomize=None):
    """The exact law of what is sent: every byte that is drawn for it is branched over."""

    def sample(walk):
        for module in ("questionnaire", "contract"):
            monkeypatch.setattr(f"privet.device.{module}.Stream", lambda read, expected: walk)
        return (randomize or Questionnaire.randomize)(questionnaire, answers)

    return {report: chance for report, chance in law(sample).items() if chance}
