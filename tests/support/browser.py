"""Node and Chromium, which the tests of the browser's client need and pip does not bring."""

import json
import os
import re
import shutil
import subprocess
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src/privet/service/static"
VECTORS = ROOT / "tests/vectors"
SCRIPTS = ROOT / "tests/browser"


def wording(key, language="en"):
    """Return what the survey's element says, up to the first part that it fills in."""
    name = "messages.js" if language == "en" else f"messages-{language}.js"
    (text,) = re.findall(rf'^ +{key}: "(.*)",$', (STATIC / name).read_text("utf-8"), re.MULTILINE)
    return text.partition("{")[0].strip()


def need(command, package):
    """Return a program's path; where there is none, skip the test, or fail in CI."""
    found = shutil.which(command)
    if found is None:
        reason = f"There is no {command}; on Debian: apt install {package}"
        assert os.environ.get("CI") != "true", reason
        pytest.skip(reason)
    return found


def run_node(script, given=None):
    """Run a script as a module in the folder of the client, and return the JSON that it prints.

    `given` is what the script finds as JSON on its standard input.
    """
    node = need("node", "nodejs")
    command = [node, "--input-type=module", "--eval", script]
    done = subprocess.run(
        command, cwd=STATIC, input=json.dumps(given), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def without_comments(text):
    """Return a script without its comments and empty lines, as its size is told."""
    text = re.sub(r"/\*\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"(^|\s)//.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\n\s*\n+", "\n", text)


def all_vectors():
    """Return the files of vectors that a client is checked against, by name."""
    names = "algorithm", "others", "sets", "designs", "contracts", "answers"
    return {name: json.loads((VECTORS / f"{name}.json").read_text()) for name in names}


# --- a site for a browser -------------------------------------------------------------------------

# What a careful site sends with its pages: its own files alone, and no text that becomes a script.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "require-trusted-types-for 'script'; trusted-types privet"
)
_PAGE = """<!doctype html>
<html lang="{lang}">
<meta charset="utf-8"><title>A survey</title>
<script type="module" src="/static/privet-survey.js"></script>
<privet-survey src="{src}" {attributes}></privet-survey>
</html>"""


def problem(survey, status, reason, retry_after=None):
    """A service's reply that a report is not counted, as `Site.replies` has them."""
    headers = {"Content-Type": "application/problem+json"}
    if retry_after is not None:
        headers["Retry-After"] = retry_after
    said = {"status": status, "reason": reason, "survey": survey}
    return status, headers, json.dumps(said).encode()


class Site:
    """Pages and the client's files, before a real service: one origin, as behind a proxy.

    Pages of the host other.test have no policy. `posts` are the reports that came: address,
    headers, body. The next ones are answered by `replies` (status, headers, body), while there are
    any. `contracts` are served by their paths, and their reports are taken by the site itself.
    """

    def __init__(self, service):
        self.posts, self.replies, self.contracts, site = [], [], {}, self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                path = urlsplit(self.path)
                if path.path == "/page":
                    asked = dict(parse_qsl(path.query))
                    page = {"lang": asked.pop("lang", "en"), "src": asked.pop("src")}
                    page["attributes"] = " ".join(f'{k}="{v}"' for k, v in asked.items())
                    self._answer(200, _PAGE.format(**page).encode(), "text/html; charset=utf-8")
                elif path.path.startswith(("/static/", "/tests/")):
                    _, folder, name = path.path.split("/")
                    body = ({"static": STATIC, "tests": SCRIPTS}[folder] / name).read_bytes()
                    self._answer(200, body, "text/javascript; charset=utf-8")
                elif path.path in site.contracts:
                    self._answer(200, site.contracts[path.path], "application/json")
                elif path.path == "/favicon.ico":
                    self._answer(204, b"", "image/x-icon")
                else:
                    self._forward(None)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                site.posts.append((self.path, dict(self.headers), body))
                contract = site.contracts.get(urlsplit(self.path).path.removesuffix("/reports"))
                if site.replies:
                    status, headers, body = site.replies.pop(0)
                    self._answer(status, body, "text/html", headers)
                elif contract is not None:
                    said = {"outcome": "counted", "survey": json.loads(contract)["id"]}
                    said["fingerprint"] = sha256(contract).hexdigest()
                    self._answer(200, json.dumps(said).encode(), "application/json")
                else:
                    self._forward(body)

            def _forward(self, body):
                names = "Content-Type", "Idempotency-Key", "Invitation"
                headers = {name: self.headers[name] for name in names if name in self.headers}
                netloc = urlsplit(service.url).netloc
                with closing(HTTPConnection(netloc, timeout=30)) as connection:
                    connection.request(self.command, self.path, body, headers)
                    found = connection.getresponse()
                    status, text, kind = found.status, found.read(), found.headers["Content-Type"]
                self._answer(status, text, kind)

            def _answer(self, status, body, kind, headers=()):
                self.send_response(status)
                said = {"Content-Type": kind, "Content-Length": str(len(body)), **dict(headers)}
                if not self.headers["Host"].startswith("other.test:"):
                    said["Content-Security-Policy"] = POLICY
                for name, value in (said | {"Cache-Control": "no-store"}).items():
                    self.send_header(name, value)
                with suppress(ConnectionError):  # of a page that has been closed
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *said):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def page(self, id, host="127.0.0.1", **attributes):
        """The address of a page that asks a survey, as seen by a host of some name."""
        asked = urlencode({"src": f"/surveys/{id}"} | attributes)
        return f"{self.url.replace('127.0.0.1', host)}/page?{asked}"

    def end(self):
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def chromium():
    """Start Debian's Chromium, without a window."""
    path = need("chromium", "chromium")
    from playwright.sync_api import sync_playwright

    args = ["--host-resolver-rules=MAP *.test 127.0.0.1"]  # names that are not this machine's own
    args += ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=args)
        try:
            yield started
        finally:
            started.close()
