"""Pages for people: plain HTML that says what there is, which the scripts beside it bring to life.

Templates are Jinja's, which escapes what people wrote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import wraps

from jinja2 import Environment, PackageLoader
from starlette.requests import Request
from starlette.responses import Response

from ..device.contract import Contract
from ..errors import NoSurvey
from . import surveys
from .languages import USUAL, asked, chosen, languages, privacy
from .state import Handler, Service

__all__ = ["HTML", "answer", "dashboard", "editor", "page", "results", "settings"]

HTML = "text/html"
_MOST_NAMES = 50
Fact = tuple[str, object, list[str]]
_TEMPLATES = Environment(
    loader=PackageLoader("privet.service"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)


def page(
    request: Request,
    template: str,
    *,
    title: str,
    scripts: Iterable[str] = (),
    nav: bool = False,
    language: str = USUAL,
    status: int = 200,
    **values: object,
) -> Response:
    """Return a page of a template, which extends the layout of all pages."""
    text = _TEMPLATES.get_template(f"{template}.html").render(
        values,
        root=request.scope.get("root_path", ""),
        lang=language,
        title=title,
        scripts=scripts,
        skip=languages()[language]["skip"] if template == "answer" else "Skip to the page",
        nav=nav,
        kind=template,
    )
    return Response(text, status, {"Cache-Control": "no-store"}, HTML)


# --- the administrator's pages --------------------------------------------------------------------


def _administrators(handler: Handler) -> Handler:
    """Lead whoever is not the administrator to the login."""

    @wraps(handler)
    async def guarded(service: Service, request: Request, **names: str) -> Response:
        if not await service.is_admin(request):
            place = request.scope.get("root_path", "") + "/login"
            return Response(status_code=303, headers={"Location": place})
        return await handler(service, request, **names)

    return guarded


@_administrators
async def dashboard(service: Service, request: Request) -> Response:
    """Return a page of all surveys."""
    found = await asyncio.to_thread(surveys.every, service)
    many = f"{len(found):,} survey{'' if len(found) == 1 else 's'}"
    return page(
        request, "dashboard", title="Surveys", scripts=["dashboard.js"], nav=True,
        surveys=found[::-1], many=many,
    )  # fmt: skip


@_administrators
async def editor(service: Service, request: Request) -> Response:
    """Return a page to make a survey."""
    return page(request, "editor", title="New survey", scripts=["editor.js"], nav=True)


@_administrators
async def settings(service: Service, request: Request, id: str) -> Response:
    """Return a page for a survey's links, invitations and settings."""
    try:
        one = await asyncio.to_thread(surveys.one, service, id)
    except NoSurvey as error:
        return _missing(request, error)
    return page(request, "settings", title=one.title, scripts=["settings.js"], nav=True, one=one)


# --- everyone's pages -----------------------------------------------------------------------------


async def results(service: Service, request: Request, id: str) -> Response:
    """Return a page that shows what the reports say, as they come."""
    try:
        contract = await service.contract(id)
        is_open = (await asyncio.to_thread(service.store.get, id)).open
    except NoSurvey as error:
        return _missing(request, error)
    return page(
        request, "results", title=contract.heading, scripts=["results.js"],
        nav=await service.is_admin(request),
        id=id, heading=contract.heading, privacy=privacy(contract.epsilon),
        fingerprint=contract.fingerprint, state="open" if is_open else "closed",
        pictured=contract.only is not None,
    )  # fmt: skip


async def answer(service: Service, request: Request, id: str) -> Response:
    """Return the page on which people answer."""
    language = chosen(request)
    try:
        contract = await service.contract(id)
        is_open = (await asyncio.to_thread(service.store.get, id)).open
    except NoSurvey as error:
        return _missing(request, error, language)
    words, count = languages()[language], len(contract.surveys)
    return page(
        request, "answer", title=contract.heading, language=language,
        scripts=["answer.js", "privet-survey.js"] if is_open else [],
        words=words, open=is_open, id=id, heading=contract.heading, mark=contract.fingerprint,
        count="one" if count == 1 else "many",
        privacy=privacy(contract.epsilon, language),
        asked=words["asked"].format(host=request.url.netloc),
        one_of=words["one_of"].format(count=count) if count > 1 else "",
        facts=[*_facts(contract, words)],
        languages=[(code, one["name"]) for code, one in languages().items() if code != language],
    )  # fmt: skip


def _facts(contract: Contract, words: dict[str, str]) -> Iterator[Fact]:
    """Yield all that a contract says: a name, a value, and perhaps a list."""
    for one in contract.surveys:
        yield words["question"], one.question, []
        yield words["answers"], asked(one.answers, words), _listed(one.answers.listed, words)
    mechanism = "Questionnaire" if contract.only is None else repr(contract.mechanism)
    yield "ε", f"{contract.epsilon:g}", []
    yield words["mechanism"], mechanism, []
    yield words["size"], contract.mechanism.report_bytes, []
    yield words["fingerprint"], contract.fingerprint, []


def _listed(names: Sequence[str], words: dict[str, str]) -> list[str]:
    """Return the first names, and how many more there are."""
    more = len(names) - _MOST_NAMES
    rest = [words["more"].format(count=more)] if more > 0 else []
    return [*names[:_MOST_NAMES], *rest]


def _missing(request: Request, error: NoSurvey, language: str = USUAL) -> Response:
    words = languages()[language]
    return page(
        request, "missing", title=words["missing_title"], language=language,
        status=410 if error.gone else 404, words=words,
    )  # fmt: skip
