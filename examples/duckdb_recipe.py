"""DuckDB: turn the result of a query into reports, count reports in a table, query the shares."""

import duckdb
import pyarrow as pa

import privet

survey = privet.Survey("Tea or coffee?", ["tea", "coffee", "neither"], epsilon=2.0)

database = duckdb.connect()
database.sql("""
    CREATE TABLE people AS
    SELECT CASE WHEN u < 0.5 THEN 'tea' WHEN u < 0.9 THEN 'coffee' ELSE 'neither' END AS drink
    FROM (SELECT random() AS u FROM range(20000))
""")

# On the people's side: the result of a query goes straight in.
reports = survey.randomize_batch(database.sql("SELECT drink FROM people ORDER BY random()"))
sent = pa.table({"report": [bytes(report) for report in reports]})
database.sql("CREATE TABLE reports AS SELECT * FROM sent")

# On the server: nothing but the reports.
tally = survey.tally()
tally.update(database.sql("SELECT report FROM reports"))

shares = tally.estimate().to_arrow()
print(database.sql("SELECT category, frequency, low, high FROM shares ORDER BY frequency DESC"))
print(database.sql("SELECT drink, count(*) / 20000 AS truth FROM people GROUP BY drink"))
