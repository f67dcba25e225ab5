"""What respondents read, in their own language: `languages.toml` has the texts."""

from __future__ import annotations

import tomllib
from functools import cache, singledispatch
from math import exp
from pathlib import Path
from typing import Any

from starlette.requests import Request

from ..device.answers.base import Answers
from ..device.answers.scale import Scale
from ..device.answers.several import Several

Words = dict[str, str]

__all__ = ["asked", "chosen", "languages", "privacy"]

USUAL = "en"
# Up to which ε privacy is called by which word; beyond the last, it is "thin".
_STRENGTHS = {"very_strong": 0.5, "strong": 1.0, "fair": 2.0, "weak": 4.0}


@cache
def languages() -> dict[str, Words]:
    """Return the texts of all languages, by their codes."""
    return tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))


def chosen(request: Request) -> str:
    """Return the language that the address names, or else the one that the browser likes best."""
    asked = request.query_params.get("lang", "")
    if asked in languages():
        return asked
    liked: list[tuple[float, int, str]] = []
    for part in request.headers.get("accept-language", "").split(","):
        name, _, weight = part.partition(";q=")
        code = name.strip().lower().partition("-")[0]
        try:
            liked.append((-float(weight or 1), len(liked), code))
        except ValueError:
            continue
    return next((code for _, _, code in sorted(liked) if code in languages()), USUAL)


def privacy(epsilon: float, language: str = USUAL) -> str:
    """Return what ε means, in plain words.

    >>> privacy(1.0)[:26]
    'Privacy is strong (ε = 1).'
    """
    words = languages()[language]
    strength = next((name for name, most in _STRENGTHS.items() if epsilon <= most), "thin")
    sure = 100 / (1 + exp(-epsilon))
    shown = f"{sure:.0f}" if sure < 99 else f"{min(sure, 99.99):.4g}"  # never certain
    return words["privacy"].format(epsilon=f"{epsilon:g}", strength=words[strength], sure=shown)


@singledispatch
def asked(answers: Answers[Any], words: Words) -> str:
    """Return what people are asked to do; a new kind of answer is registered here."""
    return words["one"]


@asked.register
def _(answers: Several, words: Words) -> str:
    return words["several"].format(most=answers.most)


@asked.register
def _(answers: Scale, words: Words) -> str:
    return words["number"].format(
        low=f"{answers.low:g}", high=f"{answers.high:g}", unit=answers.unit
    )
