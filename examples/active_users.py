"""Daily active users by plan: fresh reports every day, over one permanent response of each install.

Whoever is active sends a report, day after day. With a secret alone, an install would send the same
bytes each day and be recognized by them. With two levels, each day's report is drawn anew, and yet
all of them together reveal no more about the plan than ε = 2; each by itself is ε = 1.
"""

import random
import secrets
from dataclasses import dataclass, field

import privet
from privet.mechanisms import TwoLevelUnary

PLANS = {"free": 70, "trial": 15, "team": 10, "paid": 5}  # percent
SURVEY = privet.Survey(
    "Which plan is this install on?",
    list(PLANS),
    epsilon=2.0,  # in all reports of an install together
    mechanism=TwoLevelUnary(len(PLANS), epsilon=2.0, report_epsilon=1.0),
    id="plans-2026",  # the same survey every day: another one would cost ε again
)


@dataclass
class Install:
    """A person's device. Only `report` leaves it."""

    plan: str
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def report(self) -> bytes:
        """Return what is sent: other bytes every day, over the same permanent response."""
        return SURVEY.randomize(self.plan, secret=self.secret)


def main() -> None:
    """Run thirty days, and show how many active users are on the free plan."""
    plans, percents = list(PLANS), list(PLANS.values())
    installs = [Install(plan) for plan in random.choices(plans, percents, k=4000)]
    seen: list[set[bytes]] = [set() for _ in installs]  # what an observer of it sees
    covered = 0
    print("day   active   on the free plan, 95 % interval   really")
    for day in range(30):
        active = [number for number in range(len(installs)) if random.random() < 0.4]
        arrived = {number: installs[number].report() for number in active}
        for number, report in arrived.items():
            seen[number].add(report)
        reports = list(arrived.values())
        random.shuffle(reports)  # no order: whose report is whose is nobody's business
        tally = SURVEY.tally()  # of this day alone
        tally.update(reports)
        estimate = tally.estimate()
        low, high = (ends[0] * tally.n for ends in estimate.interval(0.95, target="sample"))
        guess = estimate.frequencies[0] * tally.n
        really = sum(installs[number].plan == "free" for number in active)
        covered += low <= really <= high
        found = f"{guess:,.0f}  ({low:,.0f} to {high:,.0f})"
        print(f"{day + 1:3}   {tally.n:6,}   {found:>33}   {really:6,}")
    several = sum(len(reports) > 1 for reports in seen)
    print(f"\nThe interval held the truth on {covered} of 30 days.")
    print(f"{several:,} of 4,000 installs sent different reports, though no plan has changed.")


if __name__ == "__main__":
    main()
