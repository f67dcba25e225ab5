"""The browser's client in node: the published vectors, and contracts refused as by Python."""

import gzip
import json
import re
import subprocess
from copy import deepcopy

import pytest

from browser import SCRIPTS, STATIC, all_vectors, need, run_node, without_comments
from privet import Questionnaire, Scale, Several, Survey
from privet.device.contract import Contract
from privet.errors import InvalidSurvey
from privet.mechanisms import GeometricNoise, ListedSets, for_one, for_several

READ = 'import {readFileSync} from "node:fs"; const given = JSON.parse(readFileSync(0, "utf8"));'
VECTORS = f"""
{READ}
import * as privet from "./privet.js";
import {{ mechanismOf }} from "./privet-mechanisms.js";
import {{ Stream }} from "./privet-draws.js";
import {{ keyed }} from "./privet-keyed.js";
import {{ runVectors }} from "{SCRIPTS}/vectors.js";
console.log(JSON.stringify(await runVectors(privet, {{ mechanismOf, Stream, keyed }}, given)));
"""


def test_every_vector_gives_the_published_report():
    counts = run_node(VECTORS, all_vectors())
    assert counts == {
        "algorithm": 394, "others": 94, "sets": 80, "designs": 477, "contracts": 17, "answers": 58,
    }  # fmt: skip


def test_a_wrong_vector_is_noticed():
    vectors = all_vectors()
    vectors["sets"]["mechanisms"][0]["cases"][0]["report"] = "05"
    with pytest.raises(AssertionError) as caught:
        run_node(VECTORS, vectors)
    assert "set-subset 2: 04" in str(caught.value)


# --- contracts ----------------------------------------------------------------------------------

NAMES = ["tea", "coffee", "café au lait", "maté", "milk"]
DRINK = Survey("Drink?", NAMES, 1.0, id="drink")
AGE = Survey("Age?", Scale(0, 100, cells=11, bands=[18, 65], unit="years"), 1.0, id="age")
CAKES = Survey("Cakes?", Several(["a", "b", "c"], most=2), 1.0, id="cakes")
PARTY = Questionnaire("Party", [DRINK, AGE, CAKES], 1.0, tables=[("age", "drink")])
EVERY = [
    AGE,
    PARTY,
    *(Survey("?", NAMES, 1.0, mechanism=name) for name in for_one),
    *(Survey("?", Several(NAMES, most=2), 1.0, mechanism=name) for name in for_several),
    Survey("?", NAMES, 0.05, mechanism=GeometricNoise(5, 0.05)),
    Survey("?", Several(NAMES, most=2), 3.0, mechanism=ListedSets(5, 3.0, 2, k=7)),
    Survey("?", Scale(-1e-5, 2.5e-7, unit="m"), 1e-6),
    Survey("?", Scale(-1e17, 1e16, bands=3), 12.5),
    Survey("?", [f"c{i}" for i in range(200)], 0.3, mechanism="k-subset"),
    Survey("?", [f"c{i}" for i in range(200)], 5.0, mechanism="projective"),
]
WRONG = [
    None, True, 0, 1, -1, 2, 3, 7, 1.5, 1e-320, 1e308, 2**53 + 1, "", "1", "x", "drink", " tea",
    "\u3164", "\u200d", "e\u0301", "n\u00a0n", [], [0], ["a"], ["a", "a"], ["drink", "age"],
    [18.5, 20.0], [1, 1], [1, 0], [0, 64], {}, {"a": 1}, [{}], "a" * 70,
]  # fmt: skip


def places(document, path=()):
    """Yield the path of every field and entry."""
    inside = document.items() if isinstance(document, dict) else enumerate(document)
    for name, value in inside:
        if isinstance(name, str) or name < 4:
            yield (*path, name)
            if isinstance(value, dict | list):
                yield from places(value, (*path, name))


def changes(value):
    """Yield what may stand in a field's place."""
    yield from WRONG
    if isinstance(value, str) and value.isdecimal():
        yield from (str(int(value) + step) for step in (-1, 1, -int(value) // 2))
        yield "0" + value
    elif isinstance(value, int | float):
        yield from (value - 1, value + 1, 2 * value)


def changed(document, path, value):
    copy = deepcopy(document)
    holder = copy
    for name in path[:-1]:
        holder = holder[name]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copy


def hostile():
    """Yield texts of contracts, most of them wrong somewhere."""
    for contract in EVERY:
        good = contract.to_json()
        yield from (
            good,
            good + "\n",
            good.replace(":", ": ", 1),
            good.replace("{", '{"id":"q",', 1),
        )
        document = json.loads(good)
        for path in places(document):
            value = document
            for name in path:
                value = value[name]
            for other in (*changes(value), ...):
                yield json.dumps(changed(document, path, other), ensure_ascii=False)


def as_python_reads(text):
    """Return the fingerprint; None for what is refused or has another canonical text.

    What differs in its spelling alone is written as Python would, so that the rest is compared.
    """
    try:
        contract = Contract.from_json(text)
    except InvalidSurvey:
        return text, None
    canonical = contract.to_json()
    return canonical, contract.fingerprint


SEEN = f"""
{READ}
import {{ Survey, InvalidSurvey }} from "./privet.js";
const read = async (text) => {{
  try {{
    return (await Survey.from(text)).fingerprint;
  }} catch (error) {{
    if (error instanceof InvalidSurvey) return null;
    throw error;
  }}
}};
console.log(JSON.stringify(await Promise.all(given.map(read))));
"""


def test_contracts_are_read_and_refused_as_by_python():
    pairs = [as_python_reads(text) for text in hostile()]
    wanted = [fingerprint for _, fingerprint in pairs]
    found = run_node(SEEN, [text for text, _ in pairs])
    wrong = [(t[-300:], w, f) for (t, w), f in zip(pairs, found, strict=True) if w != f]
    assert not wrong, wrong[:5]
    assert 500 < sum(one is not None for one in wanted) < len(wanted) / 2


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(":", ": ", 1),
        lambda text: text.replace('"id"', '"id":"q","id"', 1),
        lambda text: text.replace("1.0", "1"),
        lambda text: text.replace("1.0", "1.00"),
    ],
    ids=["space", "twice", "integer", "digits"],
)
def test_a_text_that_is_not_canonical_is_refused(change):
    """Its fingerprint would be another one than Python's."""
    text = DRINK.to_json()
    assert run_node(SEEN, [text, change(text)]) == [DRINK.fingerprint, None]


PIECES = f"""
{READ}
import {{ Desk }} from "./privet-desk.js";
const pieces = Array.from(new TextEncoder().encode(given), (byte) => Uint8Array.of(byte));
const info = await new Desk().open(pieces, {{}});
console.log(JSON.stringify([pieces.length, info.fingerprint]));
"""


def test_a_contract_may_come_in_very_many_pieces():
    """A function takes fewer arguments than that."""
    long = Survey("?", [f"a town with the number {i}" for i in range(8000)], 1.0)
    count, fingerprint = run_node(PIECES, long.to_json())
    assert (count > 200_000, fingerprint) == (True, long.fingerprint)


# --- what a page loads --------------------------------------------------------------------------


def stripped(path):
    return without_comments(path.read_text())


def loaded(*names):
    """Return scripts and those that they import, directly or not, before anything is asked."""
    found = [*names]
    for one in found:
        more = re.findall(r'from "\./([\w-]+\.js)"', stripped(STATIC / one))
        found += [other for other in dict.fromkeys(more) if other not in found]
    return found


def zipped(*names):
    text = "".join(stripped(STATIC / name) for name in names)
    return len(gzip.compress(text.encode(), 9))


FAMILIES = sorted(
    path.name for path in STATIC.glob("*.js") if "export const mechanisms" in path.read_text()
)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_survey_of_any_mechanism_loads_is_small(family):
    most = 9.5 if family == "privet-cohorts.js" else 8.25  # which has much to share
    assert zipped(*loaded("privet.js", family)) <= most * 1024


def test_it_is_small_without_any_mechanism_and_with_all_of_them():
    assert len(FAMILIES) == 11
    assert zipped(*loaded("privet.js")) <= 7 << 10
    assert zipped(*loaded("privet.js", "privet-keyed.js", *FAMILIES)) <= 13.5 * 1024


def test_the_element_is_small():
    element, client = loaded("privet-survey.js"), loaded("privet.js")
    own = [one for one in element if one not in client and one != "messages.js"]
    assert own == [
        "privet-survey.js",
        "privet-desk.js",
        "privet-forms.js",
        "privet-outbox.js",
        "privet-plain.js",
    ]
    assert zipped(*own) < 7 << 10


def test_it_needs_nothing_else_and_writes_no_html():
    for name in loaded("privet-survey.js", "privet-worker.js", "privet-keyed.js", *FAMILIES):
        path = STATIC / name
        text = stripped(path)
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", text
        )
        assert not re.search(r"crypto\.subtle|node:|https?://", text)
        assert len(path.read_text().splitlines()) <= 400


def test_types_are_right():
    tsc = need("tsc", "node-typescript")
    done = subprocess.run([tsc, "-p", SCRIPTS], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


SPEED = f"""
{READ}
import {{ Survey }} from "./privet.js";
import {{ secure }} from "./privet-draws.js";
const source = () => (size) => secure(size); // for want of a secret
const times = [];
for (const text of given) {{
  const survey = await Survey.from(text);
  const runs = Array.from({{ length: 9 }}, () => {{
    const begin = process.cpuUsage();
    for (let i = 0; i < 200; i++) survey.randomize("c7", {{ source }});
    const {{ user, system }} = process.cpuUsage(begin);
    return (user + system) / 1000 / 200;
  }});
  times.push(Math.min(...runs));
}}
console.log(JSON.stringify(times));
"""


def test_a_report_of_a_thousand_values_is_made_quickly():
    names = [f"c{i}" for i in range(1000)]
    kinds = [kind for kind in for_one if kind != "hashed-rr"]  # which takes Python long to plan
    surveys = [Survey("?", names, 1.0, mechanism=kind).to_json() for kind in kinds]
    times = dict(zip(kinds, run_node(SPEED, surveys), strict=True))
    assert max(times.values()) < 0.2, times  # milliseconds of a processor
