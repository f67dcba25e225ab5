"""What is installed: the extras, the lock, the Pythons, and what is in a wheel."""

import email
import re
import subprocess
import sys
import tarfile
import tomllib
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import releasing

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
WORKFLOW = (ROOT / ".github/workflows/tests.yml").read_text()

ANALYSIS = {
    "click", "cryptography", "matplotlib", "numba", "numpy", "pyarrow", "rich", "scipy",
}  # fmt: skip
SERVE = {"httptools", "jinja2", "msgspec", "starlette", "uvicorn", "uvloop"}
POSTGRES = {"psycopg", "psycopg-pool"}


def name(requirement):
    """Return a requirement's package as the lock writes it."""
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-").replace(".", "-")


def packages(extra):
    """Return what an extra installs by name, the extras that it names included."""
    found = set()
    for requirement in EXTRAS[extra]:
        if own := re.fullmatch(r"privet\[(.+)\]", requirement):
            found |= {one for more in own[1].split(",") for one in packages(more)}
        else:
            found.add(name(requirement))
    return found


def test_a_person_needs_the_standard_library_alone():
    assert PROJECT["dependencies"] == []


def test_the_extras():
    assert {extra: packages(extra) for extra in EXTRAS} == {
        "analysis": ANALYSIS,
        "serve": ANALYSIS | SERVE,
        "postgres": ANALYSIS | SERVE | POSTGRES,
        "spark": ANALYSIS | {"pandas", "pyspark"},
        "browser": ANALYSIS | {"playwright"},
        "sheets": ANALYSIS | {"python-calamine"},
        "all": ANALYSIS | SERVE | POSTGRES | {"python-calamine"},
        "bulk": ANALYSIS,
        "plot": ANALYSIS,
    }


def test_everything_that_is_named_is_locked():
    groups = PYPROJECT["dependency-groups"]
    named = {
        name(one)
        for group in ("accuracy", "docs", "dev", "release", "fuzz", "mutation", "lock", "build")
        for one in groups[group]
        if type(one) is str
    }
    named |= packages("all") | packages("browser") | packages("spark")
    assert named <= locked(), "run make lock"


def locked():
    """Return what is locked: each package in one version, with the hashes of its files."""
    found = set()
    text = re.sub(r"^#.*\n", "", (ROOT / "constraints.txt").read_text(), flags=re.MULTILINE)
    for line in text.replace("\\\n", "").splitlines():
        pinned = re.fullmatch(
            r"([\w.-]+)==[\w.]+( ; .+?)?((?: +--hash=sha256:[0-9a-f]{64})+)", line
        )
        assert pinned, line  # neither an address nor a range
        found.add(name(pinned[1]))
    return found


def needed(requirements, seen):
    """Add to `seen` the packages that requirements need here, and what those need."""
    for requirement in map(Requirement, requirements):
        for extra in ["", *requirement.extras]:
            marker = requirement.marker
            key = (canonicalize_name(requirement.name), extra)
            if key in seen or not (marker is None or marker.evaluate({"extra": ""})):
                continue
            seen.add(key)
            needed(of_extra(requirement.name, extra), seen)
    return {package for package, _ in seen}


def of_extra(package, extra):
    """Return what a package, or an extra of it, requires in this environment."""
    try:
        lines = metadata.requires(package) or []
    except metadata.PackageNotFoundError:
        return
    for line in lines:
        one = Requirement(line)
        if one.marker is None or one.marker.evaluate({"extra": extra}):
            one.marker = None
            yield str(one)


def test_nothing_is_installed_that_is_not_locked():
    """Only a locked file is verified: what `make` installs here, and all that it brings along."""
    groups = PYPROJECT["dependency-groups"]
    named = [one for group in ("dev", "docs") for one in groups[group] if type(one) is str]
    for extra in ("all", "spark"):
        named += [one for one in EXTRAS[extra] if not one.startswith("privet")]
    for extra in ("analysis", "serve", "postgres", "sheets"):
        named += [one for one in EXTRAS[extra] if not one.startswith("privet")]
    found = needed(named, set())
    assert {"uvloop", "py4j", "llvmlite", "pygments"} <= found
    assert found <= locked(), "run make lock"


def test_a_file_that_is_not_the_locked_one_is_not_installed(tmp_path):
    """pip takes the hashes of constraints, also for packages that others bring along."""
    for package, needs in (("tea", "Requires-Dist: cup\n"), ("cup", "")):
        with ZipFile(tmp_path / f"{package}-1.0-py3-none-any.whl", "w") as wheel:
            info = f"{package}-1.0.dist-info"
            said = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n{needs}"
            wheel.writestr(f"{info}/METADATA", said)
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
    hashes = {
        package: sha256((tmp_path / f"{package}-1.0-py3-none-any.whl").read_bytes()).hexdigest()
        for package in ("tea", "cup")
    }

    def install(into):
        lines = [f"{package}==1.0 --hash=sha256:{digest}" for package, digest in hashes.items()]
        (tmp_path / "constraints.txt").write_text("\n".join(lines))
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-index"]
        pip += ["--find-links", tmp_path, "--target", tmp_path / into]
        pip += ["--constraint", tmp_path / "constraints.txt", "tea"]
        return subprocess.run(pip, capture_output=True, text=True, env=releasing.alone())

    assert install("good").returncode == 0
    assert (tmp_path / "good" / "cup-1.0.dist-info").exists()
    hashes["cup"] = sha256(b"another file").hexdigest()
    assert "DO NOT MATCH THE HASHES" in install("bad").stderr
    assert not (tmp_path / "bad").exists()


def test_everywhere_hashes_are_verified():
    files = ("Makefile", "deploy/Containerfile", *map(str, (ROOT / ".github/workflows").iterdir()))
    for file in files:
        text = (ROOT / file).read_text()
        commands = re.findall(
            r"(?:python -m pip install|/pip install|/python \$\((?:PIP|LOCKED)\)) .*$",
            text,
            re.MULTILINE,
        )
        for command in commands:
            # The peers, and the least versions, are of their own choice.
            others = "oldest.txt" in command or "benchmarks/requirements.txt" in command
            assert others or "LOCKED" in command or "--require-hashes" in command, (file, command)
        assert "deploy/install.py" in text
    assert re.search(
        r"^LOCKED := .*--require-hashes", (ROOT / "Makefile").read_text(), re.MULTILINE
    )


def test_the_pythons_that_are_claimed_are_tested():
    claimed = re.findall(
        r"'Programming Language :: Python :: (3\.\d+)'", str(PROJECT["classifiers"])
    )
    tested = re.search(r"\n  linux:.*?python: \[(.+?)\]", WORKFLOW, re.DOTALL)[1]
    assert re.findall(r"3\.\d+", tested) == claimed
    assert PROJECT["requires-python"] == f">={claimed[0]}"


def test_every_target_that_a_page_names_can_be_made():
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    pages = "".join((ROOT / page).read_text() for page in ("README.md", "CONTRIBUTING.md"))
    named = set(re.findall(r"(?:`|^    )make ([a-z]+)", pages, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the source distribution, and the wheel made from it."""
    return releasing.build(ROOT, tmp_path_factory.mktemp("dist"))


def test_built_again_elsewhere_they_have_the_same_bytes(built, tmp_path):
    for first, second in zip(built, releasing.rebuild(built[0], tmp_path), strict=True):
        assert first.name == second.name
        assert first.read_bytes() == second.read_bytes()


def test_the_time_of_a_release_is_that_of_its_commit(built, tmp_path):
    """As SOURCE_DATE_EPOCH says; so the test above would see other bytes."""
    later = releasing.build(ROOT, tmp_path, SOURCE_DATE_EPOCH="1700000000")
    for first, second in zip(built, later, strict=True):
        assert first.read_bytes() != second.read_bytes()
    with ZipFile(later[1]) as wheel:
        assert {one.date_time for one in wheel.infolist()} == {(2023, 11, 14, 22, 13, 20)}


def test_a_wheel_has_the_package_and_nothing_else(built):
    with ZipFile(built[1]) as wheel:
        found = {one for one in wheel.namelist() if ".dist-info/" not in one}
    package = ROOT / "src" / "privet"
    here = {path for path in package.rglob("*") if path.is_file()}
    kept = {path for path in here if "__pycache__" not in path.parts}
    assert found == {path.relative_to(package.parent).as_posix() for path in kept}
    assert {"privet/py.typed", "privet/paper/table1.csv", "privet/paper/report.html"} <= found
    assert {f"privet/service/static/{name}.js" for name in ("privet", "privet-survey")} <= found


def test_a_wheel_says_what_it_needs(built):
    with ZipFile(built[1]) as wheel:
        (path,) = (one for one in wheel.namelist() if one.endswith(".dist-info/METADATA"))
        said = email.message_from_bytes(wheel.read(path))
    assert said["License-Expression"] == "Apache-2.0"
    assert set(said.get_all("Provides-Extra")) == set(EXTRAS)
    assert all("extra ==" in one for one in said.get_all("Requires-Dist"))


def test_a_source_distribution_can_be_worked_on(built):
    with tarfile.open(built[0]) as source:
        found = {one.partition("/")[2] for one in source.getnames()}
    assert {"Makefile", "constraints.txt", "tests/conftest.py", ".ci/run", "docs/conf.py"} <= found
    assert not any(one.endswith((".pyc", ".nbi", ".nbc")) for one in found)
