r"""Traces of an answer: parts of a visit that depend on it in other ways than through the report.

Each visit's answer is drawn at random. Given its report z, the answer is x with the probability

    π(x) = Q(z | x) / Σ Q(z | x'),

the sum over all answers that are asked. If a page gives nothing away besides the report, that holds
whatever else the visit left behind. So take any event, such as "a parameter is 'tea'": the number
of its visits with the answer x is a sum of independent coins with known probabilities, whose upper
tail is computed exactly. Parts that are functions of the report alone raise no alarm, at any ε.

Events are chosen without a look at the answers: presence and number, single values, words, lengths,
and the characters, bits and remainders of parts that look random. By Tarone's method, only events
that are common enough to be significant are counted as tests.

R. E. Tarone, "A modified Bonferroni method for discrete data", Biometrics 46 (1990).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

import numpy as np
from numpy.typing import NDArray

from ..device.contract import Contract
from ..device.mechanisms.base import Randomizer
from ..device.mechanisms.paged import Paged
from ..errors import InvalidReport
from .between import mixture
from .browsing import Visit
from .parts import Part, Value, parts_of
from .subjects import Probe

Holds = NDArray[np.bool_]
Odds = NDArray[np.float64]
Rows = list[tuple[Value, ...]]

__all__ = ["FoundTrace", "Trace", "given_reports", "search"]

_RANDOM = 8  # a part with so many different values may hide something in their bits
_PLACES, _WORDS, _LENGTHS = 64, 256, 16  # how many of each are looked at in a part
_UNLIKELY = 2.0  # standard deviations; events that exceed less are not computed
_LONGEST = 60  # characters of a value that are shown
# Kinds of parts and names of headers that repeat what other parts say.
_REPEATING = {
    "query", "headers' names", "order of requests", "history", "Referer", "Content-Length",
}  # fmt: skip
_BASE64, _HEX = re.compile(r"[\w+/-]{8,}={0,2}"), re.compile(r"(?:[0-9a-fA-F]{2}){4,}")


class Trace(NamedTuple):
    """Something of a visit that depends on the answer.

    Attributes
    ----------
    kind, where, when : str
        Which part it is, and in which step of the visit it was first seen.
    event : str
        What is more frequent with the answer `of`.
    of, other : answers
        Two answers that the part tells apart.
    value, other_value : str or None
        What the part was in a visit with each; None where it was missing.
    seen, visits : int
        In how many visits the event was seen, of all with that answer.
    seen_else, visits_else : int
        The same of all other answers.
    p : float
        How likely so many are with the answer, or more, if nothing depends on it but the report.

    """

    kind: str
    where: str
    when: str
    event: str
    of: Any
    other: Any
    value: str | None
    other_value: str | None
    seen: int
    visits: int
    seen_else: int
    visits_else: int
    p: float

    def __str__(self) -> str:
        """Say it in one sentence."""
        place = f"{self.kind} {self.where}".strip()
        return (
            f"{place}, {self.when}: for example {_shown(self.value)} for the answer {self.of!r} "
            f"and {_shown(self.other_value)} for {self.other!r}; {self.event}: {self.seen} of "
            f"{self.visits} visits with {self.of!r}, {self.seen_else} of {self.visits_else} others"
        )


class FoundTrace(NamedTuple):
    """The traces, the strongest first, and how they were searched."""

    traces: list[Trace]
    parts: int
    tests: int
    level: float


@dataclass
class _Event:
    """Visits that share something, and the parts that show it."""

    holds: Holds
    parts: dict[Part, str] = field(default_factory=dict)


def search(
    visits: Sequence[Visit],
    asked: Sequence[int] | NDArray[np.int64],
    probes: Sequence[Probe],
    contract: Contract,
    alpha: float,
) -> FoundTrace:
    """Return the parts that depend on the answer; of an honest page any, with probability alpha.

    Parameters
    ----------
    visits : sequence of Visit
        The visits.
    asked : sequence of int
        Which of the probes each answered, drawn at random, every one with the same probability.
    probes : sequence of Probe
        The answers.
    contract : Survey or Questionnaire
        Whose reports the page sends.
    alpha : float
        The level of all tests together.

    """
    labels = np.asarray(asked)
    odds = given_reports(contract.mechanism, [one.report for one in visits], probes)
    parts = parts_of(visits)
    writings = {text for probe in probes for text in _writings(probe.answer)}
    events: dict[bytes, _Event] = {}
    for part, rows in parts.items():
        for what, holds in _events(rows, len(probes), writings):
            much = 2 * int(holds.sum()) > len(holds)  # then visits without it say more
            own, said = (~holds, f"not {what}") if much else (holds, what)
            if own.any():
                event = events.setdefault(np.packbits(own).tobytes(), _Event(own))
                event.parts.setdefault(part, said)
    tests, level = _tarone(list(events.values()), odds, alpha)
    best: dict[Part, tuple[float, _Event, int]] = {}
    for event in events.values():
        for place in range(len(probes)):
            p = _tail(odds[event.holds, place], int((labels[event.holds] == place).sum()))
            if p <= level:
                whole = {part.where for part in event.parts if not part.owner}
                for part in event.parts:
                    if part.owner and part.owner in whole:
                        continue  # it is there exactly when its request is
                    best[part] = min(best.get(part, (2.0, event, place)), (p, event, place), key=_p)
    found = [
        _trace(part, parts[part], event, place, p, labels, probes)
        for part, (p, event, place) in best.items()
    ]
    return FoundTrace(sorted(found, key=_directly), len(parts), tests, level)


def _p(one: tuple[float, _Event, int]) -> float:
    return one[0]


def _directly(trace: Trace) -> tuple[bool, float]:
    """Order traces by strength, those last that repeat what another part says."""
    name = trace.where.partition(" of ")[0]
    return trace.kind in _REPEATING or name in _REPEATING, trace.p


# --- the law of answers, given reports ------------------------------------------------------------


def given_reports(mechanism: Randomizer, reports: Sequence[bytes], probes: Sequence[Probe]) -> Odds:
    """Return how likely each report is of each probe, all of them asked equally often.

    What is not a report says nothing of the answer that it should say: all are equally likely.
    """
    found: dict[bytes, list[float]] = {}
    for report in {*reports}:
        try:
            chances = [_chance(mechanism, report, probe.value) for probe in probes]
        except InvalidReport:
            chances = [1.0] * len(probes)
        found[report] = [one / sum(chances) for one in chances]
    return np.array([found[one] for one in reports])


def _chance(mechanism: Randomizer, report: bytes, value: Any) -> float:
    if isinstance(mechanism, Paged):
        mechanism.check(np.frombuffer(report, dtype=np.uint8)[None])
        size = mechanism.number_bytes
        page = int.from_bytes(report[:size], "little")
        part = mechanism.parts[page]
        return _chance(part, report[size : size + part.report_bytes], value[page])
    return sum(p * float(mechanism.probability(report, one)) for one, p in mixture(value))


def _tail(odds: Odds, least: int) -> float:
    """Return how likely at least so many independent coins are heads; 1 where that is likely."""
    mean, variance = odds.sum(), (odds * (1 - odds)).sum()
    if least <= mean + _UNLIKELY * np.sqrt(variance):
        return 1.0
    law = np.ones(1)
    for p in odds:
        law = np.append(law * (1 - p), 0.0) + np.append(0.0, law * p)
    return float(law[least:].sum())


def _tarone(events: Sequence[_Event], odds: Odds, alpha: float) -> tuple[int, float]:
    """Return for how many tests the level is divided, and what each then has.

    The least p-value that an event can have depends on the visits that show it and on their
    reports, never on their answers.
    """
    least = np.sort([np.log(odds[one.holds]).sum(axis=0) for one in events], axis=None)
    for tests in range(1, least.size + 1):
        if np.searchsorted(least, np.log(alpha / tests), side="right") <= tests:
            return tests, alpha / tests
    return 0, alpha


# --- events ---------------------------------------------------------------------------------------


def _events(rows: Rows, answers: int, writings: set[str]) -> Iterator[tuple[str, Holds]]:
    """Yield what visits may share in one part, and which of them do."""
    texts = [tuple(value.text for value in row) for row in rows]
    different = {*texts}
    if len(different) < 2:
        return
    counts = np.array([len(row) for row in texts])
    for count in np.unique(counts)[1:]:
        yield ("present" if count == 1 else f"present {count} times"), counts >= count
    if len({one for row in texts for one in row}) < 2:
        return
    yield from _shared("it is", [{*row} for row in texts])
    lengths = np.array([sum(map(len, row)) for row in texts])
    for length in np.unique(np.quantile(lengths, np.linspace(0, 1, _LENGTHS), method="lower"))[1:]:
        yield f"{length:.0f} characters or more", (lengths >= length) & (counts > 0)
    words = [{word for one in row for word in re.findall(r"\w+", one)} for row in texts]
    yield from _shared("it contains", words)
    for writing in writings:
        yield (
            f"it contains {writing!r}",
            np.array([any(writing in t for t in row) for row in texts]),
        )
    if len(different) >= _RANDOM:
        yield from _places([row[0] if row else None for row in texts], answers)


def _shared(what: str, sets: Sequence[set[str]]) -> Iterator[tuple[str, Holds]]:
    """Yield the commonest things that some visits have, but not all."""
    common = Counter(one for some in sets for one in some)
    for one, count in common.most_common(_WORDS):
        if 1 < count < len(sets):
            yield f"{what} {_shown(one)}", np.array([one in some for some in sets])


def _places(texts: Sequence[str | None], answers: int) -> Iterator[tuple[str, Holds]]:
    """Yield what characters at one place share, as they are and as hexadecimal or base64."""
    for name, decode in (("", _plain), ("of hexadecimal, ", _unhex), ("of base64, ", _unbase64)):
        values = [None if text is None else decode(text) for text in texts]
        if sum(value is not None for value in values) < sum(text is not None for text in texts):
            continue
        width = min(_PLACES, max(len(value) for value in values if value is not None))
        for at in range(width):
            column = np.array(
                [value[at] if value is not None and at < len(value) else -1 for value in values]
            )
            held = column >= 0
            for bit in range(8):
                yield f"{name}byte {at} has bit {bit}", held & (column >> bit & 1 == 1)
            for rest in range(answers if answers > 2 else 0):
                yield f"{name}byte {at} mod {answers} is {rest}", held & (column % answers == rest)
            for one in np.unique(column[held]) if not name else ():
                yield f"byte {at} is {one}", column == one


def _plain(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _unhex(text: str) -> bytes | None:
    return bytes.fromhex(text) if _HEX.fullmatch(text) else None


def _unbase64(text: str) -> bytes | None:
    if not _BASE64.fullmatch(text) or not text.isascii():
        return None
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4))
    except binascii.Error:
        return None


def _writings(answer: Any) -> Iterator[str]:
    """Yield how an answer, or a part of it, might be written inside of another text."""
    if isinstance(answer, dict):
        for one in answer.values():
            yield from _writings(one)
    elif isinstance(answer, list):
        for one in answer:
            yield from _writings(one)
    elif len(text := str(answer)) > 1:
        raw = text.encode()
        yield from {text, text[::-1], text.casefold(), text.upper()}
        yield from {quote(text, safe=""), quote_plus(text), json.dumps(text)[1:-1], raw.hex()}
        for shift in range(3):  # in base64 it depends on how many bytes there are before it
            coded = base64.b64encode(bytes(shift) + raw).decode()
            inner = coded[-(-8 * shift // 6) : 8 * (shift + len(raw)) // 6]
            if len(inner) > 2:
                yield from {inner, inner.replace("+", "-").replace("/", "_")}


# --- what is said ---------------------------------------------------------------------------------

_WHEN = {
    "load": "while the page loads", "fill": "while it is filled in", "send": "as it is sent",
    "later": "after it was sent", "leave": "as the page is left", "return": "on another visit",
}  # fmt: skip


def _trace(
    part: Part,
    rows: Rows,
    event: _Event,
    place: int,
    p: float,
    labels: NDArray[Any],
    probes: Sequence[Probe],
) -> Trace:
    own = labels == place
    shown = int(np.flatnonzero(event.holds & own)[0])
    others = np.flatnonzero(~event.holds & ~own)
    hidden = int(others[0]) if others.size else int(np.flatnonzero(~own)[0])
    value, other = (_telling(rows[one], rows[two]) for one, two in _both_ways(shown, hidden))
    phases = {one.phase for one in (value, other) if one is not None}
    texts = [None if one is None else one.text for one in (value, other)]
    if texts[0] == texts[1]:  # then it is how often they are there that differs
        texts = [f"{texts[0]}, {len(rows[one])} times" for one in (shown, hidden)]
    return Trace(
        part.kind,
        part.where,
        next(said for phase, said in _WHEN.items() if phase in phases),
        event.parts[part],
        probes[place].answer,
        probes[int(labels[hidden])].answer,
        texts[0],
        texts[1],
        int((event.holds & own).sum()),
        int(own.sum()),
        int((event.holds & ~own).sum()),
        int((~own).sum()),
        p,
    )


def _both_ways(one: int, other: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (one, other), (other, one)


def _telling(row: tuple[Value, ...], other: tuple[Value, ...]) -> Value | None:
    """Return a value that the other row has not, or else the last one."""
    texts = {value.text for value in other}
    return next((value for value in row if value.text not in texts), row[-1] if row else None)


def _shown(text: str | None) -> str:
    """Return a text as it is shown, or that there is none."""
    if text is None:
        return "nothing"
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
