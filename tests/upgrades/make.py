"""Make the files of a version of privet that later versions must read: run with that version.

PYTHONPATH=src python make.py FOLDER
"""

import json
import random
import subprocess
import sys
from pathlib import Path

from privet import Survey, Tally
from privet.mechanisms import by_name

CATEGORIES = ["tea", "coffee", "crème fraîche", "नमस्ते", 'a "quoted" \\ one', "6", "1.50"]
SECRET = b"a secret of test"
LEVELS = {"k-subset": 0.3, "binary-rr": 0.00001, "local-hash": 2.5, "rappor": 40.0}
# What 0.1 made and later versions refuse: categories, ε and mechanism.
REFUSED = {
    "epsilon-too-small": (CATEGORIES, 1e-13, "k-subset"),
    "epsilon-too-large": (CATEGORIES, 101.0, "rappor"),
    "noise-too-wide": (CATEGORIES, 1e-9, "geometric-noise"),
    "design-too-long": ([*map(str, range(4200))], 8.5, "cyclotomic"),
    "category-unseen": (["seen", "\u3164"], 1.0, "auto"),
}


def privet(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "privet", *map(str, arguments)], check=True)


def keep(folder: Path, name: str, survey: Survey) -> dict[str, object]:
    """Write a survey, reports of it and their tally; return what each says."""
    written = folder / f"{name}.json"
    written.write_text(survey.to_json() + "\n", encoding="utf-8")
    answers = folder / "answers.csv"
    draw = random.Random(name)
    rows = ["answer,town", *(f"{draw.choice(['tea', 'coffee'])},{town}" for town in "AB" * 30)]
    answers.write_text("\n".join(rows), encoding="utf-8")
    reports, tally = folder / f"{name}.parquet", folder / f"{name}.tally"
    privet("randomize", written, answers, "--column", "answer", "--by", "town", "-o", reports)
    privet("tally", written, reports, "-o", tally)
    answers.unlink()
    found = Tally.from_bytes(tally.read_bytes(), survey)
    estimate = found.estimate()
    keyed = [survey.randomize(answer, secret=SECRET).hex() for answer in survey.categories]
    return {
        "fingerprint": survey.fingerprint,
        "keyed": keyed,
        "n": found.n,
        "counts": found.counts.tolist(),
        "frequencies": estimate.frequencies.tolist(),
        "standard_errors": estimate.standard_errors.tolist(),
    }


def main(folder: Path) -> None:
    said = {}
    for name in ("auto", *by_name):
        epsilon = LEVELS.get(name, 1.0)
        survey = Survey("Was trinkst du?", CATEGORIES, epsilon, mechanism=name, id=name)
        said[name] = keep(folder, name, survey)
    (folder / "said.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    (folder / "refused").mkdir()
    for name, (categories, epsilon, mechanism) in REFUSED.items():
        survey = Survey("Was trinkst du?", categories, epsilon, mechanism=mechanism, id=name)
        (folder / "refused" / f"{name}.json").write_text(survey.to_json() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
