"""The README's commands, pasted into a shell one after the other."""

import os
import subprocess
from pathlib import Path

from commands import PRIVET

README = Path(__file__).resolve().parents[2] / "README.md"
# Takes half a minute; `privet paper table1` is run on fewer repeats elsewhere.
SLOW = ("privet paper table1",)


def test_the_commands_of_the_readme_work_as_they_stand(tmp_path):
    lines = [line.strip() for line in README.read_text().splitlines() if line.startswith("    ")]
    pasted = [line for line in lines if "privet " in line and line not in SLOW]
    pasted = [line for line in pasted if line.startswith(("privet ", "gzip "))]
    pasted = [line for line in pasted if "my-client" not in line]  # which is the reader's
    steps = [line.split()[1] for line in pasted if line.startswith("privet ")]
    assert steps[:5] == ["demo", "plan", "survey", "randomize", "estimate"]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(pasted)],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
        env=os.environ | {"PATH": f"{Path(PRIVET).parent}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = {path.name for path in tmp_path.iterdir()}
    assert {"survey.json", "reports.parquet", "shares.png", "more.tally", "shares.csv"} <= made
    assert "120,000 reports" in done.stdout  # of 120,000 people: none is counted twice
    said = [line for line in done.stderr.splitlines() if ": column answer" in line]
    rows = [line.split("answer, ")[1].split(" rows")[0] for line in said]
    assert rows == ["100,000", "100,000", "20,000"]  # the survey's, and two crowds
