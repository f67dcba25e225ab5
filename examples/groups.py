"""Groups: one tally for each, compared like waves and merged into the whole.

A person's group, here the version of an app, is in the clear: it is not randomized. If it must be
protected, make it part of the answer.
"""

import random

import privet

SURVEY = privet.Survey(
    "What happened last?", ["all went well", "slow", "error", "crash"], epsilon=1.0, id="last-run"
)
VERSIONS = {
    "1.8": (40_000, [80, 12, 6, 2]),
    "1.9": (40_000, [70, 12, 8, 10]),
    "2.0": (500, [80, 12, 6, 2]),
}


def main() -> None:
    """Count each version separately, compare two of them, and add them all up."""
    tallies = {}
    for version, (people, weights) in VERSIONS.items():
        crowd = random.choices(SURVEY.categories, weights, k=people)
        tallies[version] = SURVEY.tally()
        tallies[version].update(SURVEY.randomize_batch(crowd))
    print("Share of crashes, 95 % interval:\n")
    for version, tally in tallies.items():
        crashes = tally.estimate().total("crash")
        low, high = crashes.interval(0.95)
        shown = f"{100 * crashes.value:5.1f} %   [{100 * low:4.1f}, {100 * high:4.1f}] %"
        print(f"  version {version}: {shown}   from {tally.n:,} reports")
    worse = tallies["1.9"].estimate().change(tallies["1.8"].estimate(), "crash")
    low, high = worse.interval(0.95)
    print(f"\n1.9 over 1.8: {100 * worse.value:+.1f} points [{100 * low:+.1f}, {100 * high:+.1f}].")
    everyone = tallies["1.8"] + tallies["1.9"] + tallies["2.0"]
    crashes = everyone.estimate().total("crash")
    print(f"All {everyone.n:,} together: {100 * crashes.value:.1f} % crashes.")
    print("The small group's interval is wide: 500 people say little at ε = 1.")


if __name__ == "__main__":
    main()
