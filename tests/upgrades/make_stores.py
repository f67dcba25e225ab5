"""Write the stores of a version of privet as SQL, in both databases: run with that version.

PYTHONPATH=OLD/src:tests/support python make_stores.py FOLDER
"""

import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from postgres import Server
from privet import Survey
from privet.store import Arrival, open_store

SURVEY = Survey("Tea or coffee?", ["tea", "coffee", "neither"], 2.0, id="drinks")
TOKEN, INVITATION = b"a token of the test, 32 bytes or more", sha256(b"invitation").digest()


def fill(place: str) -> None:
    """Make a survey with reports that are folded, reports that wait, a key, and a token."""
    with open_store(place) as store:
        store.create(SURVEY, {"public_from": 2})
        for n, key in enumerate((b"first", b"second")):
            reports = b"".join(SURVEY.randomize("tea") for _ in range(3 + n))
            seal = sha256(key + reports).digest()
            store.add([Arrival("drinks", sha256(key).digest(), seal, reports)])
            if n == 0:
                store.fold("drinks", force=True)
        store.invite("drinks", [INVITATION])
        store.set_token(sha256(TOKEN).digest())


def main(folder: Path) -> None:
    with TemporaryDirectory() as place:
        file = f"{place}/surveys.db"
        fill(file)
        with closing(sqlite3.connect(file)) as connection:
            (mark,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            marks = f"PRAGMA application_id = {mark};\nPRAGMA user_version = {version};\n"
            text = "\n".join(connection.iterdump()) + "\n" + marks
    (folder / "store.sqlite.sql").write_text(text, "utf-8")
    server = Server()
    try:
        url = server.new_database()
        fill(url)
        command = ["pg_dump", "--schema=privet", "--inserts", "--no-owner", url]
        dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    finally:
        server.remove()
    kept = [line for line in dump.splitlines() if line and not line.startswith(("--", "\\"))]
    (folder / "store.postgres.sql").write_text("\n".join(kept) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
