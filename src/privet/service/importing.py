"""Reports of a file into a survey: of another server's, say, or of an app that was offline."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.requests import Request
from starlette.responses import Response

from ..bulk import read_reports, tally_files
from ..device.contract import Contract
from ..errors import PrivetError
from ..store import EXEMPT, Arrival, Outcome
from .bodies import media_type
from .ingest import refusal
from .messages import Imported
from .problems import Problem
from .replies import json_reply
from .state import Service

__all__ = ["PARQUET", "import_reports"]

PARQUET = "application/vnd.apache.parquet"
_MOST_BYTES = 1 << 30


async def import_reports(service: Service, request: Request, id: str) -> Response:
    """Count the reports of a reports file; a file that comes again is not counted again."""
    media_type(request, PARQUET)
    contract = await service.contract(id)
    with TemporaryDirectory(prefix="privet-") as folder:
        path = Path(folder, "reports.parquet")
        digest = await _received(request, path)
        done = await asyncio.to_thread(_imported, service, contract, path, digest)
    service.visibility.forget(id)
    return json_reply(done)


async def _received(request: Request, path: Path) -> bytes:
    """Write the body to a file, piece by piece; return its hash."""
    size, digest = 0, sha256()
    with path.open("wb") as file:
        async for piece in request.stream():
            size += len(piece)
            if size > _MOST_BYTES:
                raise Problem(413, "too-large", f"A file has at most {_MOST_BYTES:,} bytes.")
            digest.update(piece)
            await asyncio.to_thread(file.write, piece)
    return digest.digest()


def _check(path: Path, contract: Contract) -> None:
    """Refuse a file that has anything but this survey's reports, before any is counted."""
    try:
        tally_files(path, contract)
    except PrivetError as error:
        detail = str(error).replace(str(path), "The file")
        raise Problem(400, "invalid-file", detail) from None


def _imported(service: Service, contract: Contract, path: Path, digest: bytes) -> Imported:
    """Add the reports, part by part; each has a key of the file's, so that it counts once."""
    _check(path, contract)
    done, id = Imported(0, 0), contract.id
    for part, reports in enumerate(read_reports(path, contract)):
        key = sha256(b"import %d %s" % (part, digest)).digest()
        seal = sha256(key + reports.tobytes()).digest()
        (outcome,) = service.store.add([Arrival(id, key, seal, reports.tobytes(), EXEMPT)])
        if outcome is Outcome.COUNTED:
            done.counted += len(reports)
        elif outcome is Outcome.ALREADY:
            done.already += len(reports)
        else:
            raise refusal(id, outcome)
    service.store.fold(id)
    return done
