"""A page to audit, in Chromium: visited as a person does, with everything that leaves it recorded.

A visit is made by a new device. It opens the page, fills it in and sends; then an hour passes on
the page's clock, the person leaves, comes back once, and leaves again. `recorder` has what left the
browser meanwhile, and kept.js reads what remains on the device.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..device.contract import Contract
from ..device.survey import Survey
from ..errors import ClientFailure
from ..errors.extras import require
from .asking import asking_of
from .disguise import Disguise
from .recorder import Recorder, Sent, recording

__all__ = ["KeptOnDevice", "Page", "Visit", "chromium"]

# Milliseconds that pass on a page's clock after its report, with every timer and with each once,
# and seconds of silence that are waited for after each step.
_MINUTE, _HOUR, _STILL = 60_000, 3_600_000, 0.05
_LOOK, _GONE = 0.25, 0.5  # seconds between two looks, and of silence on a page that went elsewhere
_SETTLED = 5.0  # seconds after which a page that is never silent is left
_KEPT = Path(__file__).with_name("kept.js")


class KeptOnDevice(NamedTuple):
    """Something that a device keeps, or that a page shows of itself."""

    kind: str
    where: str
    value: str


@dataclass(frozen=True)
class Visit:
    """What a visit left behind.

    `report` is empty if the page went elsewhere without one. `sent` has everything that left the
    browser, in order, the report's request without its body, and `kinds` what
    Chromium calls a request, by its method and address: "ping" for a beacon, for example.
    """

    report: bytes
    sent: tuple[Sent, ...]
    kept: tuple[KeptOnDevice, ...]
    kinds: dict[tuple[str, str], str]


@dataclass(frozen=True)
class Page:
    """A page in Chromium that asks as `<privet-survey>` does, in groups named by their question.

    Each report is made by a device with nothing on it yet. What a page posts to an address that
    ends in /reports is taken here, and does not reach the service.
    """

    url: str
    survey: Contract
    seconds: float = 30.0

    def reports(self, answers: Sequence[Any]) -> list[bytes]:
        """Return what a new device sends for each answer."""
        return [visit.report for visit in self.visits(answers)]

    def repeats(self, answer: Any, times: int) -> list[bytes]:
        """Return what one device sends when the page is opened again and again.

        A page that asks no more once it has sent a report sends that one alone.
        """
        found: list[bytes] = []
        with self._browser() as (browser, disguise), self._device(browser, disguise) as device:
            while len(found) < times and device.asks():
                device.recorder.forget()
                report = device.answer(answer)
                found.append(report.body if report else b"")
        return found

    def visits(self, answers: Sequence[Any]) -> Iterator[Visit]:
        """Yield a visit by a new device for each answer."""
        with self._browser() as (browser, disguise):
            for answer in answers:
                with self._device(browser, disguise) as device:
                    yield device.visit(answer)

    @contextmanager
    def _browser(self) -> Iterator[tuple[Any, Disguise]]:
        disguise = Disguise()
        switches = [
            # Only the proxy's key, whatever the host, is accepted without a known signature.
            f"--ignore-certificate-errors-spki-list={disguise.fingerprint}",
            # Nothing goes around the proxy: no name is looked up, no datagram is sent.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            # A page should not see at first glance that nobody is there.
            "--disable-blink-features=AutomationControlled",
        ]
        with chromium(f"{self.url} cannot be answered", switches) as browser:
            yield browser, disguise

    @contextmanager
    def _device(self, browser: Any, disguise: Disguise) -> Iterator[_Device]:
        found = {"outcome": "counted", "reports": 1, "survey": self.survey.id}
        found["fingerprint"] = self.survey.fingerprint
        with recording(disguise, json.dumps(found).encode()) as (recorder, proxy):
            context = browser.new_context(
                proxy={"server": proxy}, user_agent=_user_agent(browser.version)
            )
            context.set_default_timeout(1000 * self.seconds)
            try:
                yield _Device(self, context, recorder)
            finally:
                context.close()


class _Device:
    """One person's browser profile, new."""

    def __init__(self, asked: Page, context: Any, recorder: Recorder) -> None:
        self.asked, self.recorder = asked, recorder
        self._context = context
        self._kinds: dict[tuple[str, str], str] = {}
        context.on("request", self._named)
        self._page = context.new_page()
        self._page.clock.install()

    def _named(self, request: Any) -> None:
        self._kinds[request.method, request.url.partition("#")[0]] = request.resource_type

    def visit(self, answer: Any) -> Visit:
        """Answer, wait, leave, come back, and return what was recorded."""
        report = self.answer(answer)
        self._settle("later")
        self._page.clock.run_for(_MINUTE)
        self._page.clock.fast_forward(_HOUR)
        self._settle("later")
        kept = self._kept()
        self._leave("leave")
        self._open("return")
        self._settle("return")
        kept += self._kept()
        self._leave("return")
        # Of the report's request, address and headers count. Its body is the report.
        sent = [replace(one, body=b"") if one is report else one for one in self.recorder.sent]
        body = report.body if report else b""
        return Visit(body, tuple(sent), tuple(dict.fromkeys(kept)), self._kinds)

    def answer(self, answer: Any) -> Sent | None:
        """Open the page, fill it in, and return the report that it posts."""
        self._open("load")
        form, survey = self._form, self.asked.survey
        form.wait_for()
        answers = answer if survey.only is None else {survey.id: answer}
        groups = [(one, _group(form, one)) for one in survey.surveys]
        self.recorder.phase = "fill"
        for one, group in groups:
            if survey.only is not None or group.count():  # else another page has been drawn
                asking_of(one.answers).fill(group, answers.get(one.id))
        self.recorder.phase = "send"
        form.get_by_role("button").click()
        return self._report()

    def _report(self) -> Sent | None:
        """Wait for the report; None if the page has gone elsewhere without one."""
        for _ in range(int(self.asked.seconds / _LOOK) + 1):
            if (report := self.recorder.report(_LOOK)) is not None:
                return report
            self._page.wait_for_timeout(1)  # in which Playwright learns where the page is
            if self._page.url.partition("#")[0] != self.asked.url and self.recorder.silent(_GONE):
                return None
        raise ClientFailure(
            f"{self.asked.url} posted nothing to an address that ends in /reports within "
            f"{self.asked.seconds:g} seconds. The last thing that it sent was "
            f"{self.recorder.sent[-1].method} {self.recorder.sent[-1].url}"
        )

    def asks(self) -> bool:
        """Open the page, and tell whether it asks, or says that it has sent a report."""
        self._open("load")
        return bool(self._form.count())

    @property
    def _form(self) -> Any:
        return self._page.locator("form", has=self._page.get_by_role("group"))

    def _open(self, phase: str) -> None:
        self.recorder.phase = phase
        self._page.goto(self.asked.url)
        self._form.or_(self._page.locator("privet-survey[state=sent]")).wait_for()

    def _leave(self, phase: str) -> None:
        self.recorder.phase = phase
        self._page.goto("about:blank")
        self._settle(phase)

    def _settle(self, phase: str) -> None:
        self.recorder.settle(_STILL, _SETTLED)
        self.recorder.phase = phase

    def _kept(self) -> list[KeptOnDevice]:
        script = _KEPT.read_text()
        frames = [frame for page in self._context.pages for frame in page.frames]
        found = [KeptOnDevice(*one) for frame in frames for one in frame.evaluate(script)]
        for one in self._context.cookies():
            where = f"{one['domain']}{one['path']} {one['name']}"
            found.append(KeptOnDevice("cookie", where, one["value"]))
        return found


@contextmanager
def chromium(what_failed: str, switches: Sequence[str] = ()) -> Iterator[Any]:
    """Start Chromium, the system's or Playwright's; raise ClientFailure if anything goes wrong."""
    playwright = require("playwright.sync_api", "browser", "Auditing in a browser")
    try:
        with playwright.sync_playwright() as started:
            path = shutil.which("chromium")
            yield started.chromium.launch(executable_path=path, args=[*switches])
    except playwright.Error as error:
        said = error.message.strip().splitlines()[0]
        raise ClientFailure(f"{what_failed} in Chromium: {said}") from None


def _user_agent(version: str) -> str:
    """Return what Chromium with a window calls itself, with its minor versions hidden."""
    major = version.partition(".")[0]
    return (
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{major}.0.0.0 Safari/537.36"
    )


def _group(form: Any, survey: Survey) -> Any:
    return form.get_by_role("group", name=survey.question, exact=True)
