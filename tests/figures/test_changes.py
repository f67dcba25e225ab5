"""Pictures of differences of scales: what is drawn where."""

import numpy as np
import pytest

from privet import Scale, Survey
from privet.entropy import seeded
from privet.figures import canvas, plot_scale_changes

QUESTION = "How satisfied are you, on the whole, with how things are going these days, " * 2 + "?"


@pytest.fixture(scope="module")
def found():
    survey = Survey(QUESTION, Scale(0, 120, 61, "years"), 4.0)
    waves = [survey.tally(), survey.tally()]
    for seed, (tally, mean) in enumerate(zip(waves, (40, 60), strict=True)):
        numbers = np.random.default_rng(seed).normal(mean, 12, 2000).clip(0, 120)
        tally.update(survey.randomize_batch(numbers.tolist(), entropy=seeded(seed)))
    before, after = (tally.estimate() for tally in waves)
    return after.change(before)


def test_numbers_are_on_the_left_and_shares_on_the_right(found):
    table = found.table(0.9)
    left, right = plot_scale_changes({"later": table}, title="?", unit="years").axes
    assert left.get_xlabel() == "difference, years"
    assert right.get_xlabel() == "difference, percentage points"
    named = [label.get_text() for label in left.get_yticklabels()][::-1]
    assert named == [name for name in table.names if not name.startswith("share")]
    bars = np.concatenate([one.get_segments() for one in left.collections if len(one.get_paths())])
    shown = {tuple(np.round(bar[:, 0], 6)) for bar in bars}
    rows = len(named)
    ends = zip(table.low[:rows], table.high[:rows], strict=True)
    assert shown == {tuple(np.round(pair, 6)) for pair in ends}
    bars = np.concatenate([one.get_segments() for one in right.collections if len(one.get_paths())])
    assert bars[:, :, 0].max() == pytest.approx(100 * table.high[rows:].max())


def test_what_is_not_found_is_pale(found):
    table = found.table(0.95)
    (left, _) = plot_scale_changes({"later": table}, title="?").axes
    assert left.get_xlabel() == "difference"
    pale, green = left.lines[1], left.lines[2]
    assert (pale.get_color(), green.get_color()) == (canvas.PALE, canvas.HEDGE)
    numbers = [i for i, name in enumerate(table.names) if not name.startswith("share")]
    assert len(green.get_xdata()) == table.found[numbers].sum() > 0


@pytest.mark.parametrize("panels", [1, 3, 8])
def test_everything_stays_inside_the_picture(found, panels):
    table = found.table()
    titles = [f"group {i} − all of the others, who are many" for i in range(panels)]
    figure = plot_scale_changes(dict.fromkeys(titles, table), title=QUESTION, unit="years")
    assert len(figure.axes) == 2 * min(panels, 6)
    figure.canvas.draw()
    assert figure.get_suptitle().startswith("How satisfied")
    assert ("2 more" in figure.get_suptitle()) is (panels == 8)
    box = figure.get_tightbbox().bounds
    assert box[0] > -0.1
    assert box[0] + box[2] < figure.get_figwidth() + 0.1


def test_known_figures_may_be_shares_alone(found):
    table = found.after.change({"0 to 30": 0.2}).table()
    (ax,) = plot_scale_changes({"known": table}, title="?", unit="years").axes
    assert ax.get_xlabel() == "difference, percentage points"
