"""What the service says of itself."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from . import metrics
from .messages import Status
from .problems import busy
from .replies import json_reply
from .state import Service

_READY_SECONDS = 3.0


async def alive(service: Service, request: Request) -> Response:
    """Say that the process runs."""
    return json_reply(Status())


async def ready(service: Service, request: Request) -> Response:
    """Say that the store can be read, or after some seconds that it cannot."""
    task = service.reading
    if task is None or task.done():  # so that only one waits for a database that is frozen
        task = service.reading = asyncio.create_task(asyncio.to_thread(service.store.token))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        async with asyncio.timeout(_READY_SECONDS):
            await asyncio.shield(task)
    except TimeoutError:
        raise busy("The store does not answer.") from None
    return json_reply(Status())


async def measured(service: Service, request: Request) -> Response:
    """Return counts of what the service does."""
    waiting = await asyncio.to_thread(service.store.inbox_bytes)
    return Response(service.metrics.text(waiting), media_type=metrics.MEDIA_TYPE)


async def described(service: Service, request: Request) -> Response:
    """Return the description of all this."""
    servers = [{"url": request.scope["root_path"] or "/"}]
    return json_reply(service.openapi | {"servers": servers})
