"""Everything that runs on a respondent's device: small, exact, and the standard library alone.

A contract (`survey`, `questionnaire`) says what is asked and carries the integers that a mechanism
draws with. An answer kind (`answers`) checks an answer, a mechanism (`mechanisms`) makes a report
of it from random bytes (`entropy`), and the client (`client`, `spool`, `ledger`) delivers the
report exactly once. Nothing here imports from the analyst's layers, except at two seams:

- `mechanisms.forwards`: the analyst's methods on a mechanism (`tally`, `frequencies`, …);
- `contract`, `survey` and `questionnaire`: `tally` and `randomize_batch`.
"""
