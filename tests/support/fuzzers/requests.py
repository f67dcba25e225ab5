"""Requests of every kind to the application itself, without a socket.

They are of the bytes that a server's parser lets through: ASCII in the target, and no control
characters in headers.
"""

import asyncio
import json
import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote_to_bytes

from fuzzers import Choices, Target, edited
from fuzzers.contracts import BOTH, DRAFTS, HOW, TEXTS, TOML, WHICH
from fuzzers.files import ARROW
from privet.service.access import hashed
from privet.service.app import make_app
from privet.service.headers import below, named
from privet.service.routes import ROUTES
from privet.store import open_store

TOKEN = "t" * 22
KINDS = sorted({kind for row in ROUTES for kind in row.takes})
PATHS = list(dict.fromkeys(row.path for row in ROUTES))
BODIES = [(row.method, row.path, kind) for row in ROUTES for kind in row.takes]
IDS = [WHICH.id, HOW.id, BOTH.id, "closed", "%64oomed", "none", "", "..", "%00", "%ff"]
KEYS = [
    "Content-Length",
    "Idempotency-Key",
    "Invitation",
    "Origin",
    "Host",
    "Accept-Language",
    "If-None-Match",
]
QUERIES = [b"", b"people=7", b"invited=true&public_from=5", b"question=which", b"key=" + b"k" * 22]
DOCUMENTS = [
    *TEXTS,
    *DRAFTS,
    '{"reports": ["AA", "AQ"]}',
    '{"count": 3}',
    '{"invited": false, "public_from": 5, "origins": ["https://a.example"]}',
]


class _Application:
    """The application over a store with surveys in it, and a loop that runs it."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="privet-fuzz-")
        self._store = open_store(Path(self._folder.name, "s.db"))
        self._store.set_token(hashed(TOKEN))
        self._app = named(below(make_app(self._store), "/p"), {"a.example", ""})
        self._loop = asyncio.new_event_loop()
        self._begun, self._ends = asyncio.Event(), asyncio.Event()
        self._running = self._loop.create_task(self._live())
        self._loop.run_until_complete(self._begun.wait())
        for one in (WHICH, HOW, BOTH):
            body = one.to_json().encode()
            assert self.ask("POST", b"/surveys", body=body, headers=ADMIN) in (200, 201)
        other = WHICH.to_json().replace('"which"', '"closed"').encode()
        assert self.ask("POST", b"/surveys", body=other, headers=ADMIN) == 201
        assert self.ask("POST", b"/surveys/closed/close", headers=ADMIN) == 200

    async def _live(self) -> None:
        async def receive():
            if not self._begun.is_set():
                return {"type": "lifespan.startup"}
            await self._ends.wait()
            return {"type": "lifespan.shutdown"}

        async def send(message):
            self._begun.set()

        await self._app({"type": "lifespan"}, receive, send)

    def end(self) -> None:
        """Stop it, throw its store away, and let others log again."""
        LOG.setLevel(logging.NOTSET)
        self._ends.set()
        self._loop.run_until_complete(self._running)
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
        self._store.__exit__(None, None, None)
        self._folder.cleanup()

    def ask(self, method, raw, query=b"", body=b"", headers=()) -> int:
        """Return the status that a request gets."""
        messages = [
            {"type": "http.request", "body": body[:20], "more_body": True},
            {"type": "http.request", "body": body[20:]},
        ]
        sent = []

        async def receive():
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http", "method": method, "raw_path": raw, "query_string": query,
            "path": unquote_to_bytes(raw).decode("utf-8", "replace"), "headers": [*headers],
            "scheme": "http", "http_version": "1.1", "client": ("127.0.0.1", 1), "root_path": "",
            "server": ("127.0.0.1", 1),
        }  # fmt: skip
        self._loop.run_until_complete(self._app(scope, receive, send))
        status = sent[0]["status"] if sent else 0
        assert status < 500, (status, method, raw, query, headers, body, sent[1:])
        return status


ADMIN = (
    (b"authorization", b"Bearer " + TOKEN.encode()),
    (b"content-type", b"application/json"),
    (b"host", b"a.example"),
)
APPLICATION: list[_Application] = []
LOG = logging.getLogger("privet")


def _ask(method, path, *more, **options) -> None:
    if not APPLICATION:
        LOG.setLevel(logging.CRITICAL)
        APPLICATION.append(_Application())
    if method == "DELETE" or path.endswith(b"/close"):  # or soon there would be none
        path = b"/surveys/closed/close"
    APPLICATION[0].ask(method, path, *more, **options)


def _ascii(data: bytes) -> bytes:
    return bytes(one for one in data if 0x20 < one < 0x7F)


def _shown(data: bytes) -> bytes:
    return bytes(one for one in data if one >= 0x20 and one != 0x7F)


def _placed(path: str, choices: Choices) -> bytes:
    for name in ("{id}", "{ending}", "{name}"):
        if name in path:
            some = IDS if name == "{id}" else ["csv", "json", "png", "html", "privet.js", "x"]
            path = path.replace(name, choices.of(some))
    return path.encode()


def request(data: bytes) -> None:
    """Ask anything: any method and path, with any query, headers and cookie."""
    choices = Choices(data)
    method = choices.of(["GET", "POST", "PATCH", "HEAD", "OPTIONS", "PUT", "DELETE", "\xe9"])
    path = _placed(choices.of(PATHS), choices)
    if choices.below(8) == 0:
        path = b"/" + _ascii(choices.bytes(choices.below(32)).replace(b"?", b""))
    query = choices.of(QUERIES) or _ascii(choices.bytes(choices.below(32)))
    headers = [(b"host", b"a.example")]
    if choices.below(4) == 0:
        headers += [(b"cookie", b"privet=" + _shown(choices.bytes(choices.below(48))))]
    elif choices.below(4):
        headers += [ADMIN[0]]
    headers += [(b"content-type", choices.of(KINDS).encode())]
    for _ in range(choices.below(4)):
        value = _shown(choices.bytes(choices.below(64)))
        headers += [(choices.of(KEYS).lower().encode(), value)]
    _ask(method, path, query, choices.bytes(), headers)


def body(data: bytes) -> None:
    """Send a body where one is taken: of any bytes, or a document with a few changes."""
    choices = Choices(data)
    method, path, kind = choices.of(BODIES)
    where = _placed(path, choices)
    headers = [ADMIN[0], ADMIN[2], (b"content-type", kind.encode())]
    if choices.below(2):
        headers.append((b"idempotency-key", choices.bytes(choices.below(24)).hex().encode()))
    own = choices.below(3)
    if own == 0 and kind.endswith("json"):
        sent = edited(DOCUMENTS, choices).encode()
    elif own == 1:
        sent = json.dumps({"reports": [choices.bytes(2).hex() for _ in range(choices.below(40))]})
        sent = sent.encode()
    else:
        sent = choices.bytes()
    _ask(method, where, b"", sent, headers)


TARGETS = {
    "requests": Target(
        request, [bytes([i % 2, i, 0, 1, 0, 1, 1, i, 0]) for i in range(len(PATHS))], 512
    ),
    "bodies": Target(
        body,
        [
            *(bytes([i, j, 0, j]) + b"\0\1\3" for i in range(len(BODIES)) for j in (0, 2)),
            *(bytes([i, 0, 0, 2]) + one for i in range(len(BODIES)) for one in (TOML, ARROW[0])),
        ],
        2048,
    ),
}
