"""Two waves of a survey: whether anything changed, and what, with intervals.

The second wave has different people, another id (so that tallies cannot be mixed up) and stronger
privacy; the comparison takes all of that into account.
"""

import random

import privet

DRINKS = ["tea", "coffee", "cocoa", "juice", "water"]
WAVES = {
    "drinks-2025": ([30, 40, 5, 15, 10], 2.0, 30_000),
    "drinks-2026": ([25, 40, 5, 15, 15], 1.0, 60_000),
}


def wave(identifier: str, weights: list[int], epsilon: float, people: int) -> privet.Estimate:
    """Ask made-up people, and return the estimate."""
    survey = privet.Survey("What do you drink most?", DRINKS, epsilon, id=identifier)
    tally = survey.tally()
    tally.update(survey.randomize_batch(random.choices(DRINKS, weights, k=people)))
    return tally.estimate()


def main() -> None:
    """Compare the waves, category by category and as a whole."""
    before, after = (wave(name, *of) for name, of in WAVES.items())
    for estimate in (before, after):
        print(f"{estimate.survey.id}: {estimate.n:,} reports, ε = {estimate.survey.epsilon:g}")
    print("\nChange in percentage points, 95 % interval (true: tea −5, water +5, others 0):\n")
    for drink in DRINKS:
        print(f"  {drink:<15} {shown(after.change(before, drink))}")
    print(f"  juice and water {shown(after.change(before, ['juice', 'water']))}")
    print("\nOne interval in twenty misses, so look at all at once before believing one of many.")
    test = after.homogeneity(before)
    print(f"Are the waves alike? chi-squared = {test.statistic:.1f}, p = {test.p_value:.2g}.")


def shown(grown: privet.sums.Change) -> str:
    """Return a change with its interval, marked if the interval excludes zero."""
    low, high = grown.interval(0.95)
    sure = "  changed" if low > 0 or high < 0 else ""
    return f"{100 * grown.value:+6.2f}   [{100 * low:+6.2f}, {100 * high:+6.2f}]{sure}"


if __name__ == "__main__":
    main()
