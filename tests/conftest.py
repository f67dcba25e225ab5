"""Property tests are reproducible, and a first compilation does not count as slow.

Exact results are compared with mpmath's to 120 digits, whichever tests are run.
"""

import mpmath
from hypothesis import settings

settings.register_profile("privet", deadline=None, derandomize=True)
settings.load_profile("privet")

mpmath.mp.dps = 120
