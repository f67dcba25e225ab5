"""The service: reports in, estimates out, over HTTP.

No endpoint takes an answer, and nothing is kept or logged of who sent a report. `routes` is the
table of everything that can be asked, and `app` answers it; `ingest` takes reports, which
`gathering` commits in groups.
"""
