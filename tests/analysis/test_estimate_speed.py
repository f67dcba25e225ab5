"""How long estimates take, in processor time: the best of three, which noise can only lengthen."""

from itertools import pairwise
from time import process_time

import numpy as np

from privet import Questionnaire, Scale, Survey
from privet.entropy import seeded


def least(work):
    times = []
    for _ in range(3):
        begin = process_time()
        work()
        times.append(process_time() - begin)
    return min(times)


def test_ten_questions_and_five_tables_take_a_fifth_of_a_second():
    names = [f"q{i}" for i in range(10)]
    asked = [Survey(f"Question {name}?", list("abcd"), 1.0, id=name) for name in names]
    tables = [*pairwise(names)][:5]
    questionnaire = Questionnaire("Ten", asked, 1.0, tables=tables)
    tally, rng = questionnaire.tally(), np.random.default_rng(1)
    answers = {name: rng.choice(list("abcd"), 20_000).tolist() for name in names}
    tally.update(questionnaire.randomize_batch(answers, entropy=seeded(1)))

    def work():
        estimate = tally.estimate()
        for one in estimate.questions.values():
            one.interval(0.95)
        for table in estimate.tables.values():
            table.interval(0.95)

    assert len(tally.estimate().tables) == 5

    assert least(work) < 0.2


def test_a_scale_of_256_cells_takes_a_second():
    survey = Survey("How far?", Scale(0, 1000, 256), 1.0)
    tally, rng = survey.tally(), np.random.default_rng(1)
    tally.update(survey.randomize_batch(rng.normal(400, 150, 50_000).clip(0, 1000)))

    def work():
        estimate = tally.estimate()
        estimate.mean().interval(0.95)
        for _, share in estimate.bands():
            share.interval(0.95)
        estimate.interval(0.95)

    assert least(work) < 1
