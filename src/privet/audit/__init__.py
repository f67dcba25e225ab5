"""Audits: what privacy a client really gives, measured through its public path, answer to bytes.

Reports of a few known answers are made by the million, and three things are asked of them:

- *Is ε exceeded?* For every pair of the answers, the event that tells most between them bounds ε
  from below (`privet.audit.bounds`). Another event is searched in the bare bytes: if that exceeds
  ε, something leaks besides the report.
- *Does the law differ from the contract?* Reports are held against their exact law.
- *Do repeats differ?* A person's device must answer the same question in the same way, or by fresh
  copies of one permanent response.

Of a page, everything else that leaves the browser or stays on the device is examined, too
(`privet.audit.traces`). On request, hits and misses are timed as well.

A correct client fails with a probability of 1 − confidence at most, whatever is asked of it: the
level is divided among all tests (Bonferroni, which holds however they depend on each other).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..analysis.progress import Progress, no_progress
from ..device.contract import Contract
from ..device.mechanisms.base import Randomizer
from ..errors import Clamped, InvalidArgument
from ..errors.arguments import alpha_of, whole
from .browsing import Page
from .clients import Callable, Client, Command, InProcess
from .repeats import repeats_verdict
from .result import Audit, Verdict
from .subjects import Direct, claimed_of, probes
from .timing import timing_verdict
from .trials import Trials
from .watched import Watched

__all__ = [
    "Audit",
    "Callable",
    "Command",
    "InProcess",
    "Page",
    "Verdict",
    "audit",
]

# Which part of the level each question has. The last is for time or, because pages are not timed,
# for what else a page leaves behind.
_PRIVACY, _LAW, _REPEATS, _TIMING_OR_PAGE = 0.4, 0.35, 0.05, 0.2


def audit(
    subject: Randomizer | Contract,
    trials: int = 1_000_000,
    confidence: float = 0.99,
    *,
    client: Client | Direct | None = None,
    answers: int = 8,
    repeats: int = 200,
    timing: Sequence[str] = (),
    seed: int | None = None,
    progress: Progress = no_progress,
) -> Audit:
    """Measure what privacy a mechanism, or a client of a survey or questionnaire, really gives.

    Parameters
    ----------
    subject : Mechanism, Survey or Questionnaire
        Whose law the reports must follow, and whose ε they must keep.
    trials : int
        How many reports are made of each answer. With a million, an excess of .02 is seen. A page
        is visited so often on average, with answers in random order.
    confidence : float
        A correct client passes with at least this probability.
    client : Client, optional
        Who makes the reports: by default `InProcess`, this package; or `Callable`, `Command` or
        `Page`.
    answers : int
        How many answers are tried: all pairs of all answers, if there are no more.
    repeats : int
        How often a device is asked the same thing again.
    timing : sequence of "python", "node" and "browser"
        Where single reports of a survey's own client are timed: in Python, or privet.js elsewhere;
        not with a page.
    seed : int, optional
        Makes the choice of answers repeatable.
    progress : Progress
        Called with how far it is.

    >>> from privet.mechanisms import KSubset
    >>> found = audit(KSubset(100, 1.0), trials=50_000, confidence=0.999999)
    >>> found.passed, 0.8 < found.lower_bound < 1
    (True, True)

    """
    if not isinstance(subject, Randomizer | Contract):
        rule = "a mechanism, a survey or a questionnaire"
        raise InvalidArgument("audit", "subject", rule, subject)
    trials = whole("audit", "trials", trials, 100)
    alpha = alpha_of("audit", confidence, "confidence")
    if timing and isinstance(client, Page):
        raise InvalidArgument("audit", "timing", "left out where the client is a page", [*timing])
    made: Any = client
    if made is None:
        made = InProcess(subject) if isinstance(subject, Contract) else Direct(subject)
    most, rng = whole("audit", "answers", answers, 2, 64), np.random.default_rng(seed)
    asked = probes(subject, most, rng, beyond=not isinstance(made, Page))
    mechanism = subject.mechanism if isinstance(subject, Contract) else subject
    seen = Trials(mechanism, asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Clamped)  # numbers beyond the ends are asked on purpose
        watched = None
        with progress("reports", total=trials * len(asked)) as advance:
            if isinstance(made, Page):
                watched = Watched(made, asked, trials, rng, advance)
                trials = watched.least
                seen.run(watched, trials, lambda _: None)
            else:
                seen.run(made, trials, advance)
        repeated = repeats_verdict(made, mechanism, asked, repeats, _REPEATS * alpha)
    bound, epsilon, leaks = seen.privacy_verdicts(_PRIVACY * alpha)
    law = seen.law_verdict(_LAW * alpha)
    verdicts = [epsilon, law, repeated, leaks]
    if watched is not None:
        verdicts.append(watched.verdict(_TIMING_OR_PAGE * alpha))
    if timing:
        verdicts.append(timing_verdict(made, asked[1], timing, _TIMING_OR_PAGE * alpha))
    return Audit(
        repr(subject), claimed_of(mechanism), bound, trials, len(asked), confidence, tuple(verdicts)
    )
