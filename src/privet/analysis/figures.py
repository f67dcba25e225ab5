"""The figures of a scale by name: its mean, its quantiles, and the shares of its bands."""

from __future__ import annotations

from collections.abc import Mapping

from ..device.answers.scale import Scale
from ..errors import InvalidArgument
from ..errors.arguments import is_finite

__all__ = ["QUANTILES", "known_figures", "quantile_name", "quantile_of"]

QUANTILES = 0.1, 0.25, 0.5, 0.75, 0.9
_BELOW = " % are below"


def known_figures(known: Mapping[str, float], scale: Scale) -> dict[str, float]:
    """Return known numbers by the names of figures, and of bands, or raise.

    >>> from privet import Scale
    >>> known_figures({"mean": 41.3, "share of 0 to 60": 0.7}, Scale(0, 120, bands=[60]))
    {'mean': 41.3, '0 to 60': 0.7}
    """
    bands = [*scale.band_names]
    checked: dict[str, float] = {}
    for given, number in known.items():
        name = str(given).removeprefix("share of ")
        band = name in bands
        if not band and name != "mean" and quantile_of(name) is None:
            names = ", ".join(["'mean', 'median', '10 % are below'", *map(repr, bands)])
            raise InvalidArgument("change", "before", f"the name of a figure: {names}", given)
        low, high = (0, 1) if band else (scale.low, scale.high)
        if not is_finite(number) or not low <= number <= high:
            rule = f"a {'share' if band else 'number'} in [{low:g}, {high:g}]"
            raise InvalidArgument("change", f"before[{given!r}]", rule, number)
        if name in checked:
            raise InvalidArgument("change", "before", f"{name!r} once", list(known))
        checked[name] = float(number)
    if not checked:
        raise InvalidArgument("change", "before", "one number at least", known)
    return checked


def quantile_name(q: float) -> str:
    """Return what tables call the number that a share q of the numbers is below.

    >>> quantile_name(0.1), quantile_name(0.5)
    ('10 % are below', 'median')
    """
    return "median" if 2 * q == 1 else f"{100 * q:g}{_BELOW}"


def quantile_of(name: str) -> float | None:
    """Return the share of people that a figure's name says are below it, if it does.

    >>> quantile_of("10 % are below"), quantile_of("median"), quantile_of("mean")
    (0.1, 0.5, None)
    """
    if name == "median":
        return 0.5
    if not name.endswith(_BELOW):
        return None
    try:
        q = float(name.removesuffix(_BELOW)) / 100
    except ValueError:
        return None
    return q if 0 < q < 1 and quantile_name(q) == name else None
