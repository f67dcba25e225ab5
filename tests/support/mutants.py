"""Mutation testing: does a module's own suite notice when its code is changed?

`make mutants` copies the project, has mutmut change the copy in one place at a time, 200 random
places a module, and runs the module's tests on each. What survives is listed with its change in
benchmarks/MUTANTS.md; mutants.toml says of some of them why no test could tell.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from contextlib import chdir
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "mutants.json"
PAGE = ROOT / "benchmarks" / "MUTANTS.md"
SAMPLE = 200
KILLED = {"killed", "timeout", "segfault"}
SQL = re.compile(r"\s*(BEGIN|DELETE|INSERT|PRAGMA|SELECT|SET|UPDATE|VACUUM|WHERE) ", re.IGNORECASE)

# What is changed, and the tests that should notice. Statistical tests that take many seconds are
# left out: a mutant should take one or two.
MODULES = {
    "entropy": (["src/privet/device/entropy.py"], ["tests/test_entropy.py"]),
    "samplers": (["src/privet/device/mechanisms/*"], ["tests/test_vectors.py", "tests/mechanisms"]),
    "tally": (
        ["src/privet/analysis/tally.py", "src/privet/analysis/counter.py"],
        ["tests/analysis/test_tally.py", "tests/analysis/test_counter.py"],
    ),
    "refine": (["src/privet/analysis/refine/*"], ["tests/refine"]),
    "store": (
        ["src/privet/store/*"],
        ["tests/store/test_store.py", "tests/store/test_sqlite.py", "tests/store/test_postgres.py"],
    ),
}
# Words of the names of tests that are left out. The last counts members, of which mutmut adds more.
LEFT_OUT = "error_there_is calibrated on_the_page a_giant simulated_counts any_start"
LEFT_OUT += " counted_as_few_are the_entropy_alone immediate_restart plays_every_role"

SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {changed}
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-k", "not ({left_out})"]
also_copy = ["docs", "benchmarks", "README.md"]
process_isolation = "forkserver"
track_dependencies = false
timeout_multiplier = 3.0
timeout_constant = 10.0
"""

# mutmut 3.8 reads a name of a test that pytest 9.2 no longer has. Quick tests come first, and those
# that need a server last: most mutants are killed before.
HOOK = """

def pytest_itemcollected(item):
    item._nodeid = item.nodeid


def pytest_collection_modifyitems(items):
    import json
    from pathlib import Path

    stats = Path("mutmut-stats.json")
    took = json.loads(stats.read_text("utf-8"))["duration_by_test"] if stats.exists() else {}
    items.sort(key=lambda item: ("postgres" in item.nodeid, took.get(item.nodeid, 0)))
"""


def copied(folder, changed, tests):
    """Copy the project to a folder, with mutmut's settings in it."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "_build", "build", "dist", "mutants")
    copy = Path(shutil.copytree(ROOT, folder / "project", ignore=ignored))
    with (copy / "pyproject.toml").open("a", encoding="utf-8") as file:
        left_out = " or ".join(LEFT_OUT.split())
        file.write(SETTINGS.format(changed=changed, tests=tests, left_out=left_out))
    with (copy / "tests" / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(HOOK)
    return copy


def mutmut(copy, *arguments):
    """Run a command of mutmut in the copy; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=copy, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, text=True, capture_output=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"mutmut {arguments[0]} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def names(copy, changed):
    """Return the names of all mutants of the files that are changed."""
    from mutmut.mutation.file_mutation import mutate_file_contents
    from mutmut.utils.format_utils import get_mutant_name

    with chdir(copy):
        return [
            get_mutant_name(path, name)
            for pattern in changed
            for path in sorted(Path().glob(pattern.replace("/*", "/**/*.py")))
            for name in tellable(mutate_file_contents(str(path), path.read_text("utf-8")))
        ]


def fates_in(copy, tests):
    """Return what became of each mutant.

    mutmut takes 255 for a timeout, with which it ends where pytest cannot find a test, or is left
    with connections that nobody closes: these are tried once more, in a process of their own. One
    that takes too long is ended by a signal.
    """
    from mutmut.stats import status_by_exit_code

    codes = {}
    for file in (copy / "mutants").rglob("*.meta"):
        codes |= json.loads(file.read_text("utf-8"))["exit_code_by_key"]
    codes |= {name: alone(copy, tests, name) for name, code in codes.items() if code == 255}
    return {name: status_by_exit_code.get(code, "suspicious") for name, code in codes.items()}


def alone(copy, tests, name):
    """Run the tests on one mutant; return how pytest ends."""
    mutated = copy / "mutants"
    paths = f"{mutated / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    within = {**os.environ, "MUTANT_UNDER_TEST": name, "PYTHONPATH": paths}
    left_out = f"not ({' or '.join(LEFT_OUT.split())})"
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", left_out]
    done = subprocess.run([*command, *tests], cwd=mutated, env=within, capture_output=True)
    return done.returncode


def tellable(mutated):
    """Return the names of a file's mutants, but for SQL in other letters, which is the same."""
    tree = ast.parse(mutated.code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and SQL.match(str(node.value)):
            node.value = as_read(node.value)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    code = {each.name: ast.dump(each).replace(each.name, "", 1) for each in functions}
    return [
        name for name in mutated.mutant_names if code[name] != code[re.sub(r"\d+$", "orig", name)]
    ]


def as_read(sql):
    """Return SQL as a database reads it: letters are small or capital only in quotes.

    >>> as_read("SELECT n FROM chunks WHERE state = 'Open'")
    "select n from chunks where state = 'Open'"
    """
    parts = re.split("('[^']*')", sql)  # every other one is quoted
    parts[::2] = map(str.lower, parts[::2])
    return "".join(parts)


def change(copy, name):
    """Return the lines that a mutant takes out and puts in."""
    lines = mutmut(copy, "show", name).splitlines()
    return [
        re.sub(r"^([-+])\s*", r"\1 ", line) for line in lines if re.match(r"[-+](?![-+])", line)
    ]


def tried(module, sample, seed):
    """Try a random sample of a module's mutants; return what became of them."""
    changed, tests = MODULES[module]
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder), changed, tests)
        known = names(copy, changed)
        chosen = random.Random(seed).sample(known, min(sample, len(known)))
        mutmut(copy, "run", "--max-children", "1", *chosen)
        fates = fates_in(copy, tests)
        survivors = sorted(name for name in chosen if fates[name] not in KILLED)
        return {
            "all": len(known),
            "tried": len(chosen),
            "killed": len(chosen) - len(survivors),
            "survivors": [
                {"name": place(name), "fate": fates[name], "change": change(copy, name)}
                for name in survivors
            ],
        }


def place(name):
    """Return where a mutant is, in words of the code.

    >>> place("privet.device.entropy.xǁStreamǁcoin__mutmut_3")
    'privet.device.entropy.Stream.coin'
    """
    return re.sub(r"__mutmut_\d+$", "", name).replace("xǁ", "").replace("x_", "").replace("ǁ", ".")


def known_results():
    """Return what was found before, module by module."""
    found = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    return {module: found[module] for module in MODULES if module in found}


def reasons():
    """Return why some mutants cannot be killed: {(place, change): reason}."""
    kept = tomllib.loads((Path(__file__).with_suffix(".toml")).read_text("utf-8")).get("mutant", [])
    return {(each["place"], each["change"]): each["reason"] for each in kept}


def page(results, known):
    """Return the page of all results."""
    rows, lines = [], []
    for module, result in results.items():
        lines += [f"## {module}", ""]
        justified = 0
        for survivor in result["survivors"]:
            text = "\n".join(survivor["change"])
            reason = known.get((survivor["name"], text))
            justified += reason is not None
            said = f"equivalent: {reason}" if reason else survivor["fate"]
            lines += [f"`{survivor['name']}`: {said}", "", "```diff", text, "```", ""]
        if not result["survivors"]:
            lines += ["None survived.", ""]
        tried, killed = result["tried"], result["killed"]
        score, other = killed / tried, killed / (tried - justified)
        rows.append(
            f"| {module} | {result['all']} | {tried} | {killed} | {tried - killed} | {score:.1%} "
            f"| {justified} | {other:.1%} |"
        )
    missing = ", ".join(module for module in MODULES if module not in results)
    note = [f"Not tried yet: {missing}.", ""] if missing else []
    return "\n".join([HEAD, *rows, "", *note, TAIL, *lines]).rstrip() + "\n"


HEAD = """# Mutation testing

`make mutants` changes the code in one place at a time, with mutmut, and runs the module's own
tests: a change that no test notices *survives*. It tries a random sample of 200 a module.

| module | mutants | tried | killed | survived | score | equivalent | score without them |
|---|---|---|---|---|---|---|---|"""

TAIL = """A mutant that never ends counts as killed. *Equivalent* are those that no test could
tell from the code, each with its reason below. mutmut changes functions and methods: not what has a
decorator other than `classmethod` and `staticmethod` (properties and cached functions among them),
not constants of modules and classes, and not calls of `len` and `isinstance`. SQL in other letters
is the same, and not tried. Loops that run as machine code are compared with plain twins instead,
and tests that take many seconds are left out.
"""


def main(arguments=None):
    """Try mutants of some modules, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", choices=[[], *MODULES], metavar="MODULE")
    parser.add_argument("--sample", type=int, default=SAMPLE)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--page", action="store_true", help="write the page of what was found before"
    )
    given = parser.parse_args(arguments)
    results = known_results()
    for module in () if given.page else given.modules or MODULES:
        result = results[module] = tried(module, given.sample, given.seed)
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(f"{module}: {result['killed']} of {result['tried']} mutants killed", flush=True)
    PAGE.write_text(page(known_results(), reasons()), "utf-8")


if __name__ == "__main__":
    main()
