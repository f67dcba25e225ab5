"""Under load: kills, an orderly end, one key from everywhere, no room left, two servers."""

import resource
import subprocess
import time
from collections import Counter
from threading import Barrier, Thread

import pytest

from flood import HALF, connect, posting
from load import SURVEY, begin, loaded, restarting, rows, siege, stored
from postgres import Server as Postgres
from privet.store import open_store
from serving import Serving

ONE = SURVEY.randomize("c1")
KEY = "K" * 22


@pytest.fixture(scope="module")
def postgres():
    server = Postgres()
    yield server
    server.remove()


def test_what_is_acknowledged_survives_kills_and_nothing_counts_twice(tmp_path):
    requests, attempts, _ = siege(tmp_path, str(tmp_path / "surveys.db"), 5)
    assert requests >= 100
    assert attempts > requests  # as some had to be sent again


def test_two_servers_of_a_database_that_fails_too_lose_nothing(tmp_path, postgres):
    between = restarting(postgres, (1, 3))
    url = postgres.new_database()
    requests, attempts, _ = siege(tmp_path, url, 4, servers=2, between=between)
    assert requests >= 80
    assert attempts > requests


def test_an_orderly_end_answers_whatever_it_took(tmp_path):
    begin(tmp_path)
    with Serving(tmp_path) as server:
        senders = loaded(server, server.ask_to_end)
        assert server.wait() == 0
    sent = {key: body for sender in senders for key, body in sender.sent.items()}
    known = {key for sender in senders for key in sender.acknowledged}
    assert stored(tmp_path / "surveys.db") == rows(sent[key] for key in known)


def test_an_orderly_end_waits_for_bodies_that_come_and_for_nobody_else(tmp_path):
    begin(tmp_path)
    parts = [ONE[:1], ONE[1:]]
    with Serving(tmp_path) as server:
        idle, (silent, begun, slow, stalled) = server.client(), [connect(server) for _ in range(4)]
        assert idle.get("/healthz").status == 200
        begun.sendall(HALF)
        for one in (slow, stalled):
            one.sendall(posting(parts[0], len(ONE)))
        time.sleep(0.2)
        began = time.monotonic()
        server.ask_to_end()
        time.sleep(0.5)
        slow.sendall(parts[1])
        assert slow.recv(4096).startswith(b"HTTP/1.1 200 ")
        assert silent.recv(1) == begun.recv(1) == b""
        assert server.wait() == 0
        assert time.monotonic() - began < 6
        for one in (silent, begun, slow, stalled):
            one.close()
    assert stored(tmp_path / "surveys.db") == {ONE: 1}


def at_once(clients, do):
    """What each client gets when all do the same at the same time."""
    barrier, answers = Barrier(len(clients)), []

    def act(client):
        barrier.wait()
        answers.append(do(client))

    threads = [Thread(target=act, args=[client]) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_one_key_from_many_connections_counts_once(tmp_path):
    begin(tmp_path)
    with Serving(tmp_path) as server:
        for i in range(20):
            clients = [server.client() for _ in range(8)]
            answers = at_once(clients, lambda one: one.send(SURVEY.id, ONE, f"{i:022}"))  # noqa: B023
            outcomes = Counter(answer.json["outcome"] for answer in answers)
            assert outcomes == {"counted": 1, "already": 7}
        server.terminate()
    assert stored(tmp_path / "surveys.db") == {ONE: 20}


def test_one_key_with_two_bodies_counts_one_of_them(tmp_path):
    begin(tmp_path)
    with Serving(tmp_path) as server:
        bodies = iter([ONE, ONE * 2] * 4)
        clients = [server.client() for _ in range(8)]
        answers = at_once(clients, lambda one: one.send(SURVEY.id, next(bodies), KEY))
        assert Counter(answer.status for answer in answers) == {200: 4, 422: 4}
        server.terminate()
    assert stored(tmp_path / "surveys.db")[ONE] in (1, 2)


def test_where_a_file_may_not_grow_a_client_is_asked_to_come_again(tmp_path):
    begin(tmp_path)
    most = 1 << 20

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    body = ONE * 4000
    with Serving(tmp_path, preexec_fn=little_room) as server:
        client = server.client()
        answers = [client.send(SURVEY.id, body, f"{i:022}") for i in range(40)]
        refused = [i for i, answer in enumerate(answers) if answer.status != 200]
        assert 0 < len(refused) < 40
        assert {answers[i].json["reason"] for i in refused} <= {"full", "busy"}
        assert all(answers[i].headers["retry-after"] == "5" for i in refused)
        server.terminate()
    assert stored(tmp_path / "surveys.db") == {ONE: 4000 * (40 - len(refused))}
    noted = server.said.splitlines()[3:]
    assert noted
    assert all(line.startswith("Store") and "0000" not in line for line in noted)
    with Serving(tmp_path) as server:
        client = server.client()
        assert all(client.send(SURVEY.id, body, f"{i:022}").status == 200 for i in range(40))
        server.terminate()
    assert stored(tmp_path / "surveys.db") == {ONE: 160_000}


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 8 MB, which only root may make."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("No file system can be mounted here.")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_said_and_all_goes_on_when_there_is_room(tmp_path, small_disk):
    place, ballast = small_disk / "surveys.db", small_disk / "ballast"
    ballast.write_bytes(bytes(4 << 20))
    body = ONE * 4000
    with Serving(tmp_path, str(place)) as server:
        client = server.client()
        assert client.create(SURVEY).status == 201
        counted = 0
        while (answer := client.send(SURVEY.id, body, f"{counted:022}")).status == 200:
            counted += 1
        assert counted > 5
        assert (answer.status, answer.json["reason"]) == (507, "full")
        assert answer.headers["retry-after"] == "5"
        assert client.get(f"/surveys/{SURVEY.id}/estimate").json["n"] == 4000 * counted
        ballast.unlink()
        for i in range(counted + 2):
            outcome = client.send(SURVEY.id, body, f"{i:022}").json["outcome"]
            assert outcome == ("already" if i < counted else "counted")
        assert server.terminate() == 0
    with open_store(place, create=False) as store:
        assert store.check(SURVEY.id) is None
        assert store.size(SURVEY.id) == 4000 * (counted + 2)


def test_two_servers_of_one_database_count_a_key_once(tmp_path, postgres):
    url = postgres.new_database()
    with Serving(tmp_path, url) as first, Serving(tmp_path, url) as second:
        assert first.client().create(SURVEY).status == 201
        for i in range(10):
            clients = [server.client() for server in (first, second) * 3]
            answers = at_once(clients, lambda one: one.send(SURVEY.id, ONE, f"{i:022}"))  # noqa: B023
            outcomes = Counter(answer.json["outcome"] for answer in answers)
            assert outcomes == {"counted": 1, "already": 5}
        found = second.client().get(f"/surveys/{SURVEY.id}/estimate").json
        assert found["n"] == 10
        first.client().ask("POST", f"/surveys/{SURVEY.id}/close", admin=True)
        assert second.client().send(SURVEY.id, ONE).status == 409
        assert (first.terminate(), second.terminate()) == (0, 0)
