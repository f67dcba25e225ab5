"""A kind of answer from elsewhere, which the package does not know, in the service's own pages."""

import pytest

from browser import ROOT, STATIC, wording
from months import Months, install
from privet import Questionnaire, Survey
from privet.audit.asking import asking_of
from serving import Serving

install()
BORN = Survey("When were you born?", Months("2026-01", 12), 8.0, id="born")
TOWN = Survey("Where?", ["north", "south"], 8.0, id="town")
BOTH = Questionnaire("Both", [BORN, TOWN], 8.0, tables=[("born", "town")], id="both")
# So long that it is read in a worker, to which the page's scripts add nothing.
TOWNS = Survey("Where?", [f"a town of number {i}" for i in range(8000)], 8.0, id="towns")
LONG = Questionnaire("Long", [BORN, TOWNS], 8.0, id="long")
REFUSED = "choice,several,scale"  # the kinds that an unchanged client knows
DATE = "2026-11-19"
SUPPORT = ROOT / "tests/support"
SCRIPT = (SUPPORT / "months.js").read_text()
# `privet` in a process that has imported the kind.
START = f"import sys; sys.path.append({str(SUPPORT)!r}); import months; months.install(); "
LAUNCHER = "-c", START + "from privet.__main__ import main; main()"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service"), launcher=LAUNCHER) as found:
        for contract in (BORN, BOTH, LONG):
            assert found.client().create(contract).status == 201
        yield found


@pytest.fixture
def page(context):
    """A page of a site that adds the kind to the scripts of the service."""
    found = context.new_page()
    kinds = {"content_type": "text/javascript", "body": SCRIPT}
    found.route("**/static/months.js", lambda route: route.fulfill(**kinds))
    first = 'import "./months.js";\n' + (STATIC / "answer.js").read_text()
    script = {"content_type": "text/javascript", "body": first}
    found.route("**/static/answer.js", lambda route: route.fulfill(**script))
    return found


def test_a_survey_is_answered_stored_counted_and_shown(context, page, service):
    page.goto(f"{service.url}/surveys/born/answer")
    group = page.get_by_role("group", name=BORN.question, exact=True)
    asking_of(BORN.answers).fill(group, DATE)
    page.get_by_role("button", name="Send").click()
    page.get_by_text(wording("sent")).wait_for()
    report = service.client().get("/surveys/born/reports", admin=True).body
    members = [BORN.categories[one] for one in BORN.mechanism.members(report)]
    assert page.locator("privet-survey li").all_text_contents() == members

    more = BORN.randomize_batch([DATE] * 900 + ["2026-03-01"] * 100)
    assert service.client().send("born", more.tobytes()).status == 200
    page.goto(f"{service.url}/surveys/born/results")
    lead = page.get_by_text("1,001 people").first
    lead.wait_for()
    assert "2026-11" in lead.text_content()
    names = page.locator(".shares tbody th").all_text_contents()
    assert names == list(BORN.categories)
    assert context.said == []


PARITY = """async ([text, answer]) => {
  const { Survey } = await import("/static/privet.js");
  const { keyed } = await import("/static/privet-keyed.js");
  const survey = await Survey.from(text), source = keyed(new Uint8Array(32).fill(7));
  return [survey.fingerprint, [...survey.randomize(answer, { source })]];
}"""


@pytest.mark.parametrize("contract", [BORN, BOTH], ids=["survey", "questionnaire"])
def test_reports_are_those_of_python_byte_for_byte(page, service, contract):
    page.goto(f"{service.url}/surveys/{contract.id}/answer")
    page.get_by_role("button", name="Send").wait_for()
    answer = DATE if contract is BORN else {"born": DATE, "town": "south"}
    report = contract.randomize(answer, secret=bytes([7]) * 32)
    found = page.evaluate(PARITY, [contract.to_json(), answer])
    assert found == [contract.fingerprint, [*report]]


def test_a_page_that_does_not_know_it_refuses_to_ask(context, service):
    page = context.new_page()
    page.goto(f"{service.url}/surveys/born/answer")
    page.get_by_text(REFUSED).wait_for()


def test_a_worker_that_does_not_know_it_refuses_to_ask(page, service):
    page.goto(f"{service.url}/surveys/long/answer")
    page.get_by_text(REFUSED).wait_for()
