"""The server behind a proxy, below a path, for some hosts, and with TLS: real processes."""

import json
import os
import resource
import signal
import socket
import ssl
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPSConnection
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from commands import BAD_DATA, USAGE, fails
from flood import memory
from load import SURVEY
from refusing import assert_names
from serving import JSON, Serving

ONE = SURVEY.randomize("c1")
# An application that tells who is asking, in the place of the service, which tells nobody.
ECHO = """
import json, socket, sys
from privet.service.server import run

async def echo(scope, receive, send):
    if scope["type"] == "lifespan":
        for done in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{done}.complete"})
    else:
        while (await receive()).get("more_body"):
            pass
        names = [name.decode() for name, _ in scope["headers"]]
        found = {"client": scope["client"][0], "scheme": scope["scheme"], "names": names}
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(found).encode()})

with socket.create_server(("127.0.0.1", 0)) as listener:
    port = listener.getsockname()[1]
    run(echo, listener, lambda: print(port, flush=True), proxies=sys.argv[1:])
"""


@pytest.fixture
def begin():
    """The port of a server with these proxies."""
    processes = []

    def begin(*proxies):
        command = [sys.executable, "-c", ECHO, *proxies]
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        return int(processes[-1].stdout.readline())

    yield begin
    for process in processes:
        process.send_signal(signal.SIGTERM)
        process.stdout.close()
        assert process.wait(10) == 0


@pytest.fixture
def ask(begin):
    """Who asks a server with these proxies, from an address and with headers."""

    def asking(*proxies):
        port = begin(*proxies)

        def send(source, *lines, **headers):
            connection = HTTPConnection("127.0.0.1", port, 10, (source, 0))
            connection.putrequest("GET", "/")
            for line in lines:
                connection.putheader("X-Forwarded-For", line)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            found = json.loads(connection.getresponse().read())
            connection.close()
            return found["client"], found["scheme"]

        return send

    return asking


def test_a_server_begins_in_little_memory(tmp_path):
    """Numba, which only estimates of many reports need, takes 120 MiB."""
    with Serving(tmp_path) as server:
        assert memory(server) < 100 << 20
        assert "llvmlite" not in Path(f"/proc/{server.pid}/maps").read_text()


def test_a_proxy_is_believed_and_nobody_else(ask):
    forwarded = {"X_Forwarded_For": "203.0.113.9", "X_Forwarded_Proto": "https"}
    send = ask("127.0.0.2", "127.0.1.0/24")
    assert send("127.0.0.2", **forwarded) == ("203.0.113.9", "https")
    assert send("127.0.1.77", **forwarded) == ("203.0.113.9", "https")
    assert send("127.0.0.3", **forwarded) == ("127.0.0.3", "http")
    assert send("127.0.0.2") == ("127.0.0.2", "http")
    # What a client has written itself stands before what the proxies have added.
    chain = "198.51.100.1, 203.0.113.9, 127.0.1.5"
    assert send("127.0.0.2", X_Forwarded_For=chain)[0] == "203.0.113.9"
    assert ask()("127.0.0.2", **forwarded) == ("127.0.0.2", "http")


def test_several_lines_of_a_header_are_one_list_in_their_order(ask):
    send = ask("127.0.0.2", "127.0.1.0/24")
    for lines in (
        ["198.51.100.1", "203.0.113.9"],
        ["203.0.113.9", "127.0.1.5"],  # of a second proxy, which is believed too
        ["198.51.100.1", "203.0.113.9, 127.0.1.5", "127.0.1.6"],
    ):
        assert send("127.0.0.2", *lines)[0] == "203.0.113.9", lines
    assert send("127.0.0.3", "198.51.100.1", "203.0.113.9")[0] == "127.0.0.3"


CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("parts", [1, 2])
def test_trailers_are_not_headers(begin, parts):
    body = b"1\r\nx\r\n0\r\nX-Forwarded-For: 198.51.100.1\r\nX-Forwarded-Proto: https\r\n\r\n"
    sent = [CHUNKED + body] if parts == 1 else [CHUNKED, body]
    place = "127.0.0.1", begin("127.0.0.2")
    with socket.create_connection(place, 10, ("127.0.0.2", 0)) as one:
        for part in sent:
            one.sendall(part)
            time.sleep(0.1)
        said = one.makefile("rb").read()
    found = json.loads(said[said.index(b"{") : said.index(b"}") + 1])
    assert (found["client"], found["scheme"]) == ("127.0.0.2", "http")
    assert found["names"] == ["host", "transfer-encoding", "connection"]


def test_a_token_in_a_trailer_is_nobodys(tmp_path):
    with Serving(tmp_path) as server:
        head = CHUNKED.replace(b"POST / ", b"GET /surveys ")
        token = f"Authorization: Bearer {server.token}\r\n".encode()
        for sent, status in [
            (head + b"0\r\n" + token + b"\r\n", b"401"),
            (head.replace(b"\r\n\r\n", b"\r\n" + token + b"\r\n") + b"0\r\n\r\n", b"200"),
        ]:
            with socket.create_connection(urlsplit(server.url).netloc.split(":"), 10) as one:
                one.sendall(sent)
                assert one.makefile("rb").read().split()[1] == status


def test_below_a_path_whether_the_proxy_strips_it_or_not(tmp_path):
    with Serving(tmp_path, more=["--prefix", "/a/privet"]) as server:
        assert urlsplit(server.url).path == "/a/privet"
        client = server.client()
        for before in ("/a/privet", ""):
            path, body = f"{before}/surveys", SURVEY.to_json().encode()
            answer = client.ask("POST", path, body, admin=True, **JSON)
            assert answer.status in (200, 201)
            assert answer.headers["location"] == f"/a/privet/surveys/{SURVEY.id}"
            assert client.get(f"{before}/surveys/{SURVEY.id}").body == body
            found = client.get(f"{before}/openapi.json").json
            assert found["servers"] == [{"url": "/a/privet"}]
        for path in ("/a/privetsurveys", "/a", "/a/privet", "/a/privet/a/privet/healthz"):
            assert client.get(path).json["reason"] == "nowhere"
        assert server.terminate() == 0


def test_without_a_prefix_paths_begin_at_the_root(tmp_path):
    with Serving(tmp_path) as server:
        client = server.client()
        assert client.create(SURVEY).headers["location"] == f"/surveys/{SURVEY.id}"
        assert client.get("/openapi.json").json["servers"] == [{"url": "/"}]


def test_only_for_some_hosts(tmp_path):
    more = ["--host-name", "Survey.example", "--host-name", "[::1]"]
    with Serving(tmp_path, more=more) as server:
        client = server.client()
        for host in ("survey.example", "SURVEY.example:8000", "[::1]", "[::1]:443"):
            assert client.get("/healthz", Host=host).status == 200
        for host in ("127.0.0.1", "survey.example.org", "", "x.survey.example", "::1", "é"):
            answer = client.get("/healthz", Host=host.encode("latin-1"))
            assert (answer.status, answer.json["reason"]) == (421, "host")
            assert answer.headers["content-type"] == "application/problem+json"
        with socket.create_connection(urlsplit(server.url).netloc.split(":")) as plain:
            plain.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            assert plain.recv(99).startswith(b"HTTP/1.1 421 ")
        assert server.terminate() == 0


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """The files of a certificate for 127.0.0.1, of its key, and of another key."""
    folder = tmp_path_factory.mktemp("tls")
    key, other = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(Encoding.PEM))
    locks = {"key": NoEncryption(), "locked": BestAvailableEncryption(b"password")}
    for file, one, lock in (
        ("key", key, locks["key"]),
        ("other", other, locks["key"]),
        ("locked", key, locks["locked"]),
    ):
        data = one.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)
        (folder / f"{file}.pem").write_bytes(data)
    return folder


def with_tls(folder, key="key.pem"):
    return ["--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / key)]


def test_over_tls(tmp_path, certificate):
    with Serving(tmp_path, more=with_tls(certificate)) as server:
        assert server.url.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cafile=certificate / "cert.pem")
        client = HTTPSConnection(urlsplit(server.url).netloc, timeout=10, context=context)
        client.request("GET", "/healthz")
        assert client.getresponse().status == 200
        with socket.create_connection(urlsplit(server.url).netloc.split(":"), 10) as plain:
            plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"200" not in plain.recv(99)
        assert server.terminate() == 0
        client.close()
    assert "Traceback" not in server.said


def test_who_does_not_settle_tls_keeps_nobody_out(tmp_path, certificate):
    def little_room():
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))

    context = ssl.create_default_context(cafile=certificate / "cert.pem")
    with Serving(tmp_path, more=with_tls(certificate), preexec_fn=little_room) as server:
        place = urlsplit(server.url).netloc
        held = [socket.create_connection(place.split(":"), 10) for _ in range(400)]
        client = HTTPSConnection(place, timeout=10, context=context)
        client.request("GET", "/readyz", headers={"Connection": "close"})
        assert client.getresponse().status == 200
        client.close()
        began = time.monotonic()
        assert server.terminate() == 0
        assert time.monotonic() - began < 3
        for one in held:
            one.close()
    assert "Traceback" not in server.said


def test_what_is_wrong_with_a_certificate_is_said_before_anything_is_opened(
    tmp_path, certificate, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    serve = ["serve", "--store", "s.db", "--port", 0]
    line = fails(BAD_DATA, *serve, *with_tls(certificate, "other.pem"))
    assert_names(line, certificate / "other.pem", certificate / "cert.pem")
    for key in ("cert.pem", "locked.pem", os.devnull):
        line = fails(BAD_DATA, *serve, *with_tls(certificate, key))
        assert_names(line, certificate / key, "PEM", "password")
    for one in (with_tls(certificate)[:2], with_tls(certificate)[2:]):
        assert_names(fails(USAGE, *serve, *one), "--tls-cert", "--tls-key")
    line = fails(USAGE, *serve, *with_tls(certificate, "none.pem"))
    assert_names(line, "--tls-key", certificate / "none.pem")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--proxy", "nginx"),
        ("--proxy", "10.0.0.1/8"),  # has host bits set
        ("--proxy", "*"),
        ("--prefix", "privet"),
        ("--prefix", "/privet/"),
        ("--prefix", "/surveys"),
        ("--host-name", "https://survey.example"),
        ("--host-name", "survey.example:443"),
        ("--host-name", ""),
    ],
)
def test_what_is_no_proxy_path_or_name(tmp_path, monkeypatch, option, value):
    monkeypatch.chdir(tmp_path)
    assert_names(fails(USAGE, "serve", "--store", "s.db", option, value), option, value)
