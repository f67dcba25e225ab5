"""A PostgreSQL that is frozen: the server says so, ends in time, and loses nothing it counted."""

import time
from secrets import token_urlsafe
from threading import Thread

import pytest

from load import SURVEY
from postgres import Server as Postgres
from privet.store import open_store
from serving import Client, Serving


@pytest.fixture
def postgres():
    server = Postgres()
    yield server
    server.thaw()
    server.remove()


def test_the_server_says_so_ends_in_time_and_loses_nothing(tmp_path, postgres):
    url, counted, sent = postgres.new_database(), [], []
    report = SURVEY.randomize("c1")

    def send():
        """Post reports until the server is gone."""
        client = Client(server.url)
        try:
            while True:
                sent.append(1)
                answer = client.send(SURVEY.id, report, token_urlsafe(16))
                if answer.status == 200:
                    counted.append(1)
        except OSError:
            client.close()

    def seconds_until(status):
        began = time.monotonic()
        while client.get("/readyz").status != status:
            assert time.monotonic() < began + 20
        return time.monotonic() - began

    with Serving(tmp_path, store=url) as server:
        client = server.client()
        client.create(SURVEY)
        threads = [Thread(target=send) for _ in range(2)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        postgres.freeze()
        assert seconds_until(503) < 10
        assert client.get("/healthz").status == 200
        postgres.thaw()
        assert seconds_until(200) < 10
        time.sleep(0.3)
        postgres.freeze()
        time.sleep(0.1)
        began = time.monotonic()
        assert server.terminate() == 0
        assert time.monotonic() - began < 30
        for thread in threads:
            thread.join()
    postgres.thaw()
    assert "Traceback" not in server.said
    with open_store(url) as store:
        assert len(counted) <= store.tally(SURVEY.id).n <= len(sent)
        assert store.check(SURVEY.id) is None
    assert len(counted) > 10
