"""Pictures of numbers on a scale."""

import re

import numpy as np
import pytest

from privet import Scale, Survey
from privet.entropy import seeded
from privet.figures import canvas, plot_below, plot_scale, plot_scale_groups, save_scale

QUESTION = "How satisfied are you, on the whole, with how things are going these days, " * 2 + "?"
YEARS = Scale(0, 120, 61, "years")


def estimate(scale=YEARS, epsilon=1.0, n=2000, question="How old are you?"):
    survey = Survey(question, scale, epsilon)
    drawn = np.random.default_rng(1).normal(0.4, 0.1, n).clip(0, 1)
    numbers = scale.low + (scale.high - scale.low) * drawn
    tally = survey.tally()
    answers = np.rint(numbers) if scale.whole else numbers
    tally.update(survey.randomize_batch(answers, entropy=seeded(1)))
    return tally.estimate()


def labels_of(ax):
    return {text.get_text() for text in ax.get_legend().get_texts()}


def test_a_bar_for_each_band_with_its_interval_and_the_mean():
    found = estimate()
    ax = plot_scale(found, level=0.9)
    labels = sorted(labels_of(ax))
    for series, label in zip(("distribution", "mean.* 90 %", "band.* 90 %"), labels, strict=True):
        assert re.search(series, label)
    assert (ax.get_xlim(), ax.get_xlabel()) == ((0, 120), "years")
    bands = found.bands()
    areas = [bar.get_height() * bar.get_width() for bar in ax.patches]
    assert areas == pytest.approx([band.value for _, band in bands])
    (bars,) = ax.containers[1:]
    for (_, band), segment, bar in zip(bands, bars[2][0].get_segments(), ax.patches, strict=True):
        assert segment[:, 1] * bar.get_width() == pytest.approx(band.interval(0.9))
    *_, curve, interval, mean = ax.lines
    assert curve.get_ydata() * found.scale.step == pytest.approx(found.distribution())
    assert tuple(interval.get_xdata()) == found.mean().interval(0.9)
    assert mean.get_xdata() == [found.mean().value]
    assert [text.get_text() for text in ax.texts[: len(bands)]] == [
        f"{100 * band.value:.0f} %" for _, band in bands
    ]


def test_intervals_that_say_nothing_do_not_flatten_the_bars():
    """They are cut off at a few times the height of the bars."""
    found = estimate(epsilon=0.2, n=300)
    ax = plot_scale(found)
    assert ax.get_ylim()[1] <= 2.7 * max(bar.get_height() for bar in ax.patches)


@pytest.mark.parametrize("scale", [YEARS, Scale(1, 5, whole=True)], ids=repr)
@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_shares_below_rise_within_intervals_that_do(scale, epsilon):
    found = estimate(scale, epsilon)
    ax = plot_below(found)
    numbers, shares = ax.lines[0].get_data()
    assert (np.diff(shares) >= 0).all()
    assert shares[-1] == pytest.approx(100)
    assert numbers[0] == scale.low
    (band,) = ax.collections
    inner = band.get_paths()[0].vertices
    for number, share in zip(numbers[1:-1], shares[1:-1], strict=True):
        low, high = found.share(scale.low, number).interval()
        at = inner[np.isclose(inner[:, 0], number), 1]
        assert at.min() <= 100 * low + 1e-9  # never narrower than the interval itself
        assert at.max() >= 100 * high - 1e-9
        assert at.min() - 1e-9 <= share <= at.max() + 1e-9


def test_bars_of_whole_numbers_end_half_way_between_them():
    found = estimate(Scale(1, 5, whole=True, bands=[3]))
    ax = plot_scale(found)
    assert [(bar.get_x(), bar.get_width()) for bar in ax.patches] == [(0.5, 2), (2.5, 3)]
    assert ax.get_xlim() == (0.5, 5.5)
    ticks = [tick for tick in ax.get_xticks() if 1 <= tick <= 5]
    assert ticks == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("count", [1, 2, 5, 14])
def test_groups_share_one_scale_and_only_the_lowest_are_labelled(count):
    groups = {
        f"a group whose name takes many words, {i}": estimate(n=300 + i) for i in range(count)
    }
    figure = plot_scale_groups(groups)
    axes = figure.axes
    assert len(axes) == min(count, 12)
    assert len({ax.get_ylim() for ax in axes}) == 1
    highest = max(bar.get_height() for ax in axes for bar in ax.patches)
    assert axes[0].get_ylim()[1] > highest
    assert [bool(ax.get_xlabel()) for ax in axes] == [i + 3 >= len(axes) for i in range(len(axes))]
    assert len({ax.get_title() for ax in axes}) == len(axes)
    assert all(ax.get_legend() is None for ax in axes)


def test_long_questions_stay_inside_and_pictures_are_the_same_bytes_every_time(tmp_path):
    shown = estimate(Scale(1, 5, whole=True), question=QUESTION)
    figure = plot_scale(shown).figure
    figure.draw_without_rendering()
    texts = figure.findobj(lambda one: hasattr(one, "get_text") and " " in one.get_text())
    boxes = {text.get_text(): text.get_window_extent() for text in texts}
    assert any(text.startswith("How satisfied") for text in boxes)
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes.values())
    paths = [tmp_path / f"{name}.png" for name in "abcd"]
    for path in paths[:2]:
        save_scale(shown, path)
    for path in paths[2:]:
        canvas.save(plot_scale_groups({"all": shown}), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[2].read_bytes() == paths[3].read_bytes()


def test_a_mean_far_beyond_the_scale_is_marked_at_its_end(tmp_path):
    survey = Survey("How much?", Scale(0, 9), 1.0)
    tally = survey.tally()
    tally.update(b"\1")  # of the lowest numbers, and all that there is
    found = tally.estimate()
    assert found.mean().value < -9
    assert plot_scale(found).lines[-1].get_xdata() == [0]
    save_scale(found, tmp_path / "a.png")  # without a warning that there is no room
