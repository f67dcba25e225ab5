"""Pages for people: plain HTML that says what there is, which the scripts beside it bring to life.

Whatever people wrote is escaped where it enters a template, and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import cache, wraps
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..device.contract import Contract
from ..device.survey import Survey
from ..errors import NoSurvey
from . import surveys
from .languages import USUAL, asked, chosen, languages, privacy
from .messages import OneSurvey
from .state import Handler, Service

__all__ = ["HTML", "Html", "answer", "dashboard", "editor", "fill", "page", "results", "settings"]

HTML = "text/html"
_FOLDER = Path(__file__).with_name("templates")
_MOST_NAMES = 50
_SCRIPT = Template('<script type="module" src="$root/static/$name"></script>\n')
_PICTURE = Template('<img src="$root/surveys/$id/estimate.png" alt="The results" class="picture">')
_OWN = Template('<p class="links"><a href="$root/surveys/$id/settings">Share and settings</a></p>')
_LANGUAGE = Template('<a href="?lang=$code" lang="$code" hreflang="$code">$name</a> ')
_INVITED = "The page people see; to answer, each needs an invitation of their own"
_FACT = Template("<dt>$name</dt><dd>$value</dd>")


class Html(str):
    """Text that is HTML already."""


def fill(template: str | Template, **values: object) -> Html:
    """Return a template, by itself or by its file, with values: escaped unless they are HTML."""
    found = _template(template) if isinstance(template, str) else template
    said = {
        name: one if isinstance(one, Html) else escape(str(one)) for name, one in values.items()
    }
    return Html(found.substitute(said))


def page(
    request: Request,
    template: str,
    *,
    title: str,
    scripts: Iterable[str] = (),
    nav: str = "",
    language: str = USUAL,
    status: int = 200,
    **values: object,
) -> Response:
    """Return a page: its template within the layout of all pages."""
    root = request.scope.get("root_path", "")
    parts = [fill(_SCRIPT, root=root, name=name) for name in scripts]
    text = fill(
        "layout.html",
        root=root,
        lang=language,
        title=title,
        scripts=Html("".join(parts)),
        skip=languages()[language]["skip"] if template == "answer.html" else "Skip to the page",
        nav=fill(nav, root=root) if nav else "",
        kind=template.removesuffix(".html"),
        main=fill(template, root=root, **values),
    )
    return Response(text, status, {"Cache-Control": "no-store"}, HTML)


@cache
def _template(name: str) -> Template:
    return Template((_FOLDER / name).read_text("utf-8"))


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
    root = request.scope.get("root_path", "")
    rows = Html("".join(_row(one, root) for one in reversed(found)))
    many = f"{len(found):,} survey{'' if len(found) == 1 else 's'}"
    shown = fill("surveys.html", rows=rows, many=many) if found else fill("empty.html", root=root)
    return page(
        request, "dashboard.html", title="Surveys", scripts=["dashboard.js"], nav="nav.html",
        surveys=shown,
    )  # fmt: skip


def _row(one: OneSurvey, root: str) -> Html:
    return fill(
        "survey.html",
        root=root,
        id=one.id,
        title=one.title,
        reports=f"{one.reports:,}",
        word="report" if one.reports == 1 else "reports",
        state="open" if one.open else "closed",
        since=one.since if one.open else one.closed or "",
        invited=Html('<span class="tag">by invitation</span>') if one.settings.invited else "",
        hidden=Html("hidden") if not one.open else "",
    )


@_administrators
async def editor(service: Service, request: Request) -> Response:
    """Return a page to make a survey."""
    return page(
        request, "editor.html", title="New survey", scripts=["editor.js"], nav="nav.html",
    )  # fmt: skip


@_administrators
async def settings(service: Service, request: Request, id: str) -> Response:
    """Return a page for a survey's links, invitations and settings."""
    try:
        one = await asyncio.to_thread(surveys.one, service, id)
    except NoSurvey as error:
        return _missing(request, error)
    kept = one.settings
    return page(
        request, "settings.html", title=one.title, scripts=["settings.js"], nav="nav.html",
        id=one.id, heading=one.title, state="open" if one.open else "closed", since=one.since,
        invited=Html("checked") if kept.invited else "",
        never=Html("checked") if kept.public_from is None else "",
        from_some=Html("checked") if kept.public_from is not None else "",
        public_from=kept.public_from or 0, origins="\n".join(kept.origins),
        share=_INVITED if kept.invited else "Anyone with this link can answer, once per device",
        kept="Counts alone" if kept.counts_only else "Reports and counts",
        closing=Html("hidden") if not one.open else "",
    )  # fmt: skip


# --- everyone's pages -----------------------------------------------------------------------------


async def results(service: Service, request: Request, id: str) -> Response:
    """Return a page that shows what the reports say, as they come."""
    try:
        contract = await service.contract(id)
        is_open = (await asyncio.to_thread(service.store.get, id)).open
    except NoSurvey as error:
        return _missing(request, error)
    admin, root = await service.is_admin(request), request.scope.get("root_path", "")
    return page(
        request, "results.html", title=contract.heading, scripts=["results.js"],
        nav="nav.html" if admin else "",
        id=id, heading=contract.heading, epsilon=f"{contract.epsilon:g}",
        privacy=privacy(contract.epsilon), fingerprint=contract.fingerprint,
        state="open" if is_open else "closed",
        picture="" if contract.only is None else fill(_PICTURE, root=root, id=id),
        own=fill(_OWN, root=root, id=id) if admin else "",
    )  # fmt: skip


async def answer(service: Service, request: Request, id: str) -> Response:
    """Return the page on which people answer."""
    language = chosen(request)
    try:
        contract = await service.contract(id)
        is_open = (await asyncio.to_thread(service.store.get, id)).open
    except NoSurvey as error:
        return _missing(request, error, language)
    words, root = languages()[language], request.scope.get("root_path", "")
    count = len(contract.surveys)
    links = "".join(
        fill(_LANGUAGE, code=code, name=other["name"])
        for code, other in languages().items()
        if code != language
    )
    mark, how_many = contract.fingerprint, "one" if count == 1 else "many"
    form = "ask.html" if is_open else "closed.html"
    values: dict[str, Any] = {
        **words,
        "id": id,
        "heading": contract.heading,
        "privacy": privacy(contract.epsilon, language),
        "asked": words["asked"].format(host=request.url.netloc),
        "one_of": words["one_of"].format(count=count) if count > 1 else "",
        "survey": fill(form, root=root, id=id, mark=mark, count=how_many, **words),
        "facts": _facts(contract, words),
        "languages": Html(links),
    }
    scripts = ["answer.js", "privet-survey.js"] if is_open else []
    return page(
        request, "answer.html", title=contract.heading, language=language, scripts=scripts, **values
    )


def _facts(contract: Contract, words: dict[str, str]) -> Html:
    """Return all that a contract says, as a list of terms."""
    rows: list[tuple[str, object]] = []
    for one in contract.surveys:
        rows += [(words["question"], one.question), (words["answers"], _answers(one, words))]
    mechanism = "Questionnaire" if contract.only is None else repr(contract.mechanism)
    rows += [
        ("ε", f"{contract.epsilon:g}"),
        (words["mechanism"], mechanism),
        (words["size"], contract.mechanism.report_bytes),
        (words["fingerprint"], contract.fingerprint),
    ]
    return Html("".join(fill(_FACT, name=name, value=value) for name, value in rows))


def _answers(survey: Survey[Any], words: dict[str, str]) -> Html:
    """Return what can be answered, in a sentence and perhaps a list."""
    rule, listed = escape(asked(survey.answers, words)), survey.answers.listed
    if not listed:
        return Html(rule)
    names = list(listed[:_MOST_NAMES])
    if more := len(listed) - len(names):
        names.append(words["more"].format(count=more))
    return Html(f"{rule}:<ul>{''.join(f'<li>{escape(name)}</li>' for name in names)}</ul>")


def _missing(request: Request, error: NoSurvey, language: str = USUAL) -> Response:
    words = languages()[language]
    return page(
        request, "missing.html", title=words["missing_title"], language=language,
        status=410 if error.gone else 404,
        missing_title=words["missing_title"], missing=words["missing"],
    )  # fmt: skip
