"""Speed, as ratios measured in one run: against peers, against numpy, against the hardware.

One core is meant wherever nothing else is said, so the thread pools of libraries are told so here,
before any of them is imported.
"""

import os

for _pool in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{_pool}_NUM_THREADS"] = "1"
