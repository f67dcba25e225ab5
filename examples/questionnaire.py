"""Four questions at the privacy of one: each person draws a page, and only that page is asked.

Twenty thousand people have a commute. Each device draws a page of the questionnaire, asks its
questions, and sends one report of a few bytes. The collector learns how people travel, for how
long, what they do on the way, and how the first depends on where they live.
"""

import random

import privet

EPSILON = 3.0
HOMES, WAYS = ["city", "suburb", "country"], ["car", "train", "bicycle"]
HABITS = ["music", "reading", "calls", "games"]
MINUTES = privet.Survey("How long?", privet.Scale(0, 120, unit="minutes"), EPSILON, id="minutes")
COMMUTE = privet.Questionnaire(
    "The way to work",
    [
        privet.Survey("Where do you live?", HOMES, EPSILON, id="home"),
        privet.Survey("How do you get to work?", WAYS, EPSILON, id="way"),
        privet.Survey("What do you do?", privet.Several(HABITS, most=2), EPSILON, id="habits"),
        MINUTES,
    ],
    EPSILON,
    tables=[("home", "way")],
)


def someone() -> dict[str, object]:
    """Return the answers of a person, who may be asked any of them."""
    home = random.choices(HOMES, [4, 4, 2])[0]
    likely = {"city": [1, 4, 5], "suburb": [5, 4, 1], "country": [8, 1, 1]}
    return {
        "home": home,
        "way": random.choices(WAYS, likely[home])[0],
        "habits": random.sample(HABITS, random.randrange(3)),
        "minutes": random.triangular(5, 90, 20),
    }


def device(answers: dict[str, object]) -> bytes:
    """Return what leaves a person's device."""
    page = COMMUTE.draw()  # first, so that nothing else need be asked
    asked = {question.id: answers[question.id] for question in page.questions}
    return COMMUTE.randomize(asked, page=page)


def main() -> None:
    """Ask everyone, and show what the reports say."""
    for page in COMMUTE.pages:
        print(page)
    reports = [device(someone()) for _ in range(20_000)]
    random.shuffle(reports)
    tally = COMMUTE.tally()
    tally.update(reports)
    estimate = tally.estimate()
    print(f"\n{tally.n:,} reports of {COMMUTE.mechanism.report_bytes} bytes\n")
    print(estimate["habits"])
    mean = estimate[MINUTES].mean()
    print(f"\nmean: {mean.value:.1f} ± {mean.standard_error:.1f} minutes (truly about 38)\n")
    table = estimate.table("home", "way")
    print(f"{table.independence()} Of those who live there, so many go by:")
    for home, row in zip(HOMES, table.row_shares().frequencies, strict=True):
        shares = ", ".join(
            f"{way} {100 * share:.0f} %" for way, share in zip(WAYS, row, strict=True)
        )
        print(f"  {home:8} {shares}")


if __name__ == "__main__":
    main()
