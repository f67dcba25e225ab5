"""How often one address may ask, and that nobody's address is noted."""

import pytest

from privet.service import limits
from privet.service.limits import RateLimit
from serving import Serving


class Clock:
    """A time that only the test moves."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_a_minutes_worth_may_come_at_once_and_then_at_the_steady_rate(clock):
    limit = RateLimit(60, clock)
    assert [limit.wait("1.2.3.4") for _ in range(60)] == [0.0] * 60
    assert limit.wait("1.2.3.4") == pytest.approx(1.0)
    assert limit.wait("1.2.3.5") == 0.0  # somebody else
    clock.now += 1.0
    assert limit.wait("1.2.3.4") == 0.0
    assert limit.wait("1.2.3.4") > 0.0
    clock.now += 60.0
    assert [limit.wait("1.2.3.4") for _ in range(60)] == [0.0] * 60


@pytest.mark.parametrize("address", ["127.0.0.1", "127.3.0.1", "::1"])
def test_this_machine_is_not_limited(clock, address):
    limit = RateLimit(1, clock)
    assert all(limit.wait(address) == 0.0 for _ in range(100))


def test_zero_is_no_limit(clock):
    limit = RateLimit(0, clock)
    assert all(limit.wait("1.2.3.4") == 0.0 for _ in range(100))


def test_a_household_has_one_limit_and_one_address_one_name(clock):
    limit = RateLimit(1, clock)
    for one, other in (
        ("2001:db8:1:2::1", "2001:db8:1:2::2"),
        ("1.2.3.4", "::ffff:1.2.3.4"),
        ("fe80::1%eth0", "fe80::1"),
        ("/run/socket", "/run/socket"),
    ):
        assert limit.wait(one) == 0.0
        assert limit.wait(other) > 0.0
    assert limit.wait("2001:db8:2:2::1") == 0.0


def test_addresses_are_known_for_a_day_by_a_salted_hash(clock):
    limit = RateLimit(1, clock)
    limit.wait("1.2.3.4")
    (who,) = limit._paid
    assert len(who) == 32
    other = RateLimit(1, clock)
    other.wait("1.2.3.4")
    assert who not in other._paid  # as each has a salt of its own
    clock.now += 86_400
    assert limit.wait("1.2.3.4") == 0.0
    assert list(limit._paid) != [who]


def test_what_is_known_is_bounded(clock, monkeypatch):
    monkeypatch.setattr(limits, "_MOST_KNOWN", 10)
    limit = RateLimit(60, clock)
    for i in range(25):
        assert limit.wait(f"1.2.3.{i}") == 0.0
        assert len(limit._paid) <= 10
    clock.now += 2.0  # all are paid off
    limit.wait("1.2.4.1")
    assert len(limit._paid) <= 10


def test_an_address_that_a_proxy_tells_is_limited_and_not_noted(tmp_path):
    with Serving(tmp_path, more=("--proxy", "127.0.0.1", "--per-minute", "5")) as server:
        client = server.client()

        def ask(address):
            return client.get("/healthz", X_Forwarded_For=address)

        assert [ask("203.0.113.7").status for _ in range(5)] == [200] * 5
        answer = ask("203.0.113.7")
        assert (answer.status, answer.json["reason"]) == (429, "too-many")
        assert 1 <= int(answer.headers["retry-after"]) <= 12
        assert ask("203.0.113.8").status == 200
        assert client.get("/healthz").status == 200  # the proxy itself
        assert server.terminate() == 0
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert not any(b"203.0.113" in data for data in files)
