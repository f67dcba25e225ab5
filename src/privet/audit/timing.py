"""Whether the time that a report takes says if it is a hit, one that supports the person's answer.

Reports are made one by one and timed. Of every two neighbours of which one is a hit and the other a
miss, the difference is taken: whatever else the machine does strikes both alike, and which of them
came first is a fair coin. Their median, with exact limits by the binomial law of its signs, is how
many nanoseconds a hit takes longer; the share of pairs in which it does is the AUC, how often the
best guess from the time alone is right. A client fails if the limits lie beyond the threshold.
"""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter_ns
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from ..device.mechanisms.base import Mechanism
from ..device.survey import Survey
from ..errors import ClientFailure, InvalidArgument
from .browsing import chromium
from .clients import Client
from .events import supports
from .result import Verdict
from .subjects import Probe

# Nanoseconds of reports one after the other, and the reports.
Timed = tuple[NDArray[np.float64], Sequence[bytes]]

__all__ = [
    "THRESHOLD",
    "Timing",
    "compare",
    "hits_of",
    "in_browser",
    "in_node",
    "in_python",
    "timing_verdict",
]

# Nanoseconds. Where code happens to lie in memory moves hits and misses apart by some tens.
THRESHOLD = 100.0
_WARM = 500
_FEWEST_PAIRS = 30
_HERE = Path(__file__).parent
_PRIVET_JS = _HERE.parent / "service" / "static" / "privet.js"


class Timing(NamedTuple):
    """How much longer a hit takes than a miss."""

    nanoseconds: float
    low: float
    high: float
    auc: float
    pairs: int
    threshold: float

    @property
    def passed(self) -> bool:
        """Whether the difference may be within the threshold."""
        return self.low <= self.threshold and self.high >= -self.threshold


def compare(
    times: ArrayLike, hits: ArrayLike, alpha: float, threshold: float = THRESHOLD
) -> Timing:
    """Compare hits with the misses beside them; a right client fails with chance alpha at most.

    >>> rng = np.random.default_rng(1)
    >>> hits = rng.random(10_000) < 0.5
    >>> times = rng.exponential(300.0, 10_000) + 8000
    >>> compare(times, hits, alpha=0.01).passed
    True
    >>> found = compare(times + 200 * ~hits, hits, alpha=0.01)
    >>> found.passed, 150 < -found.nanoseconds < 250, round(found.auc, 1)
    (False, True, 0.3)
    """
    even = len(np.asarray(times)) // 2 * 2
    taken = np.asarray(times, dtype=float)[:even].reshape(-1, 2)
    hit = np.asarray(hits, dtype=bool)[:even].reshape(-1, 2)
    one = hit[:, 0] != hit[:, 1]
    apart = np.sort(np.where(hit[:, 0], 1, -1)[one] * (taken[one, 0] - taken[one, 1]))
    pairs = len(apart)
    if pairs < _FEWEST_PAIRS:
        rule = f"long enough for {_FEWEST_PAIRS} pairs of a hit and a miss"
        raise InvalidArgument("compare", "times", rule, f"{pairs} pairs")
    rank = max(int(binom.ppf(alpha / 2, pairs, 0.5)), 1) - 1
    auc = float((apart > 0).mean() + (apart == 0).mean() / 2)
    low, high = float(apart[rank]), float(apart[pairs - 1 - rank])
    return Timing(float(np.median(apart)), low, high, auc, pairs, threshold)


def hits_of(mechanism: Mechanism, value: Any, reports: Sequence[bytes]) -> NDArray[np.bool_]:
    """Return which reports support a value, or more than most do."""
    seen = supports(mechanism, [value])
    if seen is None:
        raise InvalidArgument("hits_of", "mechanism", "one whose hits are known", mechanism)
    rows = np.frombuffer(b"".join(reports), dtype=np.uint8).reshape(len(reports), -1)
    support = seen(rows)[:, 0]
    found: NDArray[np.bool_] = support > support.mean()
    return found


# --- where reports are timed --------------------------------------------------------------------


def in_python(function: Callable[[Any], bytes], probe: Probe, reports: int = 20_000) -> Timed:
    """Time a function of one answer, such as `Survey.randomize`."""
    answer, times, made = probe.answer, [0] * reports, [b""] * reports
    for _ in range(_WARM):
        function(answer)
    collected = gc.isenabled()
    gc.disable()
    try:
        for i in range(reports):
            begin = perf_counter_ns()
            report = function(answer)
            times[i] = perf_counter_ns() - begin
            made[i] = report
    finally:
        if collected:
            gc.enable()
    return np.array(times, dtype=float), made


def in_node(
    survey: Survey, probe: Probe, reports: int = 20_000, module: Path = _PRIVET_JS
) -> Timed:
    """Time privet.js, or a module that does the same, in node."""
    node = shutil.which("node")
    if node is None:
        raise ClientFailure("There is no node to time privet.js in.")
    script = (
        f"import {{ timed }} from {json.dumps((_HERE / 'timing.mjs').as_uri())};"
        f"import * as client from {json.dumps(module.resolve().as_uri())};"
        "let text = ''; for await (const piece of process.stdin) text += piece;"
        "console.log(JSON.stringify(await timed(client, JSON.parse(text))));"
    )
    done = subprocess.run(  # noqa: S603
        [node, "--input-type=module", "--eval", script],
        input=json.dumps(_given(survey, probe, reports, repeats=1, rounds=5)).encode(),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        said = next((line for line in lines if "Error" in line), "no reason was given")
        raise ClientFailure(f"{module.name} cannot be timed in node: {said}")
    return _read(json.loads(done.stdout))


def in_browser(
    survey: Survey, probe: Probe, reports: int = 2_000, module: Path = _PRIVET_JS
) -> Timed:
    """Time privet.js, or a module that does the same, in Chromium.

    The page is isolated from other origins, for which Chromium's clock ticks in 5 microseconds.
    """
    files = {"timing.mjs": _HERE, **{one.name: module.parent for one in module.parent.glob("*.js")}}

    def serve(route: Any) -> None:
        name = route.request.url.rpartition("/")[2]
        body = (files[name] / name).read_text() if name in files else "<!doctype html>"
        isolated = {
            "Content-Type": "text/javascript" if name in files else "text/html",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Embedder-Policy": "require-corp",
        }
        route.fulfill(body=body, headers=isolated)

    given = _given(survey, probe, reports, repeats=64, rounds=2)
    run = """async ([module, given]) => {
        const { timed } = await import("/timing.mjs");
        return timed(await import(`/${module}`), given);
    }"""
    with chromium("privet.js cannot be timed") as browser:
        page = browser.new_page()
        page.route("**/*", serve)
        page.goto("https://timing.test/")
        return _read(page.evaluate(run, [module.name, given]))


def _given(survey: Survey, probe: Probe, reports: int, **how: int) -> dict[str, Any]:
    return {"contract": survey.to_json(), "answer": probe.answer, "reports": reports, **how}


def _read(found: dict[str, Any]) -> Timed:
    return np.array(found["times"]), [bytes.fromhex(one) for one in found["reports"]]


# --- an audit's verdict -------------------------------------------------------------------------


def timing_verdict(client: Client, probe: Probe, places: Sequence[str], alpha: float) -> Verdict:
    """Return whether time tells hits from misses, in Python, node or a browser."""
    survey: Any = getattr(client, "survey", None)
    function = getattr(client, "function", None) or getattr(survey, "randomize", None)
    if survey is None or supports(survey.mechanism, [probe.value]) is None:
        return Verdict("timing", None, "only single reports of a survey are timed")
    ways: dict[str, Callable[[], Timed]] = {
        "python": lambda: in_python(function, probe),  # type: ignore[arg-type]
        "node": lambda: in_node(survey, probe),
        "browser": lambda: in_browser(survey, probe),
    }
    found = {}
    for place in places:
        if place not in ways:
            raise InvalidArgument("audit", "timing", f"of {', '.join(ways)}", place)
        times, reports = ways[place]()
        hits = hits_of(survey.mechanism, probe.value, reports)
        found[place] = compare(times, hits, alpha / len(places))
    said = [f"{place} {one.nanoseconds:+.0f} ns, AUC {one.auc:.3f}" for place, one in found.items()]
    figures = {place: one._asdict() for place, one in found.items()}
    return Verdict(
        "timing",
        all(one.passed for one in found.values()),
        f"a hit against a miss: {'; '.join(said)} (threshold {THRESHOLD:g} ns)",
        figures,
    )
