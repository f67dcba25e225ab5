"""Random bytes, secure or seeded, and the exact draws that reports are made of."""

from .device.entropy import Entropy, Stream, keyed, secure, seeded

__all__ = ["Entropy", "Stream", "keyed", "secure", "seeded"]
