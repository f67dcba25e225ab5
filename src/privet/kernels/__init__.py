"""The compiled loops, one family a file; each has a plain twin in tests/naive.py.

Imported late, by the functions that need them: numba takes a while to load.
"""
