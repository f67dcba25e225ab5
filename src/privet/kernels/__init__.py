"""The compiled loops, one family a file; each has a plain twin in the tests.

Imported late, by the functions that need them: numba takes a while to load.
"""

# Reports side by side in kernels/lanes.py, and the most words that one may have there.
TILE, MOST_WORDS = 32, 4
