"""Telemetry with a secret for each install, and a collector that keeps one tally.

A thousand installs report their search engine every day for a week. Each has a secret, so an
unchanged setting gives the same report every day: watching an install for a week reveals no more
than its first report did. The collector counts each day's reports and forgets them.
"""

import random
import secrets
from dataclasses import dataclass, field

import privet

ENGINES = {"alpha": 60, "beta": 25, "gamma": 10, "delta": 3, "none": 2}  # percent
SURVEY = privet.Survey(
    "Which search engine is set?", list(ENGINES), epsilon=2.0, id="search-engine-2026"
)


@dataclass
class Install:
    """A person's device. Only `report` leaves it."""

    engine: str
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def report(self) -> bytes:
        """Return what is sent: the same bytes as long as the setting stays the same."""
        return SURVEY.randomize(self.engine, secret=self.secret)


def main() -> None:
    """Run a week of telemetry and show the last day's estimate."""
    engines, percents = list(ENGINES), list(ENGINES.values())
    installs = [Install(engine) for engine in random.choices(engines, percents, k=1000)]
    seen: list[set[bytes]] = [set() for _ in installs]  # what an observer of it sees
    for day in range(7):
        arrived = [install.report() for install in installs]
        for reports, report in zip(seen, arrived, strict=True):
            reports.add(report)
        random.shuffle(arrived)  # no order: whose report is whose is nobody's business
        tally = SURVEY.tally()
        tally.update(arrived)
        print(f"day {day + 1}: {tally.n:,} reports of {SURVEY.mechanism.report_bytes} byte counted")
        changed = random.choice(installs)
        changed.engine = random.choice(list(ENGINES))  # one person changes the setting each day
    several = sum(len(reports) > 1 for reports in seen)
    print(f"\nIn a week, {several} of 1,000 installs sent more than one different report.\n")
    print(tally.estimate())
    print("\nWhat is really set (only this script can know):")
    for engine in ENGINES:
        share = sum(install.engine == engine for install in installs) / len(installs)
        print(f"  {engine:<8}  {share:9.4f}")


if __name__ == "__main__":
    main()
