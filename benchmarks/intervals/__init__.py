"""Do intervals, tests and standard errors keep their promises? `make intervals` finds out.

A *study* simulates surveys from an awkward truth and scores what the package says about it. The
campaign runs every study over its truths, privacy levels and sizes, and writes what it found to
benchmarks/INTERVALS.md.

    study.py      Study, and Score, which keeps the counts
    truths.py     populations that are hard on intervals
    campaign.py   runs cells in processes, resumes where it stopped, and judges them
    register.py   every public name that promises an error, with the study that holds it to it
    controls.py   methods known to fail, which the campaign must catch
    report.py     the page
"""
