"""What requests share: the store, what this process remembers of surveys, and room for bodies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import inf
from time import monotonic
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from ..device.contract import Contract
from ..store import Store
from .access import is_admin, may_be_admin
from .bodies import Rooms
from .estimating import Estimates, Files
from .gathering import Gathering
from .limits import RateLimit
from .metrics import Metrics
from .problems import Problem
from .settings import Settings
from .visibility import Visibility

__all__ = ["Handler", "Service"]

# Takes the service, the request, and by their names the parts of the path that are in braces.
Handler = Callable[..., Awaitable[Response]]

_MOST_KEPT = 256
_FRESH_SECONDS = 5.0
T = TypeVar("T")


class Service:
    """What all requests share. A contract never changes, so that it is read once."""

    def __init__(
        self, store: Store, defaults: Settings, per_minute: int, openapi: dict[str, Any]
    ) -> None:
        self.store, self.metrics, self.rooms = store, Metrics(), Rooms()
        self.gathering = Gathering(store, self.metrics)
        self.limit = RateLimit(per_minute)
        self.defaults = defaults
        self.openapi = openapi
        self.estimates, self.files = Estimates(store), Files()
        self.visibility = Visibility(store)
        self.reading: asyncio.Task[bytes | None] | None = None  # whether the store can be read
        self._contracts: dict[str, Contract] = {}
        self._settings: dict[str, tuple[float, Settings]] = {}

    async def contract(self, id: str) -> Contract:
        """Return a survey's contract; whether it is open or deleted, the store knows."""
        found = self._contracts.get(id)
        if found is None:
            entry = await asyncio.to_thread(self.store.get, id)
            found = await asyncio.to_thread(lambda: Contract.from_json(entry.contract))
            _keep(self._contracts, id, found)
        return found

    async def settings(self, id: str) -> Settings:
        """Return a survey's settings, as of some seconds ago where another process changed them."""
        read, found = self._settings.get(id, (-inf, Settings()))
        if monotonic() > read + _FRESH_SECONDS:
            entry = await asyncio.to_thread(self.store.get, id)
            found = Settings.read(entry.settings)
            _keep(self._settings, id, (monotonic(), found))
        return found

    async def is_admin(self, request: Request) -> bool:
        """Tell whether a request is the administrator's."""
        return may_be_admin(request) and await asyncio.to_thread(is_admin, request, self.store)

    async def check_visible(self, request: Request, id: str) -> None:
        """Refuse requests for results that are not public, before any report is read."""
        least = (await self.settings(id)).public_from
        if least is not None and await self.visibility.reached(id, least):
            return
        if not await self.is_admin(request):
            when = "never public" if least is None else f"public from {least:,} reports on"
            raise Problem(403, "private", f"The results of this survey are {when}.")

    def forget(self, id: str) -> None:
        """Read a survey's settings and reports anew."""
        self._settings.pop(id, None)
        self.estimates.forget(id)
        self.visibility.forget(id)


def _keep(kept: dict[str, T], id: str, value: T) -> None:
    """Keep something of a survey, and not of too many."""
    if len(kept) >= _MOST_KEPT:
        kept.pop(next(iter(kept)))
    kept[id] = value
