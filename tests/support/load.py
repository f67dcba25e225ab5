"""Many clients at once, and a server that is killed under them.

    python tests/support/load.py 20        # as many kills, printed one by one

What was acknowledged is stored, and what a client sends again is not counted again.
"""

import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from queue import SimpleQueue
from secrets import randbelow, token_urlsafe
from threading import Thread

from privet import Survey
from privet.store import open_store
from serving import Serving

SURVEY = Survey("Which?", [f"c{i}" for i in range(128)], 1.0, mechanism="k-subset", id="load")
SIZE = SURVEY.mechanism.report_bytes
CONNECTIONS = 6


class Sender(Thread):
    """A client that sends until the server does not answer; it knows what was acknowledged."""

    def __init__(self, server):
        super().__init__()
        self._client = server.client()
        self.sent, self.acknowledged = {}, set()

    def run(self):
        with suppress(OSError, HTTPException):
            while True:
                key = token_urlsafe(16)
                self.sent[key] = SURVEY.randomize_batch(["c1"] * (1 + randbelow(3))).tobytes()
                self.send(key)

    def send(self, key):
        answer = self._client.send(SURVEY.id, self.sent[key], key)
        if answer.status == 200:
            self.acknowledged.add(key)


def loaded(server, end, enough=100):
    """Send from several connections, end the server at some moment, and return the senders."""
    senders = [Sender(server) for _ in range(CONNECTIONS)]
    for sender in senders:
        sender.start()
    while sum(len(sender.acknowledged) for sender in senders) < enough:
        assert any(sender.is_alive() for sender in senders), server.said
        time.sleep(0.01)
    time.sleep(randbelow(50) / 1000)
    end()
    for sender in senders:
        sender.join()
    return senders


def rows(bodies):
    """The multiset of the reports in some bodies."""
    return Counter(body[i : i + SIZE] for body in bodies for i in range(0, len(body), SIZE))


def stored(folder):
    """The multiset of the reports in a store that nobody serves, which must be sound."""
    with open_store(Path(folder) / "surveys.db", create=False) as store:
        assert store.check(SURVEY.id) is None
        return rows(store.reports(SURVEY.id))


def begin(folder):
    """Make the survey."""
    with Serving(folder) as server:
        client = server.client()
        assert client.create(SURVEY).status == 201


def sent_again(server, sent):
    """Send all requests once more, from several connections; return their outcomes."""
    clients = SimpleQueue()
    for _ in range(CONNECTIONS):
        clients.put(server.client())

    def send(key):
        client = clients.get()
        answer = client.send(SURVEY.id, sent[key], key)
        clients.put(client)
        return answer.json["outcome"]

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return dict(zip(sent, pool.map(send, sent), strict=True))


def kills(folder, times):
    """Yield how many requests were acknowledged and repeated, kill after kill."""
    begin(folder)
    before = Counter()
    for _ in range(times):
        with Serving(folder) as server:
            senders = loaded(server, server.kill)
        sent = {key: body for sender in senders for key, body in sender.sent.items()}
        known = {key for sender in senders for key in sender.acknowledged}
        found = stored(folder) - before
        assert rows(sent[key] for key in known) <= found <= rows(sent.values())
        with Serving(folder) as server:  # everything once more, whether acknowledged or not
            outcomes = sent_again(server, sent)
            server.terminate()
        assert all(outcomes[key] == "already" for key in known)
        before += rows(sent.values())
        assert stored(folder) == before
        yield len(known), len(sent) - len(known), list(outcomes.values()).count("counted")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for known, unknown, lost in kills(place, int(sys.argv[1])):
            print(f"{known:,} acknowledged, all stored; {unknown} unknown, {lost} of them lost")
