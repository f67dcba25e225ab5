"""What is kept because it was used last has a bound in bytes."""

import asyncio
from typing import NamedTuple

import pytest

from privet import Survey
from privet.service import estimating
from privet.service.estimating import Files, Recent


class Sent(NamedTuple):
    body: bytes


def test_those_used_last_are_kept_up_to_so_many_bytes():
    recent = Recent(10)
    for key, size in (("a", 4), ("b", 4), ("c", 2)):
        recent.keep(key, Sent(bytes(size)))
    assert recent.get("a") == Sent(bytes(4))
    recent.keep("d", Sent(bytes(1)))
    assert [recent.get(key) is not None for key in "abcd"] == [True, False, True, True]
    recent.keep("d", Sent(bytes(4)))  # in the place of the one before
    assert [recent.get(key) is not None for key in "acd"] == [True, True, True]
    recent.forget("a")
    recent.keep("e", Sent(bytes(4)))
    assert [recent.get(key) is not None for key in "acde"] == [False, True, True, True]


def test_the_last_is_kept_alone_if_it_is_larger():
    recent = Recent(10)
    recent.keep("a", Sent(bytes(4)))
    recent.keep("b", Sent(bytes(11)))
    assert recent.get("a") is None
    assert recent.get("b") == Sent(bytes(11))
    recent.keep("c", Sent(bytes(1)))
    assert recent.get("b") is None
    assert recent.get("c") == Sent(bytes(1))


@pytest.fixture
def made(monkeypatch):
    """The ids of the surveys whose files were made, which have about 9 kB each."""
    make, ids = estimating._file, []

    def watched(tally, asked, ending):
        ids.append(tally.survey.id)
        return make(tally, asked, ending)

    monkeypatch.setattr(estimating, "_file", watched)
    return ids


def test_files_of_estimates_have_a_bound_in_bytes(made, monkeypatch):
    monkeypatch.setattr(estimating, "MAX_FILE_BYTES", 30_000)
    tallies = []
    for i in range(6):
        survey = Survey("Which?", [f"c{j}" for j in range(80)], 1.0, id=f"s{i}")
        tallies.append(survey.tally())
        tallies[-1].update(survey.randomize_batch(["c1"] * 20))

    async def story():
        files = Files()
        sizes = [len(await files.of(tally, [], "csv")) for tally in tallies]
        assert all(8000 < size < 10_000 for size in sizes)
        assert made == [f"s{i}" for i in range(6)]
        for i in (5, 4, 3, 0, 5, 3):  # when 0 is made, 3 has been used later than 5
            await files.of(tallies[i], [], "csv")
        assert made[6:] == ["s0", "s5"]

    asyncio.run(story())


def test_a_file_of_more_reports_takes_the_place_of_the_one_before(made):
    survey = Survey("Which?", ["yes", "no"], 1.0, id="s")
    tally = survey.tally()

    async def story():
        files = Files()
        for n in (1, 2):
            tally.update(survey.randomize_batch(["yes"]))
            for _ in range(2):
                await files.of(tally, [], "csv")
            assert len(made) == n

    asyncio.run(story())
