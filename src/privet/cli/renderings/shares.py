"""Estimates of shares: of categories, of options, or of what another kind of answer names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import figures
from ...analysis.arrays import Floats
from ...analysis.estimate import Estimate
from ...analysis.kinds import kind_of
from ...analysis.presence import detectable_share
from ...analysis.refine.grouped_shrinkage import shrink_groups
from ...analysis.shown import Shown, Sort, decimals
from ...analysis.sums.changes import Changes, changes
from ...analysis.sums.fit import fit
from ...analysis.sums.homogeneity import homogeneity
from ...analysis.sums.ranks import lead
from ...bulk.groups import Group
from ...bulk.known import read_shares
from ...device.mechanisms.forwards import Target
from ...device.mechanisms.symmetric import shrinkable
from ..output import in_lists, plural, rows_of
from ..terminal import console, new_table
from .base import KNOWN, ROWS, Compared, Looks, Pair, Rendering, TestOfAll
from .differing import PERCENT, add_row, chance, p_in_text, pair_table, signed, what_differs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SharesRendering", "described", "print_estimate"]

# Of a bar, and of a category's name next to it where there is little room.
_BAR, _LEAST_BAR, _NAME = 24, 6, 20
_NARROW = 56
# How many categories that may lead are named.
_MOST_NAMED = 3
_EIGHTHS = " ▏▎▍▌▋▊▉"


class SharesRendering(Rendering[Shown]):
    """A bar, a share and an interval for each category."""

    names: ClassVar[tuple[str, str]] = ("category", "frequency")
    differing: ClassVar[tuple[str, str]] = ("category", "share")
    rows: ClassVar[str] = "categories"
    of: ClassVar[str] = "categories"
    unfit: ClassVar[Sequence[str]] = ("--quantiles",)

    def table(self, one: Shown, looks: Looks, shrunk: Floats | None = None) -> dict[str, list[Any]]:
        """Return a row for each category; other shares than its own may be the `shrunk` ones."""
        columns: dict[str, Any] = one.columns(**looks.intervals)
        if shrunk is not None:
            columns["shrunk"] = shrunk
        if looks.ranks and isinstance(one, Estimate):
            ends = one.ranks(looks.level)
            columns |= dict(zip(("rank_low", "rank_high"), ends, strict=True))
        return in_lists(columns)

    def document(self, one: Shown, looks: Looks, shrunk: Floats | None = None) -> dict[str, Any]:
        """Return an object for each category, and the total share of those not found."""
        return described(one, looks.level, self.table(one, looks, shrunk))

    def show(
        self, one: Shown, looks: Looks, title: str | None, rows: int, shrunk: Floats | None = None
    ) -> None:
        """Print the largest shares."""
        some = {"top": looks.top or rows, "sort": looks.sort, "ranks": looks.ranks}
        options: Any = looks.intervals | {"simultaneous": looks.simultaneous} | some
        print_estimate(one, title=title, shrunk=shrunk, **options)

    def _picture(self, looks: Looks) -> dict[str, Any]:
        """Return how a picture is drawn: as many bars as it has room for, unless one says so."""
        some = {"sort": looks.sort} | ({"top": looks.top} if looks.top else {})
        return looks.intervals | {"simultaneous": looks.simultaneous is not False} | some

    def save(self, one: Shown, path: Path, looks: Looks) -> None:
        """Write a picture of bars."""
        figures.save(one, path, **self._picture(looks))

    def draw(
        self, groups: Mapping[str, Shown], looks: Looks, shrunk: Mapping[str, Floats]
    ) -> Figure:
        """Return a picture with bars for each group."""
        return figures.plot_groups(groups, shrunk=shrunk, **self._picture(looks))

    def shrunk(self, groups: Mapping[Group, Shown]) -> Mapping[Group, Floats]:
        """Return the shrunk shares of groups, which help each other."""
        every = [*groups.values()]
        if not every[0].can_shrink:
            return {}
        counts, n = zip(*((one.counts, one.n) for one in every), strict=True)
        mechanism = shrinkable("shrink_groups", self.survey.mechanism)
        return dict(zip(groups, shrink_groups(mechanism, counts, n), strict=True))

    def remark(self, one: Shown, *, grouped: bool) -> str | None:
        """Return what tells shares from shrunk ones."""
        if not one.can_shrink:
            return None
        less = "groups together, less noise" if grouped else "less noise in all"
        return f"share: unbiased, for sums and tests. shrunk: {less}, for display."

    # --- comparisons ------------------------------------------------------------------------------

    def changes(self, first: Shown, second: Shown, level: float, times: int) -> Changes:
        """Return how much each share grew."""
        return changes(first, second, level, times=times)

    def since(self, known: Path, estimate: Shown, level: float) -> Changes:
        """Return how much each share is above that of a file."""
        return changes(read_shares(known, estimate.survey), estimate, level)

    def test(self, estimates: Sequence[Shown], pairs: Sequence[Pair], known: Any) -> TestOfAll:
        """Return one test of all shares where they add up to 1, else of the least p-value."""
        whole = [one for one in estimates if isinstance(one, Estimate) and one.is_distribution]
        if len(whole) < len(estimates):
            p_values = [p for pair in pairs for p in pair.p_values_of("any")]
            return TestOfAll("any", min(p_values), None, None, "intervals")
        found = homogeneity(*whole) if known is None else fit(whole[0], known)
        chi_square = found.statistic, found.degrees_of_freedom, found.method
        return TestOfAll("shares", found.p_value, *chi_square)

    def show_pair(self, pair: Pair, title: str, top: int) -> None:
        """Print the largest differences."""
        one, kind = pair.changes, kind_of(self.survey.answers)
        every = (-abs(one.values)).argsort(kind="stable")
        order = every[:top]
        digits = decimals(PERCENT * one.low[order], PERCENT * one.high[order], 2)
        said = f"{PERCENT * one.level:g} % intervals, all at once"
        table = pair_table(pair, title, kind.row, said)
        for i in order:
            shares = [f"{PERCENT * part[i]:z.{digits}f} %" for part in (one.before, one.after)]
            numbers = (PERCENT * float(part[i]) for part in (one.values, one.low, one.high))
            add_row(table, pair, i, shares, *signed(numbers, digits, digits + 4))
        screen = console()
        screen.print(table)
        if hidden := len(one.names) - len(order):
            screen.print(f"… and {hidden:,} {kind.rows} that differ less (--top shows more)")
        named = [one.names[i] for i in every if one.found[i]]
        screen.print(what_differs(named, len(one.names), kind.row, kind.rows))

    def draw_pairs(self, titled: Mapping[str, Changes]) -> Figure:
        """Return a picture of differences around 0."""
        return figures.plot_changes(titled, title=self.survey.question)

    def notes(self, pairs: Sequence[Pair]) -> Iterator[str]:
        """Yield what the numbers are in."""
        yield "Differences are in percentage points; * is found. p allows for their number."

    def verdict(self, found: Compared[Shown], *, differs: bool) -> Iterator[str]:
        """Yield whether the shares differ, all together."""
        test, names = found.test, list(found.estimates)
        if test.what != "shares":
            return
        if found.pairs[0].first == KNOWN and len(names) == 1:
            whom, alike = f"{names[0]} and the known shares", "the crowd had the known shares"
        else:
            whom = " and ".join(names) if len(names) == 2 else f"The {len(names)} groups"
            alike = "they were alike"
        says = f"{whom} differ" if differs else f"{whom} are not found to differ"
        degrees = plural(test.degrees_of_freedom or 0, "degree")
        method = f"chi-squared test, {degrees} of freedom"
        if test.method == "resampled":
            method = "held against surveys drawn anew"
        p = test.p_value
        yield (
            f"{says}: if {alike}, differences as large as these would be seen in {chance(p)} "
            f"surveys ({p_in_text(p)}; {method})."
        )


def described(one: Shown, level: float, table: dict[str, list[Any]]) -> dict[str, Any]:
    """Return what JSON says of an estimate, from the table of its shares."""
    rest = one.remainder(level) if isinstance(one, Estimate) else None
    not_found = None if rest is None else asdict(rest)
    return {"n": one.n, "not_found": not_found, "categories": rows_of(table)}


# --- tables ---------------------------------------------------------------------------------------


def print_estimate(
    estimate: Shown,
    *,
    level: float,
    target: Target,
    truth: NDArray[np.float64] | None = None,
    top: int = ROWS,
    sort: Sort = "share",
    title: str | None = None,
    simultaneous: bool | None = None,
    ranks: bool = False,
    shrunk: NDArray[np.float64] | None = None,
) -> None:
    """Print a table: category, bar, share, interval, and the truth where it is known.

    In a narrow terminal the bars are shorter, or left out, and then the shrunk shares. If the
    target is a number of people, shares and intervals are also shown as such. There are
    two decimals, or as many as it takes to tell the ends of each interval apart. Shares that cannot
    be distinguished from zero are dim, and in brackets. Intervals hold together where rows are
    picked by their size, unless one says otherwise. At the end, a sentence says who leads.
    """
    found, order = estimate.found(), estimate.order(top, sort)
    if simultaneous is None:
        simultaneous = len(order) < len(found)
    low, high = estimate.interval(level, target=target, simultaneous=simultaneous)
    digits = decimals(100 * low[order], 100 * high[order], 2)
    if shrunk is None and estimate.can_shrink:
        shrunk = estimate.shrink()

    def percent(values: NDArray[np.float64]) -> list[str]:
        return [f"{100 * value:z.{digits}f} %" for value in values[order]]

    texts = percent(estimate.frequencies)
    if not found[order].all():
        pairs = zip(texts, found[order], strict=True)
        texts = [f"{text} " if here else f"({text})" for text, here in pairs]
    ends = [
        f"{a:{digits + 4}.{digits}f} – {b:{digits + 3}.{digits}f} %"
        for a, b in zip(100 * low[order], 100 * high[order], strict=True)
    ]
    columns = {"share": texts}
    columns[f"{100 * level:g} % interval{'s, all at once' if simultaneous else ''}"] = ends
    if ranks and isinstance(estimate, Estimate):
        columns["rank"] = _ranks(estimate, level)[order].tolist()
    if not isinstance(target, str):
        values = (values[order] for values in (estimate.frequencies, low, high))
        columns |= _in_people(target, *values)
    screen = console()
    if shrunk is not None and screen.width >= _NARROW + _width(columns) - _width(columns, 2):
        columns["shrunk"] = percent(shrunk)
    if truth is not None:
        columns["truth"] = percent(truth)
        inside = (low <= truth) & (truth <= high)
        columns[""] = ["✓" if here else "✗" for here in inside[order]]
    names = [estimate.survey.categories[i] for i in order]
    room = screen.width - _width(columns) - min(max(map(len, names)), _NAME) - 8
    table = new_table(title or estimate.survey.question)
    table.add_column(kind_of(estimate.survey.answers).row, overflow="fold")
    shown = [names]
    if room >= _LEAST_BAR:
        bar = min(_BAR, room)
        longest = max(float(estimate.frequencies.max()), 1e-9)
        shown.append([_bar(float(estimate.frequencies[i]) / longest, bar) for i in order])
        table.add_column("", no_wrap=True, min_width=bar, style="green")
    for head in columns:
        middle = "center" if "interval" in head else "right"
        table.add_column(head, justify=middle, no_wrap=True)  # type: ignore[arg-type]
    for here, row in zip(found[order], zip(*shown, *columns.values(), strict=True), strict=True):
        table.add_row(*row, style="" if here else "dim")
    screen.print(table)
    if hidden := len(found) - len(order):
        screen.print(f"… and {hidden:,} categories with smaller shares (--top shows more)")
    if not found.all():
        screen.print(_what_is_found(estimate, level))
    if isinstance(estimate, Estimate) and estimate.is_distribution:
        screen.print(_who_leads(estimate, level))


def _width(columns: Mapping[str, Sequence[str]], first: int | None = None) -> int:
    """Return how wide the first columns are, or all, with the space between them."""
    some = list(columns.items())[:first]
    return sum(3 + max(map(len, [head, *texts])) for head, texts in some)


def _in_people(people: int, *values: NDArray[np.float64]) -> dict[str, list[str]]:
    """Return columns of shares and the ends of their intervals, as numbers of people."""
    shares, low, high = ([f"{people * value:z,.0f}" for value in one] for one in values)
    wide = max(map(len, high))
    ends = [f"{a} – {b:>{wide}}" for a, b in zip(low, high, strict=True)]
    return {"people": shares, "interval": ends}


def _what_is_found(estimate: Shown, level: float) -> str:
    """Return sentences on the categories that cannot be distinguished from zero."""
    others = int((~estimate.found()).sum())
    words = "1 category cannot" if others == 1 else f"{others:,} categories cannot"
    words = f"{words} be distinguished from zero"
    rest = estimate.remainder(level) if isinstance(estimate, Estimate) else None
    if rest is not None and 1 < others < len(estimate.counts):
        low, high = 100 * rest.low, 100 * rest.high
        words += f"; together {low:.1f} – {high:.1f} % (an interval that allows for the choice)"
    least = detectable_share(estimate.survey.mechanism, estimate.n)
    if least is None:
        return f"{words}."
    return f"{words}.\nA share of {100 * least:.2g} % would be found 19 times out of 20."


def _who_leads(estimate: Estimate, level: float) -> str:
    """Return a sentence on the category with the largest share, as far as it is known."""
    found = lead(estimate, level)
    if found.contenders > _MOST_NAMED:
        return f"The leader is one of {found.contenders:,} categories."
    names = found.possible
    if len(names) > 1:
        return f"The leader is {', '.join(names[:-1])} or {names[-1]}."
    digits = max(1, 1 - floor(log10(100 * found.margin)))
    value, margin = (f"{100 * number:.{digits}f}" for number in (found.value, found.margin))
    return f"{names[0]} leads {found.second} by {value} ± {margin} points."


def _ranks(estimate: Estimate, level: float) -> NDArray[np.str_]:
    """Return the ranks that each category may have, in words such as 2–5."""
    pairs = zip(*(ends.tolist() for ends in estimate.ranks(level)), strict=True)
    return np.array([str(low) if low == high else f"{low}–{high}" for low, high in pairs])


def _bar(share: float, width: int = _BAR) -> str:
    """Return a bar of block characters.

    >>> _bar(0.5), _bar(0.02), _bar(-1)
    ('████████████', '▌', '')
    """
    eighths = round(8 * width * min(max(share, 0), 1))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
