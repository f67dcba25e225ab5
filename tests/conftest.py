"""Property tests are reproducible, and a first compilation does not count as slow."""

from hypothesis import settings

settings.register_profile("privet", deadline=None, derandomize=True)
settings.load_profile("privet")
