"""Surveys on a page of a site, as a person meets them in a browser."""

import json

from privet import Questionnaire, Scale, Several, Survey

DRINK = Survey("What do you drink?", ["tea", "coffee", "<b>milk</b>", "water"], 1.0, id="drink")
AGE = Survey("How old are you?", Scale(0, 120, cells=5, unit="years"), 1.0, id="age")
CAKES = Survey("Which cakes?", Several(["a", "b", "c", "d"], most=2), 1.0, id="cakes")
MANY = Survey("Where?", [f"town {i}" for i in range(300)], 1.0, id="town")
PARTY = Questionnaire("A party", [DRINK, AGE, CAKES], 1.0, tables=[("age", "drink")], id="party")
SURVEYS = [DRINK, AGE, CAKES, MANY, PARTY]


def visited(context, site, id="drink", **attributes):
    """Open a page with the element, and return the page."""
    page = context.new_page()
    page.add_init_script(
        "window.told = []; for (const name of ['privet-sent', 'privet-refused'])"
        " addEventListener(name, (event) => told.push([name, event.detail.reason ?? null]));"
    )
    page.goto(site.page(id, **attributes))
    return page


def opened(*args, **options):
    """Open a page with the element, wait for its form, and return the page."""
    page = visited(*args, **options)
    page.locator("privet-survey button").wait_for()
    return page


def send(page, answer):
    page.get_by_label(answer, exact=True).check()
    page.get_by_role("button").click()


def until(page, holds):
    """Wait for what a browser does beside its pages."""
    for _ in range(200):
        if holds():
            return
        page.wait_for_timeout(50)
    raise TimeoutError


def kept(page):
    return [json.loads(one) for one in page.evaluate("Object.values({...localStorage})")]


def reports(service, id="drink"):
    """The reports that were counted; their order says nothing."""
    found = service.client().ask("GET", f"/surveys/{id}/reports", admin=True)
    assert found.status == 200
    size = {one.id: one for one in SURVEYS}[id].mechanism.report_bytes
    return sorted(found.body[at : at + size] for at in range(0, len(found.body), size))
