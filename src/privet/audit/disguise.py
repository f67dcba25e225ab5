"""The key under which an audit's proxy ends TLS; the audited browser accepts it for every host."""

from __future__ import annotations

import base64
import hashlib
import ssl
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

__all__ = ["Disguise"]


class Disguise:
    """A new key, made for one browser, and a certificate that it signs itself."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())

    @property
    def fingerprint(self) -> str:
        """What Chromium's switch names the key by."""
        public = self._key.public_key()
        spki = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return base64.b64encode(hashlib.sha256(spki).digest()).decode()

    @cached_property
    def context(self) -> ssl.SSLContext:
        """The server's side of TLS."""
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "an audit")])
        now = datetime.now(UTC)
        builder = x509.CertificateBuilder(name, name, self._key.public_key())
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - timedelta(days=1))
        builder = builder.not_valid_after(now + timedelta(days=30))
        signed = builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM)
        secret = self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with TemporaryDirectory() as folder:  # which is its owner's alone
            file = Path(folder) / "audit.pem"
            file.write_bytes(secret + signed)
            context.load_cert_chain(file)
        return context
