"""Pages that ask a question and give the answer away, each in ways of its own choice."""

from base64 import b64encode
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlsplit

from privet import Survey

# At so small an ε a report says next to nothing of the answer.
TEA = Survey("Tea or coffee?", ["tea", "coffee"], 0.1, id="tea", mechanism="k-subset")


class Leak(NamedTuple):
    """A script that gives `a`, the answer, or `i`, its index, away.

    `kind` and `where` are what an audit must call it, the place as a part of its name; `late` is
    whether it can still be seen as the page goes away.
    """

    script: str
    kind: str
    where: str
    late: bool = True


# OTHER is another host.
LEAKS = {
    "query": Leak("fetch(`/query?answer=${a}`, {keepalive: true})", "query parameter", "/query"),
    "path": Leak("fetch(`/path/${a}`, {keepalive: true})", "request", "/path/"),
    "random path": Leak(
        "fetch(`/paths/${crypto.randomUUID()}-${i}`, {keepalive: true})", "request", "/…"
    ),
    "random host": Leak(
        "{const [b, c] = crypto.getRandomValues(new Uint8Array(2));"
        " fetch(`http://127.${b}.${c}.${7 + i}/host`, {keepalive: true, mode: 'no-cors'})}",
        "request", "http://…",
    ),
    "header": Leak(
        "fetch('/header', {headers: {'X-Answer': btoa(a)}, keepalive: true})", "header", "X-Answer"
    ),
    "body": Leak(
        "fetch('/body', {method: 'POST', body: JSON.stringify({v: 1, p: i}), keepalive: true})",
        "body of a request", "p of POST",
    ),
    "method": Leak("fetch('/method', {method: i ? 'GET' : 'HEAD', keepalive: true})",
                   "request", "/method"),
    "number": Leak(
        "for (let n = 0; n <= i; n++) fetch('/number', {keepalive: true, cache: 'no-store'})",
        "request", "/number",
    ),
    "key": Leak(
        "{const k = crypto.getRandomValues(new Uint8Array(16)); k[5] = k[5] & 0xf7 | i << 3;"
        " fetch('/key', {headers: {Key: btoa(String.fromCharCode(...k))}, keepalive: true})}",
        "header", "Key of",
    ),
    "pixel": Leak("if (i) new Image().src = 'OTHER/pixel.gif'", "image", "/pixel.gif", late=False),
    "style": Leak(
        "document.body.style.background = `url(/style.png?${i})`", "query parameter", "/style.png",
        late=False,
    ),
    "beacon": Leak("navigator.sendBeacon('/beacon', btoa(a))", "body of a beacon", "/beacon"),
    "socket": Leak(
        "{const s = new WebSocket(`ws${origin.slice(4)}/socket`); s.onopen = () => s.send(a)}",
        "WebSocket message", "/socket", late=False,
    ),
    "events": Leak("new EventSource(`/events?${a}`)", "query parameter", "/events", late=False),
    "worker": Leak(
        "new Worker(URL.createObjectURL(new Blob([`fetch('${location.origin}/worker?a=${i}')`])))",
        "query parameter", "/worker", late=False,
    ),
    "service worker": Leak(
        "navigator.serviceWorker.register(`/service-worker.js?a=${a}`)",
        "query parameter", "/service-worker.js", late=False,
    ),
    "frame": Leak(
        "document.body.append(Object.assign(document.createElement('iframe'),"
        " {src: `OTHER/frame?a=${a}`}))", "query parameter", "/frame", late=False,
    ),
    "cookie": Leak("document.cookie = `choice=${i}; max-age=999`", "cookie", "choice"),
    "local storage": Leak("localStorage.choice = a", "localStorage", "choice"),
    "random key": Leak("localStorage[crypto.randomUUID()] = a", "localStorage", " …"),
    "session storage": Leak("sessionStorage.choice = a", "sessionStorage", "choice"),
    "database": Leak(
        "indexedDB.open('base').onupgradeneeded = (e) =>"
        " e.target.result.createObjectStore('answers').put(a, 1)", "IndexedDB", "answers",
        late=False,
    ),
    "cache": Leak(
        "caches.open('c').then((c) => c.put('/cached', new Response(a)))", "Cache", "/cached",
        late=False,
    ),
    "name": Leak("window.name = a", "window.name", "", late=False),
    "title": Leak("document.title = a", "title", "", late=False),
    "fragment": Leak(
        "history.replaceState(history.state, '', `#${a}`)", "address", "fragment", late=False),
    "history": Leak("history.replaceState(a, '')", "history", "state", late=False),
}  # fmt: skip

# When a script runs; one that leaks on the next visit must remember the answer until then.
TIMES = {
    "as it is chosen": "addEventListener('change', () => leak());",
    "as it is sent": "addEventListener('submit', () => leak());",
    "when it was sent": "sent.then(() => leak());",
    "much later": "sent.then(() => setTimeout(() => leak(), 40_000));",
    "as the page is left": "addEventListener('pagehide', () => leak());",
    "as it is hidden": (
        "addEventListener('visibilitychange', () => document.hidden && leak(), true);"
    ),
    "on the next visit": (
        "addEventListener('submit', () => localStorage.memory = answer());"
        " if (localStorage.memory) leak(localStorage.memory);"
    ),
}
LATE = {"as the page is left", "as it is hidden"}

_PAGE = """<!doctype html><meta charset="utf-8"><title>A question</title><body>
<form><fieldset><legend>Tea or coffee?</legend>
<label><input type="radio" name="q" value="tea"> tea</label>
<label><input type="radio" name="q" value="coffee"> coffee</label>
</fieldset><button>Send</button></form>
<script>
const answer = () => new FormData(document.forms[0]).get("q");
let told; const sent = new Promise((done) => told = done);
addEventListener("submit", async (event) => {
  event.preventDefault();
  const [word] = crypto.getRandomValues(new Uint32Array(1));
  const own = answer() === "tea" ? 0 : 1, hit = word / 2 ** 32 < HIT;
  const report = Uint8Array.of(1 << (hit ? own : 1 - own));
  const key = crypto.randomUUID();
  localStorage.report = [report, key];
  await fetch("/surveys/tea/reports", {method: "POST", body: report, headers: {Key: key}});
  told();
});
SCRIPTS
</script>"""


def page(leaks):
    """The page that gives answers away so: a time for each name of a leak."""
    scripts = [
        f"{{const leak = (a = answer()) => {{const i = a === 'tea' ? 0 : 1; {LEAKS[name].script}}};"
        f" {TIMES[time]}}}"
        for name, time in leaks.items()
    ]
    mechanism = TEA.mechanism
    return _PAGE.replace("HIT", f"{float(mechanism.g)}").replace("SCRIPTS", "\n".join(scripts))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Say nothing: a browser that goes away closes its connections."""


class LeakySite:
    """A server of one page, `html`, that answers whatever else it is asked; WebSockets, too."""

    def __init__(self, tls=None):
        self.html, site = page({}), self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = urlsplit(self.path).path
                if path == "/socket":
                    self._open_socket()
                elif path == "/":
                    other = f"http://localhost:{self.server.server_port}"
                    self._answer(site.html.replace("OTHER", other), "text/html")
                elif path == "/service-worker.js":
                    self._answer("// Nothing is done here.", "text/javascript")
                else:
                    self._answer("{}", "application/json")

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self._answer("{}", "application/json")

            def do_HEAD(self):
                self._answer("", "application/json")

            def _answer(self, text, kind):
                body = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def _open_socket(self):
                magic = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
                self.send_response_only(101)
                self.send_header("Upgrade", "websocket")
                self.send_header("Connection", "Upgrade")
                self.send_header(
                    "Sec-WebSocket-Accept", b64encode(sha1(magic.encode()).digest()).decode()
                )
                self.end_headers()
                while self.rfile.read(1):
                    pass
                self.close_connection = True

            def log_message(self, *said):
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self._server.server_port}/"
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def end(self):
        self._server.shutdown()
        self._server.server_close()
