"""Estimates as files: a table for spreadsheets, and pictures."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from . import estimates
from .estimate_files import KINDS
from .problems import Problem
from .replies import had
from .state import Service

__all__ = ["download"]


async def download(service: Service, request: Request, id: str, ending: str) -> Response:
    """Return the estimate as CSV, SVG or PNG: of a questionnaire, one question's or table's."""
    if ending not in KINDS:
        raise Problem(404, "nowhere", f"An estimate is a file that ends in {', '.join(KINDS)}.")
    asked = request.query_params.getlist("question")
    await service.check_visible(request, id)
    tally = await asyncio.to_thread(service.store.tally, id)
    tag = f'{estimates.tag(tally)[:-1]}-{ending}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if had(request, tag):
        return Response(status_code=304, headers=headers)
    body = await service.files.of(tally, asked, ending)
    name = "-".join([id, *asked])  # which are ids, as there is a file
    headers["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return Response(body, headers=headers, media_type=KINDS[ending])
