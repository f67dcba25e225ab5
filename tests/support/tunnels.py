"""A proxy that lets TLS through to a service behind it, and a certificate for that service."""

import datetime
import socket
import ssl
from contextlib import contextmanager, suppress
from threading import Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def make_certificate(folder, name):
    """Write a certificate that signs itself, with its key; return the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    builder = x509.CertificateBuilder(subject, subject, key.public_key(), 1, now - day, now + day)
    names = x509.SubjectAlternativeName([x509.DNSName(name)])
    certificate = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = folder / "certificate.pem"
    path.write_bytes(secret + certificate.public_bytes(Encoding.PEM))
    return path


@contextmanager
def tunnel(port, context):
    """Serve one client at a time; yield the proxy's address, and the first lines of requests.

    What comes through the tunnel is decrypted and goes to a service at a port of this machine.
    """
    asked = []

    def serve():
        with suppress(OSError):
            while True:
                came, _ = listener.accept()
                with came, came.makefile("rb", buffering=0) as file:
                    lines = [*iter(file.readline, b"\r\n")]
                    asked.append(lines[0])
                    came.sendall(b"HTTP/1.1 200 Go on\r\n\r\n")
                    with (
                        context.wrap_socket(came, server_side=True) as inner,
                        socket.create_connection(("127.0.0.1", port)) as service,
                    ):
                        back = Thread(target=pump, args=(service, inner))
                        back.start()
                        pump(inner, service)
                        back.join()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def pump(source, target):
    """Pass on what comes, to its end."""
    with suppress(OSError, ssl.SSLError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
