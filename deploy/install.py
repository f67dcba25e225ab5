"""Install privet and what it needs, every file of which must have a hash of constraints.txt.

    python deploy/install.py                           # the locked pip alone
    python deploy/install.py --group lock              # and a group of tools
    python deploy/install.py all,spark --group dev --editable

It installs for the Python that runs it, or for the environment that `--python` names, with the pip
of the former. pip verifies no folder, so privet comes last, and alone.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "constraints.txt"
BUILT = ["--build-constraint", str(LOCK)]
LOCKED = ["--constraint", str(LOCK), *BUILT]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def locked_pip() -> None:
    """Install the locked pip: an older one verifies its hash, but takes none from constraints."""
    (entry,) = re.findall(r"^pip==(?:.*\\\n)*.*$", LOCK.read_text(), re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "pip.txt")
        wanted.write_text(entry)
        command = [*PIP, "install", "--quiet", "--require-hashes", "--requirement", str(wanted)]
        subprocess.run(command, check=True)


def needed(extras: list[str]) -> list[str]:
    """Return what these extras name, by themselves or by other extras."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    found = []
    for requirement in [one for extra in extras for one in known[extra]]:
        own = re.fullmatch(r"privet\[(.+)\]", requirement)
        found += needed(own[1].split(",")) if own else [requirement]
    return found


def main() -> None:
    """Install as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("extras", nargs="?", help="extras of privet, as in all,spark; '' for none")
    parser.add_argument("--group", action="append", default=[], help="a group of dependencies")
    parser.add_argument("--editable", action="store_true", help="privet from this folder's files")
    parser.add_argument("--project", default=str(ROOT), help="privet's folder, or a built file")
    parser.add_argument("--python", help="the environment to install into")
    given = parser.parse_args()
    if given.python is None:
        locked_pip()
    pip = [*PIP, *(["--python", given.python] if given.python else []), "install", "--quiet"]
    what = needed(given.extras.split(",")) if given.extras else []
    what += [f"--group={ROOT / 'pyproject.toml'}:{group}" for group in given.group]
    if what:
        subprocess.run([*pip, *LOCKED, "--require-hashes", *what], check=True)
    if given.extras is not None:
        project = ["--editable", given.project] if given.editable else [given.project]
        subprocess.run([*pip, *BUILT, "--no-deps", *project], check=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:  # pip has said why
        sys.exit(error.returncode)
