"""The parts of a visit to a page: whatever left the browser or stayed on the device, by name.

A part is named by its kind and its place, such as ("query parameter", "answer of GET
https://example.org/log"). Its values are texts, in the order in which they appeared; a part that a
visit did not have has no values there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from .browsing import Visit
from .recorder import Sent

__all__ = ["Part", "Value", "parts_of"]

# What the kinds of requests that Chromium names, or the header Sec-Fetch-Dest, are called here.
_KINDS = {
    "ping": "beacon", "document": "navigation", "iframe": "navigation", "xhr": "request",
    "fetch": "request", "other": "request", "empty": "request", "eventsource": "EventSource",
    "websocket": "WebSocket", "style": "stylesheet", "CONNECT": "connection",
    "MESSAGE": "WebSocket message",
}  # fmt: skip
# What is kept or sent under names that a page can choose.
_NAMED = {"localStorage", "sessionStorage", "IndexedDB", "Cache", "file", "cookie", "header"}
_FEW = 5  # so few visits are hardly ever significant
_STEPS = {"fill", "send", "later", "leave"}  # when the order of requests is compared


class Part(NamedTuple):
    """The kind of a part, and its place; `owner` is the place of the request that it belongs to."""

    kind: str
    where: str
    owner: str = ""


class Value(NamedTuple):
    """What a part was, and when in the visit it was seen."""

    text: str
    phase: str


def parts_of(visits: Sequence[Visit]) -> dict[Part, list[tuple[Value, ...]]]:
    """Return each part's values in each visit.

    A path, host or name that few visits have, such as a random key of localStorage, is "…" in the
    place of its part and is in the part's value instead, because only parts of many visits can be
    compared.
    """
    labels = _labels(visits)
    every = {
        label
        for label in {*labels.values()}
        if all(any(labels[_address(one)] == label for one in visit.sent) for visit in visits)
    }
    found: dict[Part, list[list[Value]]] = {}
    kinds = _kinds(visits, labels)
    for number, visit in enumerate(visits):
        for part, value in _of(visit, labels, kinds, every):
            rows = found.setdefault(part, [[] for _ in visits])
            rows[number].append(value)
    for part in [one for one, rows in found.items() if sum(map(bool, rows)) < _FEW]:
        _join(found, part)
    return {part: [tuple(row) for row in rows] for part, rows in found.items()}


def _join(found: dict[Part, list[list[Value]]], part: Part) -> None:
    """Join a part of few visits with all others of its kind whose names are as rare."""
    if part.kind not in _NAMED:
        return
    if part.owner:
        name, where = part.where.removesuffix(f" of {part.owner}"), f"… of {part.owner}"
    else:
        origin, _, name = part.where.partition(" ")
        where = f"{origin} …"
    rows = found.setdefault(Part(part.kind, where, part.owner), [[] for _ in found[part]])
    for row, values in zip(rows, found.pop(part), strict=True):
        row += [Value(f"{name}={value.text}", value.phase) for value in values]


def _of(
    visit: Visit,
    labels: dict[tuple[str, str], str],
    kinds: dict[str, str],
    every: set[str],
) -> Iterator[tuple[Part, Value]]:
    order = []
    for one in visit.sent:
        label = labels[_address(one)]
        for part, text in _of_sent(one, label, kinds[label]):
            yield part, Value(text, one.phase)
        if label in every and one.phase in _STEPS:
            order.append(label)
    yield Part("order of requests", "once the page is open"), Value(" → ".join(order), "leave")
    for kept in visit.kept:
        yield Part(kept.kind, kept.where), Value(kept.value, "return")


def _of_sent(one: Sent, label: str, kind: str) -> Iterator[tuple[Part, str]]:
    """Yield the parts of one request, connection or message."""
    body = one.body.decode("utf-8", "surrogateescape")
    if one.method == "MESSAGE":
        yield Part(kind, label), body
        return
    parts = urlsplit(one.url)
    yield Part(kind, label), parts.path if parts.netloc in label else parts.netloc + parts.path
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        yield Part("query parameter", f"{name} of {label}", label), value
    if parts.query:
        yield Part("query", label, label), parts.query
    for name, value in one.headers:
        if name.lower() == "cookie":
            for cookie, text in _cookies(value):
                yield Part("cookie", f"{cookie} of {label}", label), text
        else:
            yield Part("header", f"{name} of {label}", label), value
    if one.headers:
        yield Part("headers' names", label, label), ", ".join(name for name, _ in one.headers)
    if body:
        yield Part(f"body of a {kind}", label, label), body
        for name, value in _fields(body):
            yield Part(f"body of a {kind}", f"{name} of {label}", label), value


def _cookies(header: str) -> list[tuple[str, str]]:
    try:
        return [(name, one.value) for name, one in SimpleCookie(header).items()]
    except CookieError:
        return [("", header)]


def _fields(body: str) -> list[tuple[str, str]]:
    """Return the fields of a JSON object or of a form."""
    try:
        found = json.loads(body)
    except ValueError:
        return parse_qsl(body) if body.isascii() and "=" in body else []
    if not isinstance(found, dict):
        return []
    return [(name, json.dumps(value, ensure_ascii=False)) for name, value in found.items()]


# --- names of requests ----------------------------------------------------------------------------


def _address(one: Sent) -> tuple[str, str]:
    parts = urlsplit(one.url)
    scheme = f"{parts.scheme}://" if parts.scheme else ""
    return f"{one.method} {scheme}{parts.netloc}", parts.path


def _labels(visits: Sequence[Visit]) -> dict[tuple[str, str], str]:
    """Return a name for each method and address, without a path or host that few visits have."""
    few = min(_FEW, len(visits))
    addresses = [{_address(one) for one in visit.sent} for visit in visits]
    seen = Counter(address for some in addresses for address in some)
    places = Counter(place for some in addresses for place in {place for place, _ in some})
    labels = {}
    for (place, path), count in seen.items():
        method, _, host = place.partition(" ")
        if count >= few:
            label = place + path
        elif places[place] >= few:
            label = f"{place}/…"
        else:
            label = f"{method} {''.join(host.rpartition('//')[:2])}…"
        labels[place, path] = label
    return labels


def _kinds(visits: Sequence[Visit], labels: dict[tuple[str, str], str]) -> dict[str, str]:
    """Return the commonest kind of each name; Chromium does not name requests of lost pages."""
    found: dict[str, Counter[str]] = {}
    for visit in visits:
        for one in visit.sent:
            kinds = found.setdefault(labels[_address(one)], Counter())
            kinds[_kind(one, visit.kinds)] += 1
    return {
        label: min(kinds, key=lambda kind: (kind == "request", -kinds[kind]))
        for label, kinds in found.items()
    }


def _kind(one: Sent, kinds: dict[tuple[str, str], str]) -> str:
    headers = {name.lower(): value for name, value in one.headers}
    if one.method in _KINDS:
        return _KINDS[one.method]
    said = kinds.get((one.method, one.url))
    if said is None and one.method == "POST" and headers.get("sec-fetch-mode") == "no-cors":
        return "beacon"
    said = said or headers.get("sec-fetch-dest", "other")
    return _KINDS.get(said, said)
