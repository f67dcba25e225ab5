"""What tests need and pip does not bring: installed where it may be, missed aloud elsewhere."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("components.sh")


@pytest.fixture
def run(tmp_path):
    """Return a way to run the script on a machine with nothing but these commands."""
    for name in ("postgres", "systemd-analyze", "node", "tsc", "chromium"):
        (tmp_path / name).touch(0o755)

    def run(user, packages, **environment):
        (tmp_path / "id").write_text(f"#!/bin/sh\necho {user}\n")
        (tmp_path / "apt-get").write_text(
            "#!/bin/sh\n"
            f'echo "$*" >>{tmp_path}/log\n'
            f'case "$*" in *"{packages or "?"}") exit 0;; esac\n'
            '[ "$1" = update ]\n'
        )
        for name in ("id", "apt-get"):
            (tmp_path / name).chmod(0o755)
        here = {"PATH": str(tmp_path), "POSTGRES": str(tmp_path)}
        done = subprocess.run(
            ["/bin/sh", SCRIPT], capture_output=True, text=True, env=here | environment
        )
        assert done.stderr == ""
        log = tmp_path / "log"
        return done.returncode, done.stdout, log.read_text() if log.exists() else ""

    return run


def is_missed(said, command="java", package="openjdk-17-jre-headless"):
    """Whether the last line names what is missing, and how to install it."""
    last = said.splitlines()[-1]
    return f"no {command}" in last and last.endswith(f"apt install {package}")


def test_what_is_there_is_left_alone(run, tmp_path):
    (tmp_path / "java").write_text("#!/bin/sh\n")
    (tmp_path / "java").chmod(0o755)
    assert run(0, None) == (0, "", "")


def test_what_is_there_under_another_name(run, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").touch(0o755)
    assert run(0, None, JAVA_HOME=str(tmp_path)) == (0, "", "")


@pytest.mark.parametrize("package", ["openjdk-17-jre-headless", "default-jre-headless"])
def test_who_may_install_does(run, package):
    status, said, log = run(0, package)
    assert (status, said.count("\n")) == (0, 1)
    assert "installing java" in said
    assert log.endswith(f"--no-install-recommends {package}\n")


def test_who_may_not_is_told(run):
    status, said, log = run(1000, "openjdk-17-jre-headless")
    assert (status, said.count("\n"), log) == (0, 1, "")
    assert is_missed(said)


def test_where_it_cannot_be_had(run):
    status, said, log = run(0, None)
    assert (status, said.count("\n")) == (0, 2)
    assert "installing java" in said
    assert is_missed(said)
    assert "update -qq" in log


def test_ci_skips_nothing(run):
    status, said, _ = run(1000, None, CI="true")
    assert (status, said.count("\n")) == (1, 1)
    assert is_missed(said)


def test_a_server_where_debian_has_it(run, tmp_path):
    (tmp_path / "java").touch(0o755)
    (tmp_path / "postgres").unlink()
    status, said, log = run(1000, None)
    assert (status, said.count("\n"), log) == (0, 1, "")
    assert is_missed(said, "postgres", "postgresql")
    for version in ("15", "17"):
        folder = tmp_path / version / "bin"
        folder.mkdir(parents=True)
        (folder / "postgres").touch(0o755)
    assert run(1000, None) == (0, "", "")


def test_a_server_is_installed(run, tmp_path):
    (tmp_path / "java").touch(0o755)
    (tmp_path / "postgres").unlink()
    status, said, log = run(0, "postgresql")
    assert (status, said.count("\n")) == (0, 1)
    assert "installing postgres" in said
    assert log.endswith("--no-install-recommends postgresql\n")


@pytest.mark.parametrize(
    ("command", "package", "who"),
    [
        ("node", "nodejs", "the browser's client"),
        ("tsc", "node-typescript", "the client's types"),
        ("chromium", "chromium", "the client's pages"),
    ],
)
def test_what_the_browsers_client_needs(run, tmp_path, command, package, who):
    (tmp_path / "java").touch(0o755)
    (tmp_path / command).unlink()
    missed = (
        f"tests: there is no {command}, and the tests of {who} are skipped; "
        f"on Debian: apt install {package}\n"
    )
    assert run(1000, None) == (0, missed, "")
    assert run(1000, None, CI="true") == (1, missed, "")
    status, said, log = run(0, package)
    assert (status, said) == (0, f"tests: installing {command} for {who}\n")
    assert log.endswith(f"--no-install-recommends {package}\n")
