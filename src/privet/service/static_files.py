"""The files of the pages: scripts, the stylesheet, the icon. There are no others under /static/."""

from __future__ import annotations

import gzip
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from .problems import Problem
from .replies import had
from .state import Service

__all__ = ["KINDS", "files", "static_file"]

KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_FOLDER = Path(__file__).with_name("static")
# The module scripts of the survey's element, which pages of others embed.
_SHARED = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}


class File(NamedTuple):
    """A file, as it is and packed."""

    body: bytes
    packed: bytes
    kind: str
    headers: dict[str, str]


@cache
def files() -> dict[str, File]:
    """Return the files by name, read once."""
    found = {}
    for path in sorted(_FOLDER.iterdir()):
        if path.suffix in KINDS:
            body = path.read_bytes()
            tag = f'"{sha256(body).hexdigest()[:32]}"'
            headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
            if path.suffix == ".js" and path.stem.startswith(("privet", "messages")):
                headers |= _SHARED
            packed = gzip.compress(body, mtime=0)
            found[path.name] = File(body, packed, KINDS[path.suffix], headers)
    return found


async def static_file(service: Service, request: Request, name: str) -> Response:
    """Return a file of the pages."""
    file = files().get(name)
    if file is None:
        raise Problem(404, "nowhere", "There is no such file.")
    if had(request, file.headers["ETag"]):
        return Response(status_code=304, headers=file.headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers = file.headers | {"Content-Encoding": "gzip"}
        return Response(file.packed, headers=headers, media_type=file.kind)
    return Response(file.body, headers=file.headers, media_type=file.kind)
