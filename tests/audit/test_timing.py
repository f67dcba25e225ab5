"""Time says nothing of an answer, in Python, node and a browser; where it does, that shows."""

from time import perf_counter_ns

import numpy as np
import pytest

from browser import STATIC, need
from privet import Scale, Several, Survey
from privet.audit.subjects import probes
from privet.audit.timing import compare, hits_of, in_browser, in_node, in_python
from privet.errors import ClientFailure, InvalidArgument
from refusing import refused

ALPHA = 1e-5  # so that no test fails by chance
NAMES = [f"c{i}" for i in range(100)]
SURVEYS = [
    *(
        Survey("?", NAMES, 2.0, mechanism=kind)
        for kind in (
            "k-subset",
            "projective",
            "multivariate-rr",
            "binary-rr",
            "hashed-rr",
            "rappor",
        )
    ),
    Survey("?", Several(NAMES[:20], most=3), 2.0),
    Survey("?", Scale(0, 100, cells=21), 2.0),
]


def probe_of(survey):
    return probes(survey, 3, np.random.default_rng(1))[-1]


def compared(survey, timed):
    times, reports = timed
    return compare(times, hits_of(survey.mechanism, probe_of(survey).value, reports), ALPHA)


def kind_of(survey):
    return survey.mechanism.name


# --- the comparison -----------------------------------------------------------------------------


def drawn(rng, n, apart):
    """Return times that drift and jump, and hits that take so much longer."""
    hits = rng.random(n) < 0.3
    times = 8000 + rng.exponential(500, n) + np.cumsum(rng.normal(0, 5, n))
    times[rng.random(n) < 0.01] += 50_000
    return times + apart * hits, hits


@pytest.mark.parametrize("apart", [-100, -50, 0, 50, 100])
def test_what_is_within_the_threshold_passes_as_often_as_said(apart):
    rng = np.random.default_rng(2)
    found = [compare(*drawn(rng, 2000, apart), alpha=0.1) for _ in range(300)]
    assert sum(not one.passed for one in found) <= 33  # 15 at most are expected; P < 1e-4
    inside = sum(one.low <= apart <= one.high for one in found)
    assert inside >= 255  # 270 at least are expected


@pytest.mark.parametrize("apart", [-250, 250])
def test_what_is_beyond_it_fails(apart):
    rng = np.random.default_rng(3)
    for _ in range(50):
        found = compare(*drawn(rng, 20_000, apart), alpha=0.01)
        assert not found.passed
        assert abs(found.nanoseconds - apart) < 100
        assert (found.auc > 0.55) == (apart > 0)


def test_few_pairs_say_nothing():
    with refused(InvalidArgument, "30 pairs", value="0 pairs"):
        compare([1.0, 2.0, 3.0], [True, True, False], 0.01)


def test_hits_are_those_of_the_mechanism():
    survey = SURVEYS[0]
    reports = [survey.randomize("c7") for _ in range(500)]
    own = [7 in survey.mechanism.members(one) for one in reports]
    assert hits_of(survey.mechanism, 7, reports).tolist() == own


# --- Python -------------------------------------------------------------------------------------


@pytest.mark.parametrize("survey", SURVEYS, ids=kind_of)
def test_time_says_nothing_in_python(survey):
    found = compared(survey, in_python(survey.randomize, probe_of(survey), 10_000))
    assert found.passed, found


def slow(survey, probe, extra):
    """Return a sampler that does more on a miss, by about so many nanoseconds."""

    def randomize(answer):
        report = survey.randomize(answer)
        missed = probe.value not in survey.mechanism.members(report)
        end = perf_counter_ns() + extra * missed
        while perf_counter_ns() < end:
            pass
        return report

    return randomize


def test_more_work_on_a_miss_shows_in_python():
    survey = SURVEYS[0]
    probe = probe_of(survey)
    found = compared(survey, in_python(slow(survey, probe, 1000), probe))
    assert not found.passed
    assert -2500 < found.nanoseconds < -300
    assert found.auc < 0.5


# --- JavaScript ---------------------------------------------------------------------------------

SLOW = """
import {{ Survey as Right }} from "{home}/privet.js";
let kept = 0;
export const Survey = {{
  async from(text) {{
    const survey = await Right.from(text);
    return {{
      randomize(answer, options) {{
        const report = survey.randomize(answer, options);
        if (!survey.members(report).includes(answer))
          for (let i = 0; i < 2000; i++) kept = (kept * 31 + i) | 0;
        return report;
      }},
    }};
  }},
}};
"""


@pytest.mark.parametrize("survey", SURVEYS, ids=kind_of)
def test_time_says_nothing_in_node(survey):
    need("node", "nodejs")
    found = compared(survey, in_node(survey, probe_of(survey), 5_000))
    assert found.passed, found


def test_more_work_on_a_miss_shows_in_node(tmp_path):
    need("node", "nodejs")
    survey = SURVEYS[0]
    module = tmp_path / "slow.mjs"
    module.write_text(SLOW.format(home=STATIC.as_uri()))
    found = compared(survey, in_node(survey, probe_of(survey), 5_000, module))
    assert not found.passed
    assert found.nanoseconds < -300


def test_what_is_wrong_in_node_is_said(tmp_path):
    need("node", "nodejs")
    (tmp_path / "bad.mjs").write_text("throw new Error('no tea')")
    with refused(ClientFailure, "bad.mjs", "node", "no tea"):
        in_node(SURVEYS[0], probe_of(SURVEYS[0]), 10, tmp_path / "bad.mjs")


def test_time_says_nothing_in_a_browser():
    need("chromium", "chromium")
    survey = SURVEYS[0]
    found = compared(survey, in_browser(survey, probe_of(survey), 500))
    assert found.passed, found


def test_more_work_on_a_miss_shows_in_a_browser(tmp_path):
    need("chromium", "chromium")
    for script in STATIC.glob("privet*.js"):
        (tmp_path / script.name).write_text(script.read_text())
    survey = SURVEYS[0]
    module = tmp_path / "slow.js"
    module.write_text(SLOW.format(home="."))
    found = compared(survey, in_browser(survey, probe_of(survey), 500, module))
    assert not found.passed
    assert found.nanoseconds < -300
