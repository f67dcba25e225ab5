"""Values that do not change: their attributes are set once, when they are made."""

from __future__ import annotations

__all__ = ["Frozen"]


class Frozen:
    """A base class of immutable values.

    Frozen dataclasses would do, but importing `dataclasses` would make a device's start a tenth
    slower.
    """

    def _freeze(self, **fields: object) -> None:
        """Set the attributes that make this value what it is."""
        vars(self).update(fields)

    def __setattr__(self, name: str, value: object) -> None:
        what = type(self).__name__
        raise AttributeError(f"{what} is immutable: '{name}' cannot be set.")
