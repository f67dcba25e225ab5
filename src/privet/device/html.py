"""What notebooks show of surveys, tallies, estimates and fits: tables for light and dark pages.

Text has the notebook's own colour; bars have a green that both kinds of page can carry. Whatever
people wrote is escaped.
"""

from __future__ import annotations

from html import escape
from itertools import repeat

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..analysis.scale_estimate import ScaleEstimate
    from ..analysis.shown import Shown
    from ..analysis.tally import Tally
    from .contract import Contract
    from .questionnaire import Questionnaire
    from .survey import Survey

__all__ = ["of_estimate", "of_questionnaire", "of_scale", "of_survey", "of_table", "of_tally"]

_ROWS = 20
_WIDTH, _HEIGHT = 140, 16
_GREEN = "#6a994e"
_PALE = 0.35
_TABLE = "font-size:inherit;border-collapse:collapse;border:0;margin:4px 0"
_CELL = "text-align:left;padding:1px 10px 1px 0;border:0;background:none"
_NUMBER = "text-align:right;padding:1px 10px 1px 0;border:0;background:none;white-space:nowrap"


def of_survey(survey: Survey) -> str:
    """Return the question, what protects an answer, and the categories."""
    shown = () if survey.answers.kind == "scale" else survey.categories
    names = [escape(name) for name in shown[:_ROWS]]
    listed = "".join(f"<li>{name}</li>" for name in names)
    return _page(
        survey.question,
        f"{survey.answers.described()} · {_privacy(survey)} · id {survey.id}",
        f'<ul style="margin:4px 0;columns:14em">{listed}</ul>{_and_more(len(shown) - len(names))}',
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
    heads = [(_CELL, "page"), (_NUMBER, "drawn by"), (_CELL, "answers")]
    return _page(questionnaire.title, note, _table(heads, rows))


def of_scale(estimate: ScaleEstimate) -> str:
    """Return the mean of numbers, their quantiles and the shares of bands."""
    rows = []
    for name, one in estimate.figures().items():
        low, high = one.interval()
        times, unit = (100, " %") if name.startswith("share") else (1, "")
        ends = f"{times * low:.4g} – {times * high:.4g}{unit}"
        rows.append((escape(name), f"{times * one.value:.4g}{unit}", ends))
    heads = [(_CELL, ""), (_NUMBER, "estimate"), (_NUMBER, "95 % interval")]
    return _page(estimate.survey.question, _based_on(estimate), _table(heads, rows))


def of_tally(tally: Tally) -> str:
    """Return the estimate of a tally, or that there is none yet."""
    if tally.n:
        shown: str = tally.estimate()._repr_html_()
        return shown
    return _page(tally.survey.heading, f"no reports yet · {_privacy(tally.survey)}", "")


def of_estimate(estimate: Shown) -> str:
    """Return a row for each of the largest categories: a bar, its share and its interval."""
    order = [int(i) for i in estimate.order(_ROWS)]
    more = len(estimate.counts) - len(order)
    low, high = estimate.interval(simultaneous=more > 0)
    shrunk = estimate.shrink() if estimate.can_shrink else estimate.frequencies.clip(0)
    longest = max(float(high[order].max()), 1e-9)
    found = estimate.found()
    intervals = f"95 % interval{'s, all at once' if more else ''}"
    heads = [(_CELL, "category"), (_CELL, ""), (_NUMBER, "share"), (_NUMBER, intervals)]
    heads += [(_NUMBER, "shrunk")] if estimate.can_shrink else []
    rows = []
    for i in order:
        share = f"{100 * estimate.frequencies[i]:.2f} %"
        ends = float(low[i]), float(high[i])
        drawn = (float(end) / longest for end in (shrunk[i], *ends, estimate.frequencies[i]))
        cells = (
            escape(estimate.survey.categories[i]),
            _bar(*drawn, pale=not found[i]),
            share if found[i] else f"({share})",
            f"{100 * ends[0]:.2f} – {100 * ends[1]:.2f} %",
            f"{100 * shrunk[i]:.2f} %",
        )
        rows.append(cells[: len(heads)])
    shown = _table(heads, rows, [f"opacity:{1 if found[i] else 0.6}" for i in order])
    unsure = "" if found.all() else "<div>(…): cannot be distinguished from zero</div>"
    body = shown + _and_more(more) + unsure
    return _page(estimate.survey.question, _based_on(estimate), body)


def of_table(title: str, words: list[list[str]], heads: list[str], numbers: list[list[str]]) -> str:
    """Return a table of words, and of numbers under their heads."""
    head = [*((_CELL, "") for _ in words), *((_NUMBER, text) for text in heads)]
    rows = [tuple(map(escape, row)) for row in zip(*words, *numbers, strict=True)]
    return _page(title, "", _table(head, rows))


def _page(title: str, note: str, body: str) -> str:
    return (
        '<div style="font-size:13px;line-height:1.4;overflow-x:auto">'
        f'<div style="font-size:1.15em;font-weight:600">{escape(title)}</div>'
        f'<div style="opacity:.7">{escape(note)}</div>{body}</div>'
    )


def _table(
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


def _bar(shrunk: float, low: float, high: float, share: float, *, pale: bool) -> str:
    """Return a bar, the interval across it and a mark at the unbiased share, each in [0, 1]."""
    bar, left, right, mark = (
        _WIDTH * min(max(one, 0.0), 1.0) for one in (shrunk, low, high, share)
    )
    middle = _HEIGHT / 2
    return (
        f'<svg width="{_WIDTH + 2}" height="{_HEIGHT}" role="presentation">'
        f'<rect y="2" width="{bar:.1f}" height="{_HEIGHT - 4}" fill="{_GREEN}"'
        f' opacity="{_PALE if pale else 1}"/>'
        f'<path d="M{left:.1f} {middle}H{right:.1f}M{mark:.1f} {middle - 4}v8"'
        ' stroke="currentColor" stroke-width="1.2" fill="none"/></svg>'
    )


def _and_more(more: int) -> str:
    return f"<div>… and {more:,} more categories</div>" if more else ""


def _based_on(estimate: Shown) -> str:
    return f"{estimate.n:,} reports · {_privacy(estimate.survey)}"


def _privacy(survey: Contract) -> str:
    return f"ε = {survey.epsilon:g} · {survey.mechanism!r}"
