"""Node and Chromium, which the tests of the browser's client need and pip does not bring."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src/privet/service/static"
VECTORS = ROOT / "tests/vectors"
SCRIPTS = ROOT / "tests/browser"


def need(command, package):
    """Return a program's path; where there is none, skip the test, or fail in CI."""
    found = shutil.which(command)
    if found is None:
        reason = f"There is no {command}; on Debian: apt install {package}"
        assert os.environ.get("CI") != "true", reason
        pytest.skip(reason)
    return found


def run_node(script, given=None):
    """Run a script as a module in the folder of the client, and return the JSON that it prints.

    `given` is what the script finds as JSON on its standard input.
    """
    node = need("node", "nodejs")
    command = [node, "--input-type=module", "--eval", script]
    done = subprocess.run(
        command, cwd=STATIC, input=json.dumps(given), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def all_vectors():
    """Return the files of vectors that a client is checked against, by name."""
    names = "algorithm", "others", "sets", "designs", "contracts", "answers"
    return {name: json.loads((VECTORS / f"{name}.json").read_text()) for name in names}
