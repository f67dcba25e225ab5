"""The privacy boundary: what runs on a respondent's device needs the standard library alone.

It is in the folders device/, theory/ and errors/. These tests import them, create and read surveys,
and make reports in processes in which nothing else can be imported.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import privet
from privet.mechanisms import for_one

PACKAGE = Path(privet.__file__).parent
VECTORS, KINDS = (
    json.loads((Path(__file__).parent / "vectors" / f"{name}.json").read_text())
    for name in ("contracts", "answers")
)
FOLDERS = "device", "theory", "errors"
OURS = [path for name in FOLDERS for path in sorted((PACKAGE / name).rglob("*.py"))]
# What a person's device has no need of, and cannot import here.
FORBID = """
import sys
class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"numpy", "scipy", "numba", "llvmlite", "cryptography", "msgspec",
                                  "pyarrow", "pandas", "click", "rich", "matplotlib"}:
            raise ImportError(f"{name} is not on this device")
sys.meta_path.insert(0, Forbidden())
"""


def on_a_device(code, **options):
    """Run code in a process that has the standard library alone."""
    command = [sys.executable, "-c", FORBID + code]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_reports_of_every_mechanism_are_made_keyed_ones_too():
    entries = [e for e in VECTORS["surveys"] if '"privet":2' in e["survey"]]
    assert {json.loads(e["survey"])["mechanism"]["name"] for e in entries} == set(for_one)
    code = """
import json, privet
for entry in json.load(sys.stdin):
    survey = privet.Survey.from_json(entry["survey"])
    answer = survey.categories[entry["value"]]
    secret, repeats = bytes.fromhex(entry["secret"]), survey.mechanism.needs_secret
    report = survey.randomize(answer, secret=secret)
    assert repeats or report.hex() == entry["report"], survey
    fresh = survey.randomize(answer, secret=secret if repeats else None)
    assert survey.mechanism.problem(fresh) is None
    assert survey.mechanism.probability(fresh, entry["value"]) > 0
    assert survey.mechanism.realized_epsilon <= survey.epsilon
"""
    done = on_a_device(code, input=json.dumps(entries))
    assert done.returncode == 0, done.stderr


def test_every_kind_of_answer_and_questionnaires_are_answered_keyed_too():
    code = """
import json, warnings, privet
given = json.load(sys.stdin)
warnings.simplefilter("ignore")
for entry in given["surveys"] + given["questionnaires"]:
    kind = privet.Questionnaire if "questions" in json.loads(entry["contract"]) else privet.Survey
    contract = kind.from_json(entry["contract"])
    assert contract.fingerprint == entry["fingerprint"]
    for case in entry["cases"]:
        answer, secret = case.get("answer", case.get("answers")), bytes.fromhex(case["secret"])
        if kind is privet.Questionnaire:
            assert contract.draw(secret=secret).number == case["page"]
        assert contract.randomize(answer, secret=secret).hex() == case["report"]
        if kind is privet.Survey:
            assert contract.mechanism.problem(contract.randomize(answer)) is None
    if kind is privet.Questionnaire:
        page = contract.draw()
        own = next((c for c in entry["cases"] if c["page"] == page.number), None)
        if own is not None:
            assert contract.mechanism.problem(contract.randomize(own["answers"], page=page)) is None
    assert contract.mechanism.realized_epsilon <= contract.epsilon
print(*sys.modules)
"""
    done = on_a_device(code, input=json.dumps(KINDS))
    assert done.returncode == 0, done.stderr
    assert folders(done.stdout.split()) == {*FOLDERS}


CREATED = """
import privet
choices = [
    ["yes", "no"], [f"c{i}" for i in range(100)], [f"c{i}" for i in range(1000)],
    privet.Several(list("abcde"), 2), privet.Several(list("abcdefghijkl"), 3, pairs=True),
    privet.Several(list("abcdefghijklmnopqrst"), 10), privet.Scale(0, 120),
    privet.Scale(0, 10, aim="mean", whole=True),
]
for epsilon in (0.2, 1.0, 3.5):
    surveys = [privet.Survey(f"Question {i}?", a, epsilon) for i, a in enumerate(choices)]
    for survey in surveys:
        print(survey.fingerprint, survey.mechanism.name)
    ids = [survey.id for survey in surveys]
    shares = {ids[0]: 0.25, ids[3]: 0.25, (ids[0], ids[6]): 0.5}
    for one in (
        privet.Questionnaire("All", surveys, epsilon, tables=[(ids[0], ids[6])], shares=shares),
        privet.Questionnaire("One", surveys[:1], epsilon),
    ):
        given = {ids[0]: "no", ids[3]: ["b"], ids[6]: 40}
        answers = {asked.id: given[asked.id] for page in one.pages for asked in page.questions}
        print(one.fingerprint, len(one.randomize(answers)))
print(privet.theory.l2_optimal_k(100, 1.0), privet.theory.binary_mutual_information(100, 1.0))
"""


def test_surveys_and_questionnaires_are_created_without_a_name_of_a_mechanism():
    """Just as they are where everything is installed, and without the analyst's modules."""
    done = on_a_device(f"{CREATED}\nprint(*sys.modules, file=sys.stderr)")
    assert done.returncode == 0, done.stderr
    usual = [sys.executable, "-c", f"import numpy\n{CREATED}"]
    assert done.stdout == subprocess.run(usual, capture_output=True, text=True, check=True).stdout
    chosen = {line.split()[1] for line in done.stdout.splitlines()}
    assert {"k-subset", "hadamard", "projective", "cyclotomic"} <= chosen
    assert {"set-subset", "listed-sets", "one-option", "interval"} <= chosen
    loaded = {*done.stderr.split()}
    assert "privet.device.mechanisms.choosing" in loaded
    assert folders(loaded) == {*FOLDERS}


def folders(loaded):
    """Return the folders of the package that modules are in."""
    return {name.split(".")[1] for name in loaded if name.startswith("privet.")}


def test_a_survey_is_created_from_three_folders_alone():
    done = on_a_device(
        "import privet; privet.Survey('Tea?', ['yes', 'no'], 1.0); print(*sys.modules)"
    )
    assert folders(done.stdout.split()) == {*FOLDERS}, done.stderr


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_file_of_a_device_needs_the_standard_library_alone(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    done = on_a_device(f"import importlib; importlib.import_module({name!r})")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("privet.Tally", "needs numpy: pip install 'privet[analysis]'"),
        ("privet.Estimate", "needs numpy: pip install 'privet[analysis]'"),
        ("privet.plan.compare(10, 1.0, 10)", "needs numpy: pip install 'privet[analysis]'"),
        ("privet.theory.hit_rates([9, 10], 1.0, 3)", "needs numpy: pip install 'privet[analysis]'"),
        (
            "privet.Questionnaire('Q', [privet.Survey(q, ['a', 'b'], 1.0) for q in 'xy'], 1.0)",
            "without 'shares' needs numpy: pip install 'privet[analysis]'",
        ),
        ("privet.Survey.from_json(text).tally()", "needs numpy: pip install 'privet[analysis]'"),
        ("privet.Survey.from_json(text).randomize_batch(['c1'])", "needs numpy"),
        ("privet.Survey.from_json(old).randomize('c1', secret=bytes(16))", "pip install 'privet["),
    ],
)
def test_a_bare_install_says_which_extra_a_name_needs(code, message):
    old, new = (
        next(e["survey"] for e in VECTORS["surveys"] if f'"privet":{version}' in e["survey"])
        for version in (1, 2)
    )
    done = on_a_device(f"import privet\ntext, old = {new!r}, {old!r}\n{code}")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("privet.errors.MissingExtra: ")
    assert message in last
