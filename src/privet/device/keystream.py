"""Random bytes for batches: AES-256-CTR, at the speed of the processor's own instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors.extras import require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FILL_SLACK", "Keystream"]

# To encrypt at once; never written to, so that all of it is one page of memory.
_ZEROS = memoryview(bytes(1 << 21))
# update_into asks for room for all but one byte of a block more.
FILL_SLACK = 15


class Keystream:
    """The bytes of one stream of a key: AES-256-CTR from counter block (stream index, 0)."""

    def __init__(self, key: bytes, index: int) -> None:
        ciphers = require(
            "cryptography.hazmat.primitives.ciphers", "analysis", "An AES-256-CTR stream"
        )
        from cryptography.hazmat.primitives.ciphers import algorithms, modes

        nonce = index.to_bytes(8, "big") + bytes(8)
        self._encryptor = ciphers.Cipher(algorithms.AES256(key), modes.CTR(nonce)).encryptor()

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        return bytes(self._encryptor.update(bytes(size)))

    def fill(self, buffer: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
        """Write the next `size` bytes to the front of a buffer, which has FILL_SLACK bytes more."""
        for at in range(0, size, len(_ZEROS)):
            zeros = _ZEROS[: min(len(_ZEROS), size - at)]
            room = buffer[at : at + len(zeros) + FILL_SLACK]
            self._encryptor.update_into(zeros, room.data)
        return buffer[:size]
