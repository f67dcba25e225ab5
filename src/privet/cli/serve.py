"""privet serve: take reports over HTTP, and say what they say."""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path

import click

from ..errors import InvalidFile
from ..service.access import settle_token
from ..service.app import make_app
from ..service.server import BACKLOG, run
from ..store import Store, open_store
from .options import INPUT, JSON, Once
from .output import say

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_NAME = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")
Values = tuple[str, ...]


def _proxies(ctx: click.Context, option: click.Parameter, values: Values) -> Values:
    try:
        return tuple(str(ip_network(value)) for value in values)
    except ValueError as error:
        raise click.BadParameter(f"must be an address or a network: {error}.") from None


def _prefix(ctx: click.Context, option: click.Parameter, value: str) -> str:
    if value and not _PREFIX.fullmatch(value):
        raise click.BadParameter(f"must be a path such as /privet. Got {value!r}.")
    if value.split("/")[1:2] == ["surveys"]:  # a proxy may strip the prefix, or not
        raise click.BadParameter(f"must not begin with /surveys, as paths do. Got {value!r}.")
    return value


def _names(ctx: click.Context, option: click.Parameter, values: Values) -> Values:
    names = tuple(value.lower() for value in values)
    for name in names:
        if not _NAME.fullmatch(name):
            raise click.BadParameter(f"must be a host's name, without a port. Got {name!r}.")
    return names


@click.command(cls=Once)
@click.option("--store", required=True, help="A file, or a postgresql:// URL; made if need be.")
@click.option("--host", default="127.0.0.1", help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, help="0 takes a free one.")
@click.option(
    "--token-file", type=click.Path(dir_okay=False, path_type=Path),
    help="The administrator's token: read if the file is there, or else made and written. "
    "Without it, a new store's token is shown once, on a terminal alone.",
)  # fmt: skip
@click.option("--tls-cert", type=INPUT, help="A certificate with its chain, in PEM, for HTTPS.")
@click.option("--tls-key", type=INPUT, help="The certificate's key, in PEM without a password.")
@click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS", callback=_proxies,
    help="A proxy's address or network, whose X-Forwarded-For and X-Forwarded-Proto are believed; "
    "may be repeated.",
)  # fmt: skip
@click.option(
    "--prefix", default="", metavar="PATH", callback=_prefix, show_default=False,
    help="The path that a proxy has the service below, such as /privet.",
)  # fmt: skip
@click.option(
    "--host-name", "names", multiple=True, metavar="NAME", callback=_names,
    help="Answer only requests for this host; may be repeated. Otherwise for any.",
)  # fmt: skip
@click.option(
    "--per-minute", type=click.IntRange(0), default=3000,
    help="How many requests one address may make a minute; 0 is no limit.",
)  # fmt: skip
@click.option("--counts-only", is_flag=True, help="Of new surveys, drop reports once counted.")
@JSON
def serve(
    store: str, host: str, port: int, token_file: Path | None, tls_cert: Path | None,
    tls_key: Path | None, proxies: Values, prefix: str, names: Values, per_minute: int,
    counts_only: bool, json_out: bool,
) -> None:  # fmt: skip
    """Take reports over HTTP, count each once, and give estimates.

    It ends on SIGTERM or Ctrl-C, when what has been taken is stored. With --json, one line says
    where it listens as soon as it does.

    privet serve --store surveys.db --token-file token.txt
    """
    tls = _tls(tls_cert, tls_key)
    with _listening(host, port) as listener, open_store(store) as opened:
        _settle_token(opened, token_file)
        url = f"{'https' if tls else 'http'}://{_address(listener)}{prefix}"

        def ready() -> None:
            if json_out:
                click.echo(json.dumps({"url": url}))
            say(f"Serving at {url}")

        app = make_app(opened, counts_only=counts_only, per_minute=per_minute)
        run(app, listener, ready, tls=tls, proxies=proxies, prefix=prefix, names=names)


def _settle_token(store: Store, file: Path | None) -> None:
    """Have a token made if need be; show it on a terminal alone, because logs are kept."""
    if file is None and store.token() is None and not sys.stderr.isatty():
        say(
            "There is no administrator's token yet, and none is shown, because stderr is not a "
            "terminal: start with --token-file FILE, or run 'privet store token' on this store."
        )
        return
    token = settle_token(store, file)
    if token is not None:
        shown = f"is in {file}." if file else f"is not shown again: {token}"
        say(f"The administrator's token {shown}")


def _tls(cert: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return what HTTPS needs, or nothing if it is not asked for."""
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise click.UsageError("--tls-cert and --tls-key go together.", click.get_current_context())
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(cert, key, password="")  # or it would ask for one
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise InvalidFile(f"{key}: this is not the key of {cert}.") from None
        rule = "must be a certificate and its key, in PEM without a password"
        raise InvalidFile(f"{cert} and {key} {rule} ({error.reason or 'unreadable'}).") from None
    return context


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        unknown = isinstance(error, socket.gaierror)  # whose numbers are not the system's
        reason = error.strerror if unknown else os.strerror(error.errno or 0)
        raise OSError(error.errno, reason, f"{host}:{port}") from None
    with listener:
        yield listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
