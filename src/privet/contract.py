"""A survey's JSON: the fields in canonical order, and how they are read and written.

Version 2 is what privet writes. Version 1 lacks the field `stream`: its keyed reports are drawn
from AES-256-CTR. A survey keeps the version it was read with, because its canonical text, and so
its fingerprint and its keyed reports, must never change.
"""

from __future__ import annotations

import json
from types import SimpleNamespace

from .entropy import AES_256_CTR, HMAC_SHA256
from .errors import InvalidSurvey
from .mechanisms.registry import by_name

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from .mechanisms.base import Mechanism

__all__ = ["STREAMS", "Fields", "decode", "encode", "mechanism_of"]

# The stream of keyed reports that each version of the contract stands for.
STREAMS = {1: AES_256_CTR, 2: HMAC_SHA256}


class Fields(SimpleNamespace):
    """The fields of a survey's JSON, in canonical order."""

    privet: int
    id: str
    question: str
    categories: list[str]
    epsilon: float
    mechanism: dict[str, Any]
    stream: str


_KINDS: dict[str, tuple[Any, str]] = {
    "privet": (int, "an integer"),
    "id": (str, "text"),
    "question": (str, "text"),
    "categories": (list, "an array"),
    "epsilon": ((int, float), "a number"),
    "mechanism": (dict, "an object"),
    "stream": (str, "text"),
}


def encode(fields: Fields) -> bytes:
    """Return the canonical text: the fields in this order, no space, UTF-8.

    >>> fields = Fields(privet=1, id="q", question="Q?", categories=["é", "b"], epsilon=1e-05,
    ...                 mechanism={"name": "n"}, stream="aes-256-ctr")
    >>> print(encode(fields).decode())
    {"privet":1,"id":"q","question":"Q?","categories":["é","b"],"epsilon":0.00001,"mechanism":{"name":"n"}}
    """
    written = {name: vars(fields)[name] for name in _KINDS}
    if fields.privet == 1:
        del written["stream"]
    parts = (
        f'"{name}":{_number(value) if name == "epsilon" else _text(value)}'
        for name, value in written.items()
    )
    return f"{{{','.join(parts)}}}".encode()


def decode(text: str | bytes) -> Fields:
    """Read the fields, refusing unknown, missing and repeated ones, and other versions."""
    if not isinstance(text, str | bytes):
        raise InvalidSurvey(f"Not a survey: its JSON is text, not {type(text).__name__}.")
    try:
        if isinstance(text, bytes):
            text = text.decode()
        found = json.loads(text, object_pairs_hook=_unrepeated, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InvalidSurvey(f"Not a survey: {error}.") from None
    if not isinstance(found, dict):
        raise InvalidSurvey("Not a survey: its JSON is not an object.")
    version = found.get("privet")
    if type(version) is not int:
        raise InvalidSurvey("Not a survey: the field 'privet', its version, is missing.")
    if version not in STREAMS:
        known = " and ".join(map(str, STREAMS))
        raise InvalidSurvey(
            f"This is a survey of version {version}; this privet reads versions {known}."
        )
    return _checked(version, found)


def mechanism_of(fields: Fields) -> Mechanism:
    """Rebuild the mechanism with the very integers of the survey."""
    parameters = dict(fields.mechanism)
    name = parameters.pop("name", None)
    if not isinstance(name, str) or name not in by_name:
        raise InvalidSurvey(
            f"The mechanism's name must be one of {', '.join(by_name)}. Got {name!r:.60}."
        )
    return by_name[name].from_parameters(len(fields.categories), fields.epsilon, parameters)


def _checked(version: int, found: dict[str, Any]) -> Fields:
    expected = [name for name in _KINDS if version > 1 or name != "stream"]
    unknown = [name for name in found if name not in expected]
    if unknown:
        raise InvalidSurvey(f"Not a survey: there is no field {unknown[0]!r:.60}.")
    for name in expected:
        if name not in found:
            raise InvalidSurvey(f"Not a survey: the field '{name}' is missing.")
        kinds, rule = _KINDS[name]
        if not isinstance(found[name], kinds) or isinstance(found[name], bool):
            raise InvalidSurvey(f"Not a survey: the field '{name}' must be {rule}.")
    if found.setdefault("stream", STREAMS[version]) != STREAMS[version]:
        raise InvalidSurvey(
            f"The stream of a survey of version {version} must be {STREAMS[version]!r}. "
            f"Got {found['stream']!r:.60}."
        )
    return Fields(**found)


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice!r:.60} is given twice")
    return fields


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _number(value: float) -> str:
    """Return the shortest decimal form, without an exponent from 1e-5 on.

    >>> [_number(x) for x in (1.0, 0.1, 1e-05, 1.5e-07, 30.0)]
    ['1.0', '0.1', '0.00001', '1.5e-7', '30.0']
    """
    digits, exponent, power = repr(float(value)).partition("e")
    if not exponent:
        return digits
    if power == "-05":
        return "0.0000" + digits.replace(".", "")
    return f"{digits}e{int(power)}"
