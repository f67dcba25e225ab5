"""Targets driven by atheris, which follows what each input reaches; see `fuzzers`.

    python -m fuzzers [--seconds 300] [--only NAME ...]   # a process after the other, and a table
    python -m fuzzers NAME [libFuzzer's options] [FILE]    # one target, in this process

Only privet's own modules are instrumented, and not those that numba compiles.
"""

import os
import re
import subprocess
import sys
import warnings
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzzers import TARGETS, budget, target

QUOTAS = {name: 1000 * runs for some in TARGETS.values() for name, runs in some.items()}
KERNELS = Path(__file__).parents[3] / "src" / "privet" / "analysis" / "kernels"
BUDGET = 5000  # where hypothesis has to do
HANGS, MEGABYTES = 20, 3072  # an input that takes more of either is a crash
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # where files are quickly written
_DONE = re.compile(r"^#(\d+)\s+DONE\s+cov: (\d+) ft: \d+ corp: (\d+)/(\S+)", re.MULTILINE)
_RATE = re.compile(r"average_exec_per_sec:\s+(\d+)")
_UNITS = re.compile(r"number_of_executed_units: (\d+)")
_AT = re.compile(r"^#(\d+)\s.* cov: (\d+) ft: \d+ corp: (\d+)/(\S+)", re.MULTILINE)


def drive(name: str, options: list[str]) -> None:
    """Give one target inputs, begun from its seeds, or those of the files that are named alone."""
    import atheris

    compiled = [f"privet.analysis.kernels.{path.stem}" for path in KERNELS.glob("*.py")]
    with atheris.instrument_imports(include=["privet"], exclude=compiled):
        found = target(name)
    from privet.errors import Clamped

    warnings.simplefilter("error")
    for harmless in (Clamped, ResourceWarning):
        warnings.simplefilter("ignore", harmless)
    with TemporaryDirectory(prefix="privet-fuzz-") as folder:
        for number, seed in enumerate(found.seeds):
            Path(folder, str(number)).write_bytes(seed)
        begun = [folder] if all(one.startswith("-") for one in options) else []
        atheris.Setup([name, *begun, f"-max_len={found.most}", *options], found)
        atheris.Fuzz()


def campaign(name: str, seconds: int, seed: int) -> bool:
    """Drive a target in a process of its own; print its row, and tell whether it held."""
    command = [sys.executable, "-m", "fuzzers", name, f"-runs={QUOTAS[name]}", f"-seed={seed}"]
    command += [f"-max_total_time={seconds}", f"-timeout={HANGS}", f"-rss_limit_mb={MEGABYTES}"]
    with TemporaryDirectory(prefix="privet-fuzz-", dir=MEMORY) as folder:
        within = {**os.environ, "TMPDIR": folder}  # as libFuzzer ends without tidying up
        command += [f"-artifact_prefix={folder}/", "-print_final_stats=1"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=within)
    said = done.stdout + done.stderr
    seen = _DONE.findall(said) or _AT.findall(said) or [("0", "0", "0", "0b")]
    inputs, edges, kept, size = seen[-1]
    rate = (_RATE.findall(said) or ["?"])[0]
    inputs = (_UNITS.findall(said) or [inputs])[0]
    crashes = int(done.returncode != 0)
    row = f"{int(inputs):,} | {rate} | {edges} | {kept} of {size} | {crashes}"
    print(f"| {name} | {row} |", flush=True)
    if crashes:
        print(said[said.find("Uncaught Python exception") :][-20_000:], file=sys.stderr)
    return not crashes


def main() -> int:
    """Run what the arguments ask for."""
    if len(sys.argv) > 1 and sys.argv[1] in QUOTAS:
        drive(sys.argv[1], sys.argv[2:])
        return 0
    parser = ArgumentParser(prog="fuzzers", description=__doc__)
    parser.add_argument("--seconds", type=int, default=300, help="the most for each target")
    parser.add_argument("--seed", type=int, default=1, help="of libFuzzer's choices")
    parser.add_argument("--only", nargs="*", choices=QUOTAS, default=list(QUOTAS))
    given = parser.parse_args()
    if find_spec("atheris") is None:
        for name in given.only:
            budget.spend(target(name), BUDGET)
            print(f"{name}: {BUDGET:,} inputs by hypothesis, as atheris is not installed.")
        return 0
    print("| target | inputs | a second | edges | corpus | crashes |\n|---|--:|--:|--:|--:|--:|")
    held = [campaign(name, given.seconds, given.seed) for name in given.only]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
