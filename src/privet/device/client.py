"""Client: a person's reports to a service, sent by a thread of its own.

An answer is randomized before anything else happens, so that queue, spool and wire have reports
alone. A report is sealed with its key at once: whoever sends it again, after a lost reply or a
crash, sends the same key and bytes, which a service counts once. It goes in a request of its own,
as a batch would say which reports are the same person's.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
from collections import deque
from hmac import digest
from os import PathLike
from secrets import SystemRandom, token_hex
from threading import Condition, Lock, Thread
from time import monotonic
from typing import Any, Self

from ..errors import InvalidArgument, InvalidFile, InvitationSpent, SurveyMismatch
from ..errors.arguments import whole
from .contract import Contract
from .entropy import keyed
from .ledger import Ledger
from .pages import Page
from .posting import OTHER_CONTRACT, Delivery, Post
from .spool import Spool

__all__ = ["Client"]

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 300.0
_SECONDS_AT_EXIT = 2.0
_MOST_NAMED = 10
_INVITATION = re.compile("[A-Za-z0-9_-]{22,128}")
_log = logging.getLogger("privet.client")
_clients: set[Client] = set()


class Client:
    """Sends reports of one survey to a service, in the background.

    Parameters
    ----------
    url : str
        The address of the service.
    survey : Survey, Questionnaire, their JSON, or an id
        What is answered. Of an id, the contract is fetched from the service, which takes a
        `fingerprint`: a service could give each person another contract. Nothing is sent to a
        service whose contract is not this one, byte for byte.
    fingerprint : str, optional
        The contract's, as published; any other contract is refused.
    secret : bytes, optional
        The person's own, at least 16 bytes, never sent: the same answer gives the same report.
    spool : str or path, optional
        A folder for reports until they are sent, by the next client if need be; without one, they
        are in memory alone. A folder is for one service. What is not a report there is skipped.
    ledger : Ledger, optional
        What is charged before a report is queued.
    most : int
        How many reports may wait; more are dropped.
    invitation : str, optional
        What lets one report in, where a survey is for people who were invited. Such a client sends
        one report.

    Attributes
    ----------
    contract : Survey or Questionnaire
        What is answered.
    sent : int
        How many reports the service has taken.
    dropped : int
        How many answers came to nothing here: the queue was full, the ledger could not be written,
        the survey was closed, or the client had ended.
    refused : dict of str to int
        How many reports the service has refused for good, by its reason.
    closed : bool
        Whether the survey takes no more reports, or has another contract at this service.

    """

    contract: Contract

    def __init__(
        self,
        url: str,
        survey: Contract | str,
        *,
        fingerprint: str | None = None,
        secret: bytes | None = None,
        spool: str | PathLike[str] | None = None,
        ledger: Ledger | None = None,
        most: int = 1000,
        invitation: str | None = None,
    ) -> None:
        _check_invitation(invitation)
        self._invited = invitation is not None
        self._post = Post(url, invitation)
        self.contract = _contract_of(self._post, survey, fingerprint)
        self._met = self._used = False
        if secret is not None:
            keyed(secret, b"")  # a secret that is too short is refused now, not by `send`
        elif self.contract.mechanism.needs_secret:
            rule = "given: a permanent response needs one"
            raise InvalidArgument("Client", "secret", rule, secret)
        self._secret, self._ledger, self._spool = secret, ledger, None
        self._most = whole("Client", "most", most, 1)
        self._ended = False
        self._begin()
        if spool is not None:
            self._spool = Spool(spool, self.contract, invitation or "")
            for batch in self._spool.left():
                self._held += 1
                self._used = True
                self._queue_up(batch)
            if skipped := self._spool.skipped:
                names = ", ".join(skipped[:_MOST_NAMED]) + ", …" * (len(skipped) > _MOST_NAMED)
                where = f"the spool {self._spool.folder}"
                self._say(f"Remove what is not a report from {where}: {names}")
        _clients.add(self)

    def _begin(self) -> None:
        """Start with nothing to send; so does the child of a fork, whose parent sends the rest."""
        self._changed, self._inviting = Condition(), Lock()
        self._queue: deque[tuple[str, bytes]] = deque()
        self._held = 0  # reports in the queue, and those that are being made
        self._failures, self._due, self._told = 0, 0.0, 0.0
        self._thread: Thread | None = None
        self.sent = self.dropped = 0
        self.refused: dict[str, int] = {}
        self.closed = False
        self._said: set[str] = set()
        self._post.forget()

    # --- the app's side -----------------------------------------------------------------------

    def draw(self) -> Page:
        """Return the page that this person is to answer; that of a survey is always its own."""
        return self.contract.draw(secret=self._secret)

    def send(self, answer: object, *, page: Page | None = None) -> bool:
        """Randomize an answer and queue its report; return whether it was queued.

        To a questionnaire, answers are a mapping of question ids, and the page is the one that was
        drawn. Raises InvalidAnswer, BudgetSpent where the ledger allows no more, and
        InvitationSpent where there is a report already; whatever else goes wrong is counted and
        logged.
        """
        if not self._invited:
            return self._send(answer, page)
        with self._inviting:
            if self._used:
                raise InvitationSpent(self.contract.id)
            self._used = self._send(answer, page)
            return self._used

    def _send(self, answer: object, page: Page | None) -> bool:
        report, mark = self._randomized(answer, page)
        with self._changed:
            if self.closed or self._ended or self._held >= self._most:
                self._drop(1)
                return False
            self._held += 1
        try:
            if self._ledger is not None:
                self._ledger.charge(self.contract, mark)
        except BaseException as error:
            with self._changed:
                self._held -= 1
                self._changed.notify_all()
            if not isinstance(error, OSError | InvalidFile):
                raise
            self._say(f"The ledger cannot be used: {error}")
            self._drop(1)
            return False
        batch = token_hex(16), report
        if self._spool is not None:
            try:
                self._spool.add(*batch)
            except OSError as error:
                self._say(f"A report is kept in memory alone: {error.strerror}.")
        self._queue_up(batch)
        return True

    def flush(self, timeout: float = 5.0) -> bool:
        """Try now, wait until all is sent or the seconds are over, and return whether it is."""
        with self._changed:
            self._due = min(self._due, self._told)
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._held or self._ended, timeout)
            return not self._held

    def close(self, timeout: float = 5.0) -> bool:
        """Flush and end; what is in a spool is left to the next client."""
        done = self.flush(timeout)
        with self._changed:
            if self._held and self._spool is None and not self._ended:
                self._drop(self._held)
            self._ended = True
            self._changed.notify_all()
        _clients.discard(self)
        if self._thread is not None:
            self._thread.join(1.0)
        return done

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- from answers to batches --------------------------------------------------------------

    def _randomized(self, answer: Any, page: Page | None) -> tuple[bytes, str | None]:
        """Return a report, and what stands for a keyed answer in the ledger."""
        contract, secret = self.contract, self._secret
        page = self.draw() if page is None else page
        value = contract.value(answer, page)
        report = contract.report(value, page, secret)
        if secret is None:
            return report, None
        context = contract.context(value, page)
        text = b"privet ledger " + bytes.fromhex(contract.fingerprint) + context
        return report, digest(secret, text, "sha256").hex()

    def _queue_up(self, batch: tuple[str, bytes]) -> None:
        with self._changed:
            self._queue.append(batch)
            self._changed.notify_all()
            if self._thread is None:
                self._thread = Thread(target=self._run, name="privet-client", daemon=True)
                try:
                    self._thread.start()
                except RuntimeError as error:  # the interpreter ends
                    self._thread = None
                    self._say(f"Reports cannot be sent now: {error}")

    def _drop(self, reports: int) -> None:
        with self._changed:
            self.dropped += reports
        self._say("Reports are dropped; `dropped` says how many.")

    def _say(self, text: str) -> None:
        """Say something once."""
        if text not in self._said:
            self._said.add(text)
            _log.warning("%s: %s", self.contract.id, text)

    # --- the thread's side --------------------------------------------------------------------

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            self._heard(batch, self._meet() or self._post.reports(self.contract, *batch))

    def _meet(self) -> Delivery | None:
        """Return what keeps us from sending, until the service has shown our very contract."""
        verdict = None if self._met else self._post.check(self.contract)
        self._met = verdict is None
        return verdict

    def _next(self) -> tuple[str, bytes] | None:
        """Wait for something to send and the time to send it; None at the end."""
        with self._changed:
            while not self._ended:
                wait = self._due - monotonic()
                if self._queue and wait <= 0:
                    return self._queue[0]
                self._post.close()
                self._changed.wait(wait if self._queue else None)
            self._post.close()
            return None

    def _heard(self, batch: tuple[str, bytes], verdict: Delivery) -> None:
        """Go by what the service said to a batch."""
        if verdict.taken:
            self._settle([batch], None)
        elif verdict.over:
            with self._changed:
                self.closed = True
                waiting = list(self._queue)
            self._settle(waiting, verdict.refusal)
        elif verdict.refusal is not None:
            self._settle([batch], verdict.refusal)
        else:
            if verdict.warning:
                self._say(verdict.warning)
            self._postpone(verdict.wait)

    def _settle(self, batches: list[tuple[str, bytes]], refusal: str | None) -> None:
        """Be done with batches, the first of the queue."""
        for key, _ in batches:
            if self._spool is not None:
                try:
                    self._spool.remove(key)
                except OSError as error:  # at worst, it is sent again and counted once
                    self._say(f"A report stays in the spool: {error.strerror}.")
            with self._changed:
                self._failures = 0
                self._queue.popleft()
                self._held -= 1
                if refusal is None:
                    self.sent += 1
                else:
                    self.refused[refusal] = self.refused.get(refusal, 0) + 1
                self._changed.notify_all()
        if refusal == OTHER_CONTRACT:
            self._say("The service has another contract of this id. Nothing is sent to it.")
        elif refusal is not None:
            self._say(f"The service refuses reports: {refusal}.")

    def _postpone(self, told: float) -> None:
        """Try again later, as much later as the service says and at a time that others do not."""
        with self._changed:
            wait = min(_FIRST_WAIT * 2.0 ** min(self._failures, 20), _LONGEST_WAIT)
            self._failures += 1
            self._queue.rotate(-1)  # what something on the way always blocks holds up no others
            self._told = monotonic() + told
            self._due = self._told + wait * SystemRandom().uniform(0.5, 1)


def _contract_of(post: Post, survey: Contract | str, fingerprint: str | None) -> Contract:
    if isinstance(survey, Contract):
        found = survey
    elif isinstance(survey, str) and survey.lstrip().startswith("{"):
        found = Contract.from_json(survey)
    elif isinstance(survey, str) and fingerprint is not None:
        found = Contract.from_json(post.contract(survey, fingerprint))
    else:
        rule = "a Survey, a Questionnaire, JSON, or an id with a fingerprint"
        raise InvalidArgument("Client", "survey", rule, survey)
    if fingerprint is not None and found.fingerprint != fingerprint:
        raise SurveyMismatch(f"The survey {found.id!r} has the fingerprint {found.fingerprint}.")
    return found


def _check_invitation(invitation: str | None) -> None:
    """Refuse what is no invitation; as it is a secret, it is not to be shown."""
    text = isinstance(invitation, str)
    if invitation is not None and not (text and _INVITATION.fullmatch(invitation)):
        rule = "22 to 128 characters of base64url"
        given = f"{len(invitation)} others" if text else type(invitation)
        raise InvalidArgument("Client", "invitation", rule, given)


@atexit.register
def _at_exit() -> None:
    end = monotonic() + _SECONDS_AT_EXIT
    for client in list(_clients):
        client.close(max(end - monotonic(), 0.0))


def _in_a_child() -> None:
    for client in _clients:
        client._begin()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_in_a_child)
