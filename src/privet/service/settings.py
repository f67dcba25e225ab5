"""What an administrator decides of a survey besides its contract: who may send, who may look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from .problems import Problem

__all__ = ["ANY", "Settings"]

ANY = "*"
_ORIGIN = r"^(\*|https?://[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]{1,5})?)$"

Number = Annotated[int, Meta(ge=0, le=2**53 - 1)]  # so that every reader of JSON keeps it
Origin = Annotated[str, Meta(pattern=_ORIGIN, max_length=300)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who may send reports, and who may see what they say."""

    counts_only: Annotated[
        bool, Meta(description="Reports are dropped once they are counted. Cannot be changed.")
    ] = False
    invited: Annotated[bool, Meta(description="Each report needs an invitation.")] = False
    public_from: Annotated[
        Number | None,
        Meta(description="Anyone sees the estimate of at least so many reports; null is never."),
    ] = 0
    origins: Annotated[
        list[Origin],
        Meta(max_length=100, description="Where web pages are that may ask, as https://a.example."),
    ] = msgspec.field(default_factory=list)

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Settings:
        """Return what a store keeps of a survey's settings; others there are not ours."""
        return cls().changed({name: kept[name] for name in cls.__struct_fields__ if name in kept})

    def changed(self, given: Mapping[str, Any], *, words: bool = False) -> Settings:
        """Return the settings with some of them changed; values may be `words` of an address."""
        try:
            return msgspec.convert({**self.kept(), **given}, Settings, strict=not words)
        except msgspec.ValidationError as error:
            raise Problem(400, "invalid-settings", f"Settings: {error}.") from None

    def kept(self) -> dict[str, Any]:
        """Return what a store keeps."""
        return msgspec.structs.asdict(self)

    def allows(self, origin: str) -> bool:
        """Tell whether a page of another origin may ask."""
        return ANY in self.origins or origin in self.origins


def in_query(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the settings in an address, as words.

    >>> in_query([("invited", "true"), ("origins", "https://a.example")])
    {'invited': 'true', 'origins': ['https://a.example']}
    """
    found: dict[str, Any] = dict(pairs)
    if "origins" in found:
        found["origins"] = [word for name, word in pairs if name == "origins"]
    return found
