"""Property tests are reproducible, and a first compilation does not count as slow.

Exact results are compared with mpmath's to 120 digits, whichever tests are run. A matrix product
has one thread: where several processes run tests at once, threads of each wait for one another.
The processes that tests start keep the bytecode of what they import, whatever the shell prefers.
"""

import os

import mpmath
from hypothesis import settings

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is first imported
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
settings.register_profile("privet", deadline=None, derandomize=True)
settings.load_profile("privet")

mpmath.mp.dps = 120
