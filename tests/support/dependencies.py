"""What privet installs: a software bill of materials, and the licences in a table.

    python tests/support/dependencies.py build      # where the bill goes

privet[all] is installed as locked into an empty environment, of which cyclonedx-py makes the bill
and checks it against CycloneDX's schema. The table goes into the documentation.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from releasing import ROOT, alone, install

TABLE = ROOT / "docs" / "project" / "licences.inc"


def bill_of(python: Path, out: Path) -> dict[str, Any]:
    """Write the bill of an environment, without a date, and return it."""
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
    command += ["--validate", "--output-format", "JSON", "--output-file", str(out), str(python)]
    subprocess.run(command, check=True, capture_output=True, env=alone())
    bill: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return bill


def licence(component: dict[str, Any]) -> str:
    """Return what a component says of its licence, the shortest of what it says."""
    said = [
        one.get("expression") or one["license"].get("id") or one["license"].get("name", "")
        for one in component.get("licenses", [])
    ]
    return min(said, key=len, default="not said").removeprefix("License :: OSI Approved :: ")


def table(bill: dict[str, Any]) -> str:
    """Return packages, versions and licences as Markdown."""
    rows = sorted((c["name"].lower(), c["version"], licence(c)) for c in bill["components"])
    lines = ["| package | version | licence |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def main(folder: Path) -> None:
    """Make the bill and the table."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        environment = Path(scratch, "environment")
        install(sys.executable, f"{ROOT}[all]", environment)
        bill = bill_of(environment / "bin" / "python", folder / "privet.cdx.json")
    TABLE.write_text(table(bill), encoding="utf-8")
    print(f"{folder / 'privet.cdx.json'} and {TABLE}: {len(bill['components'])} packages")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
