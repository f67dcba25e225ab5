"""Spark: randomize answers in a data lake, and count the reports where they are.

This script uses two cores of one machine; on a cluster, only the master's address changes. It
needs `pip install 'privet[spark]'` and Java.
"""

from tempfile import TemporaryDirectory

import privet
from privet.bulk import spark

SURVEY = privet.Survey(
    "What do you drink?", ["tea", "coffee", "juice", "neither"], epsilon=2.0, id="drinks"
)
TRUTH = "element_at(split('tea tea tea coffee coffee juice neither', ' '), cast(1 + id % 7 as int))"


def main() -> None:
    """Randomize a table, keep the reports in a lake, and count them by country."""
    cluster = spark.session("local[2]", **{"spark.sql.shuffle.partitions": "4"})
    people = cluster.range(70_000, numPartitions=4)
    answers = people.selectExpr(f"{TRUTH} drink", "if(id % 3 = 0, 'IE', 'FR') country")

    # From here on there is exactly one report for each answer, whatever Spark does with them.
    reports = spark.randomize(answers, SURVEY, "drink", by=["country"])
    with TemporaryDirectory() as folder:
        spark.write_reports(reports, f"{folder}/lake", SURVEY)
        lake = spark.read_reports(cluster, f"{folder}/lake", SURVEY)
        tallies = spark.tally_groups(lake, SURVEY, by=["country"])

    for (country,), tally in tallies.items():
        print(f"{country}: {tally.n:,} reports")
        estimate = tally.estimate()
        for name, share in zip(SURVEY.categories, estimate.frequencies, strict=True):
            print(f"  {name:<8} {100 * share:5.1f} %")
    print("The truth is 3, 2, 1 and 1 sevenths everywhere.")
    cluster.stop()


if __name__ == "__main__":
    main()
