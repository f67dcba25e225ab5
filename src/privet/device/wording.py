"""Texts that people read in a contract: questions, names of answers, units, and ids.

Text is in Unicode's composed form, and can be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from unicodedata import normalize

from ..errors import InvalidArgument

__all__ = ["check_id", "check_names", "check_text", "printable", "slug"]

_ID_ENDS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_ID_LETTERS = _ID_ENDS | {".", "_", "-"}
_LONGEST_ID = 64
# Not seen by themselves, but part of Persian words, Indic letters and emoji: joiners, variation
# selectors, and letters that fill a place and show nothing.
_UNSEEN = dict.fromkeys(
    map(ord, "\u034f\u115f\u1160\u17b4\u17b5\u200c\u200d\u2800\u3164\uffa0")
) | dict.fromkeys([*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
_JOINERS = dict.fromkeys((0x200C, 0x200D))
_MOST_SHOWN = 200
_PRINTABLE_ASCII = bytes(range(0x20, 0x7F))


def check_text(owner: str, parameter: str, text: object) -> str:
    """Return text in Unicode's composed form, refusing what cannot be seen."""
    rule = "non-empty printable text without leading or trailing space"
    if not isinstance(text, str) or not text or text != text.strip():
        raise InvalidArgument(owner, parameter, rule, text)
    if text.isascii() and text.isprintable():  # as most are
        return text
    if not text.translate(_UNSEEN) or not text.translate(_JOINERS).isprintable():
        raise InvalidArgument(owner, parameter, rule, text)

    return normalize("NFC", text)


def check_names(owner: str, parameter: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return at least two different texts, in their order."""
    unordered = isinstance(names, str | bytes | Mapping | set | frozenset)
    if unordered or not isinstance(names, Iterable):
        raise InvalidArgument(owner, parameter, "an ordered sequence of str", names)
    given = tuple(names)
    if len(given) > 1 and _are_plain(given):  # as most are
        return given
    checked = tuple(check_text(owner, f"{parameter}[{i}]", text) for i, text in enumerate(given))
    if len(checked) < 2:
        raise InvalidArgument(owner, parameter, "at least two", list(checked))
    first: dict[str, int] = {}
    for i, text in enumerate(checked):
        if first.setdefault(text, i) != i:
            rule = f"different from {parameter}[{first[text]}]"
            raise InvalidArgument(owner, f"{parameter}[{i}]", rule, text)
    return checked


def check_id(owner: str, identifier: str) -> str:
    """Return an id, or raise InvalidArgument."""
    if (
        not isinstance(identifier, str)
        or not 1 <= len(identifier) <= _LONGEST_ID
        or not _ID_LETTERS.issuperset(identifier)
        or not _ID_ENDS.issuperset(identifier[0] + identifier[-1])
    ):
        rule = "1 to 64 of a-z, 0-9, '.', '_' and '-', with a letter or digit at both ends"
        raise InvalidArgument(owner, "id", rule, identifier)
    return identifier


def printable(text: str) -> str:
    r"""Return a stranger's text for a log or an error: on one line, and not long.

    >>> print(printable("no\nERROR root: all is lost \x1b[31m"))
    no\nERROR root: all is lost \x1b[31m
    """
    shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in shown)


def slug(text: str, otherwise: str) -> str:
    """Return an id made from a text, or another one where nothing is left of it.

    >>> slug("What is your favourite café?", "survey")
    'what-is-your-favourite-cafe'
    """
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_ID].rstrip("-") or otherwise


def _are_plain(texts: tuple[str, ...]) -> bool:
    """Tell that all are different texts of visible ASCII, without a look at each."""
    try:
        joined = "".join(texts)
    except TypeError:  # as one is not text at all
        return False
    different = set(texts)
    return (
        len(different) == len(texts)
        and "" not in different
        and tuple(map(str.strip, texts)) == texts
        and joined.isascii()
        and not joined.encode().translate(None, _PRINTABLE_ASCII)
    )
