"""A release, tried out: built twice to the same bytes, and installed on every Python that is here.

    python tests/support/releasing.py dist      # where the wheel and the source distribution go

The second time, it is built of the source distribution, in another folder and under another umask
and time zone. Every supported Python that this machine has installs both into empty environments:
bare, to make a report, and with privet[analysis], to run the demo.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPORT = """
import sys, privet
survey = privet.Survey.from_json(sys.argv[1])
assert len(survey.randomize("yes", secret=bytes(16))) == survey.mechanism.report_bytes
print(privet.__version__)
"""
SURVEY = (
    '{"privet":2,"id":"tea","question":"Tea?","categories":["yes","no"],"epsilon":1.0,'
    '"mechanism":{"name":"binary-rr","flip":"6964396094736529935"},"stream":"hmac-sha256"}'
)


def build(root: Path, folder: Path, **environment: str) -> tuple[Path, Path]:
    """Build the source distribution, and the wheel made from it."""
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, root],
        check=True, capture_output=True, env=os.environ | environment,
    )  # fmt: skip
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


def rebuild(source: Path, folder: Path) -> tuple[Path, Path]:
    """Build the same again, of the source distribution, as someone else would."""
    with tarfile.open(source) as file:
        file.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    before = os.umask(0o077)
    try:
        return build(root, folder / "dist", TZ="Pacific/Auckland", PYTHONHASHSEED="7")
    finally:
        os.umask(before)


def pythons() -> dict[str, str]:
    """Return the supported Pythons that this machine has, from pyenv or from the path."""
    found = {}
    for classifier in PROJECT["classifiers"]:
        minor = classifier.rpartition(" :: ")[2]
        if not minor.startswith("3."):
            continue
        kept = sorted(Path.home().glob(f".pyenv/versions/{minor}.*/bin/python"))
        for python in (*map(str, kept), shutil.which(f"python{minor}")):
            if (
                python
                and subprocess.run([python, "-c", "import venv"], check=False).returncode == 0
            ):
                found[minor] = python
                break
    return found


def try_out(python: str, built: Path, folder: Path) -> str:
    """Install a file into empty environments, use it, and return the version that it says."""
    install(python, str(built), folder / "bare")
    said = output(folder / "bare", "-c", REPORT, SURVEY)
    install(python, f"{built}[analysis]", folder / "analysis")
    output(folder / "analysis", "-m", "privet", "demo")
    return said.strip()


def install(python: str, what: str, folder: Path) -> None:
    """Install something and what it needs, as locked, into a new environment."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    project, _, extras = what.removesuffix("]").partition("[")
    command = [sys.executable, str(ROOT / "deploy" / "install.py"), extras]
    command += ["--project", project, "--python", str(folder)]
    subprocess.run(command, check=True, env=alone())


def alone() -> dict[str, str]:
    """Return an environment in which a Python finds nothing but what is installed for it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def output(environment: Path, *arguments: str) -> str:
    """Return what an environment's Python prints."""
    command = [environment / "bin" / "python", "-I", *arguments]
    return subprocess.run(
        command, check=True, cwd=environment, stdout=subprocess.PIPE, text=True
    ).stdout


def main(folder: Path) -> None:
    """Build, check and try out."""
    shutil.rmtree(folder, ignore_errors=True)
    built = build(ROOT, folder)
    with tempfile.TemporaryDirectory() as elsewhere:
        again = [file.read_bytes() for file in rebuild(built[0], Path(elsewhere))]
    for file, other in zip(built, again, strict=True):
        data = file.read_bytes()
        if data != other:
            sys.exit(f"{file}: built again, it has other bytes")
        print(
            f"{file.name}: {len(data):,} bytes, twice the same, SHA-256 {sha256(data).hexdigest()}"
        )
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *built], check=True)
    subprocess.run([sys.executable, "-m", "check_wheel_contents", built[1]], check=True)
    for minor, python in pythons().items():
        for file in built:
            with tempfile.TemporaryDirectory() as scratch:
                version = try_out(python, file.resolve(), Path(scratch))
            print(f"Python {minor}, {file.name}: {version} makes a report, and the demo runs")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
