"""The JSON of contracts: one canonical text for the same fields, and strict reading.

Version 2 is what privet writes. Version 1 lacks the field `stream`: its keyed reports are drawn
from AES-256-CTR. A contract keeps the version it was read with, because its canonical text, and so
its fingerprint and its keyed reports, must never change.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from ..errors import InvalidSurvey
from .entropy import AES_256_CTR, HMAC_SHA256

__all__ = ["STREAMS", "check_fields", "check_stream", "decode", "encode", "unrepeated"]

# The stream of keyed reports that each version of a contract stands for.
STREAMS = {1: AES_256_CTR, 2: HMAC_SHA256}

_TYPES: dict[str, tuple[Any, str]] = {
    "integer": (int, "an integer"),
    "number": ((int, float), "a number"),
    "text": (str, "text"),
    "array": (list, "an array"),
    "object": (dict, "an object"),
    "truth": (bool, "true or false"),
}


def encode(fields: dict[str, Any]) -> bytes:
    """Return the canonical text: the fields in their order, no space, UTF-8.

    >>> print(encode({"privet": 1, "categories": ["é", "b"], "epsilon": 1e-05}).decode())
    {"privet":1,"categories":["é","b"],"epsilon":0.00001}
    """
    return _text(fields).encode()


def decode(text: str | bytes) -> dict[str, Any]:
    """Read the fields of an object, refusing repeated ones, and a version that is not known."""
    if not isinstance(text, str | bytes):
        raise InvalidSurvey(f"Not a survey: its JSON is text, not {type(text).__name__}.")
    try:
        if isinstance(text, bytes):
            text = text.decode()
        found = json.loads(text, object_pairs_hook=unrepeated, parse_constant=_no_number)
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
    return found


def check_fields(what: str, found: object, expected: dict[str, str]) -> dict[str, Any]:
    """Return the fields, refusing unknown and missing ones, and those of another type."""
    if not isinstance(found, dict):
        raise InvalidSurvey(f"Not {what}: it is not an object.")
    unknown = [name for name in found if name not in expected]
    if unknown:
        raise InvalidSurvey(f"Not {what}: there is no field {unknown[0]!r:.60}.")
    for name, kind in expected.items():
        if name not in found:
            raise InvalidSurvey(f"Not {what}: the field '{name}' is missing.")
        types, rule = _TYPES[kind]
        if not isinstance(found[name], types) or isinstance(found[name], bool) != (kind == "truth"):
            raise InvalidSurvey(f"Not {what}: the field '{name}' must be {rule}.")
    return found


def check_stream(version: int, stream: object) -> None:
    """Refuse another stream than the version stands for."""
    if stream != STREAMS[version]:
        raise InvalidSurvey(
            f"The stream of a survey of version {version} must be {STREAMS[version]!r}. "
            f"Got {stream!r:.60}."
        )


def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object in JSON; raise ValueError where one is given twice."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise ValueError(f"the field {name!r:.60} is given twice")
        fields[name] = value
    return fields


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{','.join(f'{_text(name)}:{_text(one)}' for name, one in value.items())}}}"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list) and not all(type(one) is str for one in value):
        return f"[{','.join(map(_text, value))}]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _number(value: float) -> str:
    """Return the shortest decimal form, without an exponent from 1e-5 on.

    >>> [_number(x) for x in (1.0, 0.1, 1e-05, 1.5e-07, -1.5e-05, 1e22)]
    ['1.0', '0.1', '0.00001', '1.5e-7', '-0.000015', '1e22']
    """
    digits, exponent, power = repr(value).partition("e")
    if not exponent:
        return digits
    if power == "-05":
        sign = "-" if value < 0 else ""
        return f"{sign}0.0000" + digits.lstrip("-").replace(".", "")
    return f"{digits}e{int(power)}"
