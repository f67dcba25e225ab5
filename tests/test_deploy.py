"""The files for deployment: their commands are commands, and the unit is what systemd accepts.

Neither a container nor a unit is run here. `make lint` checks the Containerfile and the schema of
compose.yaml.
"""

import ast
import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from ruamel.yaml import YAML

from commands import PRIVET
from privet import cli
from serving import Serving

DEPLOY = Path(__file__).parents[1] / "deploy"
CONTAINER = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
COMPOSE = YAML(typ="safe").load(DEPLOY / "compose.yaml")
UNIT = (DEPLOY / "privet.service").read_text()


def instruction(name):
    """The last instruction of that name in the Containerfile."""
    return re.findall(rf"^{name} +(.*)$", CONTAINER, re.MULTILINE)[-1]


def unit():
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = str
    parser.read_string(UNIT)
    return parser["Service"]


PROCESSES = {name: one for name, one in COMPOSE["services"].items() if name.startswith("privet")}
COMMANDS = {
    "Containerfile": [
        word for name in ("ENTRYPOINT", "CMD") for word in ast.literal_eval(instruction(name))
    ],
    "privet.service": ["privet", *shlex.split(unit()["ExecStart"])[1:]],
    **{name: ["privet", *one["command"]] for name, one in PROCESSES.items()},
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_commands_are_commands(words):
    assert words[:2] == ["privet", "serve"]
    command = cli.main.get_command(click.Context(cli.main), "serve")
    given = command.make_context("serve", words[2:]).params
    assert given["port"] == 8000
    assert given["token_file"] is not None


def test_two_processes_share_a_database_that_is_healthy_before_them():
    assert len(PROCESSES) == 2
    for one in PROCESSES.values():
        assert one["depends_on"] == {"db": {"condition": "service_healthy"}}
        (proxy,) = [word for word in one["command"] if word.startswith("--proxy")]
        (network,) = COMPOSE["networks"]["default"]["ipam"]["config"]
        assert proxy == f"--proxy={network['gateway']}"
    assert {name for one in COMPOSE["services"].values() for name in one["secrets"]} == set(
        COMPOSE["secrets"]
    )


def test_what_the_container_is_built_from_is_there():
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", CONTAINER, re.MULTILINE)
    assert copied
    for name in " ".join(copied).split():
        assert (DEPLOY.parent / name).exists(), name


def test_the_container_runs_as_nobody_in_particular():
    assert int(instruction("USER")) > 0
    assert f"--uid {instruction('USER')} " in instruction("RUN")


def test_the_check_of_health_fails_where_nothing_answers(tmp_path):
    program, *words = ast.literal_eval(instruction("HEALTHCHECK").partition("CMD")[2].strip())
    assert program == "python"

    def check(url):
        here = [word.replace("http://127.0.0.1:8000", url) for word in words]
        return subprocess.run([sys.executable, *here], stderr=subprocess.DEVNULL).returncode

    with Serving(tmp_path) as server:
        assert check(server.url) == 0
        assert server.terminate() == 0
        assert check(server.url) != 0


def analyze(*words, file):
    """Run systemd-analyze; where there is none, skip the test, or fail in CI."""
    if shutil.which("systemd-analyze") is None:
        reason = "There is no systemd-analyze; on Debian: apt install systemd"
        assert os.environ.get("CI") != "true", reason
        pytest.skip(reason)
    return subprocess.run(["systemd-analyze", *words, file], capture_output=True, text=True)


def test_systemd_accepts_the_unit_and_finds_little_exposed(tmp_path):
    place = shlex.split(unit()["ExecStart"])[0]
    file = tmp_path / "privet.service"
    file.write_text(UNIT.replace(place, PRIVET))
    found = analyze("verify", file=file)
    assert (found.returncode, found.stdout + found.stderr) == (0, "")
    found = analyze("security", "--offline=true", "--threshold=20", file=file)  # 2.0 of 10
    assert found.returncode == 0, found.stdout


def test_a_unit_with_a_mistake_is_not_accepted(tmp_path):
    file = tmp_path / "privet.service"
    file.write_text(UNIT.replace("ProtectSystem=strict", "ProtectSystem=stricter"))
    assert "ignoring: stricter" in analyze("verify", file=file).stderr
