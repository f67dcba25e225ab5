"""The messages in the bytes that a browser sends on a WebSocket (RFC 6455, section 5.2)."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Messages"]


class Messages:
    """Finds messages in the bytes of one direction, as they come."""

    def __init__(self, found: Callable[[bytes], object]) -> None:
        self._found, self._bytes, self._parts = found, b"", b""

    def feed(self, piece: bytes) -> None:
        """Take more bytes; control frames count as messages, too, because they can carry some."""
        self._bytes += piece
        while (frame := self._frame()) is not None:
            final, code, payload = frame
            if code & 8:
                self._found(payload)
                continue
            self._parts += payload
            if final:
                self._found(self._parts)
                self._parts = b""

    def _frame(self) -> tuple[bool, int, bytes] | None:
        held = self._bytes
        if len(held) < 2:
            return None
        wide = {126: 2, 127: 8}.get(held[1] & 127, 0)
        at = 2 + wide
        length = int.from_bytes(held[2:at]) if wide else held[1] & 127
        masked = 4 * (held[1] >> 7)
        if len(held) < at + masked + length:
            return None
        mask, payload = held[at : at + masked], held[at + masked : at + masked + length]
        self._bytes = held[at + masked + length :]
        if masked:
            payload = bytes(byte ^ mask[i & 3] for i, byte in enumerate(payload))
        return bool(held[0] & 128), held[0] & 15, payload
