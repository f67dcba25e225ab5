"""Pictures of what is hard to draw: long questions, names that begin alike, letters of no font."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from privet import Estimate, Survey
from privet.figures import plot_changes, plot_estimate, plot_groups, save_estimate
from privet.sums import changes
from refusing import refused_argument

SHIFT = [0.5, 0.2, 0.3], [0.2, 0.5, 0.3]
QUESTION = "How would you describe, in as few words as you can manage, " * 3 + "your way to work?"
NAMES = [f"Something that takes very many words to say, {way}" for way in ("one", "two", "three")]


def estimate(question=QUESTION, names=NAMES):
    survey = Survey(question, names, 2.0)
    tally = survey.tally()
    tally.update(survey.randomize_batch(np.repeat(names, 100)))
    return tally.estimate()


def drawn(figure):
    """Return where the words of a figure are; ticks have none."""
    figure.draw_without_rendering()
    texts = figure.findobj(lambda one: hasattr(one, "get_text") and " " in one.get_text())
    return {text.get_text(): text.get_window_extent() for text in texts}


def test_long_questions_and_names_stay_inside_the_picture():
    groups = {f"group {i}": estimate() for i in range(5)}
    pictures = [plot_groups(dict(list(groups.items())[:n])) for n in (1, 2, 5)]
    for figure in (*pictures, plot_estimate(estimate()).figure):
        boxes = drawn(figure)
        assert any(text.startswith("How would") for text in boxes)
        assert any(text.startswith("Something") for text in boxes)
        assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes.values())


@pytest.mark.parametrize("panels", [1, 2, 14])
@pytest.mark.parametrize("d", [3, 60])
def test_comparisons_stay_inside_the_picture(panels, d):
    names = NAMES if d == 3 else [f"Something in many words, number {i}" for i in range(d)]
    compared = changes(estimate(names=names), estimate(names=names))
    titles = [f"group {i} − all of the others, who are many" for i in range(panels)]
    figure = plot_changes(dict.fromkeys(titles, compared), title=QUESTION)
    boxes = drawn(figure)
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes.values())
    (said,) = (" ".join(text.split()) for text in boxes if text.startswith("How would"))
    assert "95 %" in said
    assert "grey" in said
    assert ("20 categories" in said) is (d == 60 and panels == 1)
    assert ("45 categories" in said) is (d == 60 and panels > 1)
    assert ("2 more groups" in said) is (panels == 14)
    assert len(figure.axes) == min(panels, 12)


def test_the_largest_rise_is_at_the_top():
    survey = Survey("?", ["less", "more", "same"], 2.0)
    mechanism = survey.mechanism
    rates = [mechanism.h + (mechanism.g - mechanism.h) * np.array(x) for x in SHIFT]
    before, after = (Estimate(survey, 9000, np.rint(9000 * x).astype(int)) for x in rates)
    figure = plot_changes({"a": changes(before, after)}, title="?")
    (ax,) = figure.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["less", "same", "more"]


def test_a_long_question_covers_nothing():
    boxes = drawn(plot_estimate(estimate()).figure)
    question = next(box for text, box in boxes.items() if text.startswith("How would"))
    note = next(box for text, box in boxes.items() if text.startswith("300 reports"))
    assert not question.overlaps(note)


def test_names_that_begin_alike_are_told_apart():
    labels = [label.get_text() for label in plot_estimate(estimate()).get_yticklabels()]
    assert sorted(labels) == ["Something th…one", "Something th…three", "Something th…two"]


def test_letters_that_the_font_lacks_are_named_once(tmp_path):
    hieroglyphs = ["\U00013000", "\U00013001"]
    with pytest.warns(UserWarning, match="\U00013000 \U00013001|\U00013001 \U00013000") as said:
        save_estimate(estimate("?", hieroglyphs), tmp_path / "a.png")
    assert len(said) == 1


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture_is_the_same_bytes_every_time(tmp_path, ending):
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    shown = estimate("?", ["a", "b"])
    for path in paths:
        save_estimate(shown, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def of_many(d):
    survey = Survey("Which?", [f"c{i}" for i in range(d)], 2.0)
    tally = survey.tally()
    tally.update(survey.randomize_batch(np.repeat(survey.categories, 10)))
    return tally.estimate()


def names_of(ax):
    """The names of the bars, from the top down."""
    return [label.get_text() for label in ax.get_yticklabels()][::-1]


@pytest.mark.parametrize("sort", ["survey", "share", "name"])
def test_bars_are_as_many_as_asked_for_and_in_the_order_asked_for(sort):
    shown = of_many(50)
    largest = [shown.survey.categories[i] for i in shown.order(12)]
    expected = {
        "survey": sorted(largest, key=lambda name: int(name[1:])),
        "share": largest,
        "name": sorted(largest),
    }[sort]
    assert names_of(plot_estimate(shown, axes(), top=12, sort=sort)) == expected


def test_all_of_many_bars_are_drawn_where_that_is_asked_for(tmp_path):
    save_estimate(of_many(60), tmp_path / "all.png", top=60)
    assert len(names_of(plot_estimate(of_many(60), axes(), top=60))) == 60
    for wrong in (0, -1, 2.5, 5000):
        with refused_argument("top", "plot_estimate", value=wrong):
            plot_estimate(of_many(60), axes(), top=wrong)
        with refused_argument("top", "plot_groups", value=wrong):
            plot_groups({"all": of_many(60)}, top=wrong)
    with refused_argument("top", "Estimate.order"):
        of_many(60).order(0)
    with refused_argument("sort", value="size"):
        plot_estimate(of_many(60), axes(), sort="size")


def test_titles_give_way_to_those_of_the_user():
    before, after = axes(), axes()
    before.set_title("mine", loc="left")
    plot_estimate(estimate("?", ["a", "b"]), before)
    assert [before.get_title(loc) for loc in ("left", "center")] == ["mine", ""]
    plot_estimate(estimate("?", ["a", "b"]), after)
    assert after.get_title() == "?"
    after.set_title("mine")
    assert [after.get_title(loc) for loc in ("left", "center", "right")] == ["", "mine", ""]


@pytest.mark.parametrize("d", [3, 40])
def test_the_legend_covers_no_bar(d):
    ax = plot_estimate(of_many(d), axes(8, 4))
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y1 <= ax.bbox.y0


def test_pictures_of_ones_own_are_pyplots(request):
    request.addfinalizer(lambda: pyplot.close("all"))
    ax = estimate("?", ["a", "b"]).plot()
    assert pyplot.gcf() is ax.figure


def axes(width=8, height=6):
    return Figure(figsize=(width, height), layout="constrained").gca()
