"""Files that people have and that are not read here, each with what to do about it."""

from __future__ import annotations

import re
from typing import NoReturn

from ...errors import InvalidFile
from .source import Source

_ADVICE = {
    rb"FEA1": "a Feather file of the old version 1; save it as version 2",
    rb"\xff\xfe|\xfe\xff": "text in UTF-16; save it as UTF-8",
    rb"\s*\[\s*[{\]]": "a JSON array; write one object a line, as jq -c '.[]' does",
}


def recognizes(start: bytes) -> bool:
    """Return whether there is advice about a file that begins like this."""
    return any(re.match(pattern, start) for pattern in _ADVICE)


def open_table(source: Source) -> NoReturn:
    """Refuse the file with the advice."""
    advice = next(text for pattern, text in _ADVICE.items() if re.match(pattern, source.start))
    raise InvalidFile(f"{source.name}: {advice}.")
