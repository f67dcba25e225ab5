"""Many clients at once, and servers that are killed under them.

    python tests/support/load.py 20 sqlite     # so many kills, of a server on a file
    python tests/support/load.py 20 postgres   # of two servers, and PostgreSQL restarted twice

What was acknowledged is stored, and what a client sends again is not counted again.
"""

import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from http.client import HTTPException
from pathlib import Path
from secrets import randbelow, token_urlsafe
from threading import Event, Thread
from urllib.parse import urlsplit

from postgres import Server
from privet import Survey
from privet.store import open_store
from serving import Serving

SURVEY = Survey("Which?", [f"c{i}" for i in range(128)], 1.0, mechanism="k-subset", id="load")
SIZE = SURVEY.mechanism.report_bytes
CONNECTIONS = 6


class Sender(Thread):
    """A client that sends one request after the other, each until it is acknowledged.

    Where the server does not answer it tries again, or gives up if it is not `patient`.
    """

    def __init__(self, server, *, patient=False):
        super().__init__()
        self._client, self._patient = server.client(), patient
        self.sent, self.acknowledged, self.attempts = {}, {}, 0
        self.ended = Event()

    def run(self):
        with closing(self._client):
            self._go_on()

    def _go_on(self):
        while not self.ended.is_set():
            key = token_urlsafe(16)
            self.sent[key] = SURVEY.randomize_batch(["c1"] * (1 + randbelow(3))).tobytes()
            while not self.send(key):
                if not self._patient:
                    return
                time.sleep(0.05)

    def send(self, key):
        """Send a request once; return whether it was acknowledged."""
        self.attempts += 1
        try:
            answer = self._client.send(SURVEY.id, self.sent[key], key)
        except (OSError, HTTPException):
            self._client.close()
            return False
        if answer.status == 200:
            self.acknowledged[key] = answer.json["outcome"]
        return answer.status == 200


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


def stored(place):
    """The multiset of the reports in a store that nobody serves, which must be sound."""
    with open_store(place, create=False) as store:
        assert store.check(SURVEY.id) is None
        return rows(store.reports(SURVEY.id))


def begin(folder, place=None):
    """Make the survey."""
    with Serving(folder, place) as server:
        assert server.client().create(SURVEY).status == 201


class Besieged:
    """Servers of one store that are killed, and start again where they were."""

    def __init__(self, folder, place, servers):
        self._where = [(folder, place, f"token{i}") for i in range(servers)]
        self._serving = [Serving(*where) for where in self._where]
        self.senders = [
            Sender(self._serving[i % servers], patient=True) for i in range(2 * CONNECTIONS)
        ]

    def kill_one(self):
        """Kill a server at some moment, and start it again."""
        self._wait(20)
        at = randbelow(len(self._serving))
        port = urlsplit(self._serving[at].url).port
        self._serving[at].kill()
        self._serving[at] = Serving(*self._where[at], port=port)

    def _wait(self, requests):
        """Wait until so many more requests are acknowledged, and a moment longer."""
        enough = self._acknowledged + requests
        while self._acknowledged < enough:
            assert all(sender.is_alive() for sender in self.senders)
            time.sleep(0.005)
        time.sleep(randbelow(100) / 1000)

    @property
    def _acknowledged(self):
        return sum(len(sender.acknowledged) for sender in self.senders)

    def end(self):
        """Let the senders finish, and the servers."""
        for sender in self.senders:
            sender.ended.set()
        for sender in self.senders:
            sender.join()
        assert [server.terminate() for server in self._serving] == [0] * len(self._serving)

    def __enter__(self):
        for sender in self.senders:
            sender.start()
        return self

    def __exit__(self, *error):
        for sender in self.senders:
            sender.ended.set()
        for server in self._serving:
            server.__exit__(*error)


def siege(folder, place, kills, *, servers=1, between=None):
    """Kill servers under load; return how many requests and attempts there were.

    `between(i)` is done before the kill of that number.
    """
    begin(folder, place)
    with Besieged(folder, place, servers) as besieged:
        for i in range(kills):
            if between is not None:
                between(i)
            besieged.kill_one()
        besieged.end()
    sent = {key: body for one in besieged.senders for key, body in one.sent.items()}
    acknowledged = {key for one in besieged.senders for key in one.acknowledged}
    assert acknowledged == set(sent)
    assert stored(place) == rows(sent.values())
    outcomes = Counter(how for one in besieged.senders for how in one.acknowledged.values())
    return len(sent), sum(one.attempts for one in besieged.senders), outcomes["already"]


def restarting(server, when):
    """Return what restarts PostgreSQL before some kills, as a power failure would."""

    def between(i):
        if i in when:
            server.stop("immediate")
            server.start()

    return between


def main(kills, kind):
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            return siege(folder, str(Path(folder) / "surveys.db"), kills)
        server = Server()
        try:
            between = restarting(server, (kills // 3, 2 * kills // 3))
            return siege(folder, server.new_database(), kills, servers=2, between=between)
        finally:
            server.remove()


if __name__ == "__main__":
    requests, attempts, repeated = main(int(sys.argv[1]), sys.argv[2])
    print(f"{requests:,} requests in {attempts:,} attempts: each stored once.")
    print(f"{repeated} were stored when their server was killed before it could say so.")
