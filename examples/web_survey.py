"""A survey over real HTTP: a collector, and people who post their reports to it.

The server hands out the survey, takes reports (one-time tokens limit each person to one), and keeps
a tally and nothing else. This file shows everything that crosses the wire. A browser would do what
`answer` does; docs/algorithm.md says how, byte by byte.
"""

import random
import secrets
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import privet

SURVEY = privet.Survey(
    "Did you ever cheat in an exam?", ["yes", "no", "rather not say"], epsilon=1.0, id="exams-2026"
)
PEOPLE = 3000


class Collector(ThreadingHTTPServer):
    """The server's side, trusted with nothing."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tally = SURVEY.tally()
        self.tokens = {secrets.token_urlsafe(16) for _ in range(PEOPLE)}
        self.lock = threading.Lock()

    def collect(self, token: str, body: bytes) -> int:
        """Return the HTTP status. A valid report uses up its token, which is then forgotten."""
        with self.lock:
            if token not in self.tokens:
                return 403
            try:
                self.tally.update(body)
            except privet.errors.InvalidReport:
                return 400
            self.tokens.remove(token)
            return 204


class Handler(BaseHTTPRequestHandler):
    """Serve the survey, take reports, log nothing."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # small packets leave at once
    server: Collector

    def do_GET(self) -> None:
        """Serve the survey, the same static text for everyone."""
        body = SURVEY.to_json().encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """Take one report."""
        size = SURVEY.mechanism.report_bytes
        fits = self.headers.get("Content-Length") == str(size)
        body = self.rfile.read(size) if fits else b""
        self.close_connection = not fits  # the rest of the request is left unread
        self.send_response(self.server.collect(self.headers.get("X-Token", ""), body))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Keep no log of who came when."""


def answer(connection: HTTPConnection, token: str, word: str, secret: bytes) -> int:
    """Fetch the survey, randomize, post, as a person's browser would. Return the status."""
    connection.request("GET", "/survey.json")
    survey = privet.Survey.from_json(connection.getresponse().read())
    if survey.epsilon > 1.0:  # the client's own limit
        raise SystemExit("This survey asks for too much.")
    report = survey.randomize(word, secret=secret)
    connection.request("POST", "/reports", body=report, headers={"X-Token": token})
    reply = connection.getresponse()
    reply.read()
    return reply.status


def main() -> None:
    """Ask three thousand people over the loopback interface, and print the estimate."""
    server = Collector()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    connection = HTTPConnection(*server.server_address)
    crowd = random.choices(["yes", "no", "rather not say"], weights=[30, 60, 10], k=PEOPLE)
    invited = list(zip(server.tokens, crowd, strict=True))
    for token, word in invited:
        if answer(connection, token, word, secrets.token_bytes(32)) != 204:
            raise SystemExit("A report was refused.")
    again = answer(connection, invited[0][0], "no", secrets.token_bytes(32))
    print(f"{server.tally.n:,} reports of {SURVEY.mechanism.report_bytes} byte came over HTTP.")
    print(f"Answering twice with one token: {again}.\n")
    print(server.tally.estimate())
    shares = ", ".join(f"{word} {crowd.count(word) / PEOPLE:.4f}" for word in SURVEY.categories)
    print(f"\nWhat people really did (only this script can know): {shares}.")
    connection.close()
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()
