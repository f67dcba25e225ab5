"""What notebooks show of contracts, and the tables that it is made of, for light and dark pages.

Text has the notebook's own colour; bars have a green that both kinds of page can carry. Whatever
people wrote is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import repeat
from typing import TYPE_CHECKING

from .contract import Contract

if TYPE_CHECKING:  # contracts show themselves by these functions
    from .questionnaire import Questionnaire
    from .survey import Survey

__all__ = [
    "CELL",
    "NUMBER",
    "ROWS",
    "and_more",
    "of_questionnaire",
    "of_survey",
    "page",
    "privacy",
    "table",
]

ROWS = 20
_TABLE = "font-size:inherit;border-collapse:collapse;border:0;margin:4px 0"
CELL = "text-align:left;padding:1px 10px 1px 0;border:0;background:none"
NUMBER = "text-align:right;padding:1px 10px 1px 0;border:0;background:none;white-space:nowrap"


def of_survey(survey: Survey) -> str:
    """Return the question, what protects an answer, and the categories."""
    shown = survey.answers.listed
    names = [escape(name) for name in shown[:ROWS]]
    listed = "".join(f"<li>{name}</li>" for name in names)
    return page(
        survey.question,
        f"{survey.answers.described()} · {privacy(survey)} · id {survey.id}",
        f'<ul style="margin:4px 0;columns:14em">{listed}</ul>{and_more(len(shown) - len(names))}',
    )


def of_questionnaire(questionnaire: Questionnaire) -> str:
    """Return the title, the questions, and which share of the people draws each page."""
    rows = [
        (
            escape(" × ".join(one.question for one in page.questions)),
            f"{100 * page.share:.1f} %",
            escape(page.answers.described()),
        )
        for page in questionnaire.pages
    ]
    questions = f"{len(questionnaire.surveys):,} questions"
    note = f"{questions} · ε = {questionnaire.epsilon:g} for all of them · id {questionnaire.id}"
    heads = [(CELL, "page"), (NUMBER, "drawn by"), (CELL, "answers")]
    return page(questionnaire.title, note, table(heads, rows))


def page(title: str, note: str, body: str) -> str:
    """Return a title, a note and a body of HTML."""
    return (
        '<div style="font-size:13px;line-height:1.4;overflow-x:auto">'
        f'<div style="font-size:1.15em;font-weight:600">{escape(title)}</div>'
        f'<div style="opacity:.7">{escape(note)}</div>{body}</div>'
    )


def table(
    heads: Iterable[tuple[str, str]],
    rows: Iterable[Iterable[str]],
    styles: Iterable[str] = repeat(""),
) -> str:
    """Return a table of HTML under its heads, each with the look of its column."""
    looks, names = zip(*heads, strict=True)
    lines = [_row("th", looks, names, "opacity:.7")]
    lines += [_row("td", looks, row, style) for row, style in zip(rows, styles, strict=False)]
    return f'<table style="{_TABLE}">{"".join(lines)}</table>'


def _row(tag: str, looks: Iterable[str], texts: Iterable[str], style: str) -> str:
    cells = zip(looks, texts, strict=True)
    inside = "".join(f'<{tag} style="{look}">{text}</{tag}>' for look, text in cells)
    return f'<tr style="background:none;{style}">{inside}</tr>'


def privacy(survey: Contract) -> str:
    """Return the privacy level and the mechanism, in a few words."""
    return f"ε = {survey.epsilon:g} · {survey.mechanism!r}"


def and_more(more: int) -> str:
    """Return a line on the categories that are not shown."""
    return f"<div>… and {more:,} more categories</div>" if more else ""
