"""What the tests of the commands share: a small crowd, and ways to run a command."""

import json
import os
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
from click.testing import CliRunner
from matplotlib.image import imread

from privet import Survey, cli
from privet.bulk import ReportsWriter

PRIVET = str(Path(sysconfig.get_path("scripts")) / "privet")
SHARES = {"tea": 50, "coffee": 30, "juice": 15, "neither": 5}
SURVEY = Survey("What do you drink?", list(SHARES), 2.0, id="drinks")
USAGE, BAD_DATA, SYSTEM, INTERRUPTED = 2, 3, 4, 130


def run(*args):
    """Run the command in this process."""
    return CliRunner().invoke(cli.main, [str(arg) for arg in args])


def succeeds(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    return result.stdout


def real(*args, folder=None, **environment):
    """Run the installed command, with every warning an error."""
    environment = os.environ | {"PYTHONWARNINGS": "error"} | environment
    return subprocess.run(
        [PRIVET, *args], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def shares(*args):
    """What privet estimate says of reports of SURVEY."""
    return json.loads(succeeds("estimate", "survey.json", *args, "--json"))


def assert_is_a_picture(path):
    pixels = imread(path)
    assert min(pixels.shape[:2]) > 200
    assert pixels[..., :3].std() > 0.05


def contents(folder):
    """Every file below a folder, hidden ones included, with its bytes."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def fails(code, *args):
    """Run a command that must fail with one line and touch nothing; return the line."""
    before = contents(Path())
    result = run(*args)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert contents(Path()) == before
    return line.removeprefix("Error: ")


def instead(args, option, value):
    """The arguments with another value of an option, which can be given once."""
    at = args.index(option) if option in args else len(args)
    return [*args[:at], option, value, *args[at + 2 :]]


def answers(people):
    """A CSV file of the crowd's answers, shuffled."""
    crowd = [name for name, share in SHARES.items() for _ in range(people * share // 100)]
    np.random.default_rng(7).shuffle(crowd)
    return "answer\n" + "".join(f"{answer}\n" for answer in crowd)


def write_reports(path, reports, survey=SURVEY):
    with ReportsWriter(Path(path), survey) as writer:
        writer.write(reports)
