"""A client that is a command, and its audit: answers come in and reports go out, a line each.

python audited_client.py                      audits the commands below, and the one in JavaScript
python audited_client.py client survey.json   is such a command
python audited_client.py forgetful survey.json  is one with a mistake: it has no secret
"""

import json
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import privet
from privet import Survey
from privet.device.contract import Contract

HERE = Path(__file__).resolve()
PRIVET_JS = Path(privet.__file__).with_name("service") / "static" / "privet.js"


def client(path: str, secret: bytes | None) -> None:
    """Answer each line of JSON with a line of hexadecimal digits."""
    contract = Contract.read(path)
    for line in sys.stdin:
        print(contract.randomize(json.loads(line), secret=secret).hex())


def audit_all() -> None:
    """Audit each command by 5,000 reports of each answer."""
    from privet.audit import Command, audit

    survey = Survey("What do you drink?", ["tea", "coffee", "water"], epsilon=1.0)
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "survey.json")
        survey.write(path)
        commands = {
            name: [sys.executable, str(HERE), name, path] for name in ("client", "forgetful")
        }
        if node := shutil.which("node"):
            script = str(HERE.with_suffix(".mjs"))
            commands["JavaScript"] = [node, script, PRIVET_JS.as_uri(), path]
        for name, argv in commands.items():
            found = audit(survey, trials=5_000, client=Command(argv, survey))
            print(f"{name}: {'passed' if found.passed else 'FAILED'}")
            for verdict in found.verdicts:
                print(f"    {verdict.title}: {verdict.found}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["client"]:
        # With a secret, a person who is asked again sends the same report again.
        client(sys.argv[2], bytes.fromhex(os.environ.get("PRIVET_SECRET", "")) or None)
    elif sys.argv[1:2] == ["forgetful"]:
        client(sys.argv[2], None)
    else:
        audit_all()
