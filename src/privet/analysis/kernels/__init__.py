"""The compiled loops, one family a file; each has a plain twin in the tests.

What is called from outside is here, to be compiled or loaded at its first call (loading.py); the
files with the loops import numba, which takes a while.
"""

from .loading import Kernel

# Reports side by side in kernels/lanes.py, and the most words that one may have there.
TILE, MOST_WORDS = 32, 4
# The planes and slots of a line of columns in kernels/adder.py, and one line more, so that those of
# different lines are not 2^n bytes apart.
STATE_BYTES = 41 * 64

toss = Kernel("sampling.toss")
fill_words = Kernel("sampling.fill_words")
fill_single = Kernel("sampling.fill_single")
fill_indices = Kernel("sampling.fill_indices")
fill_flips = Kernel("flips.fill_flips")
narrow = Kernel("flips.narrow")
fill_lanes = Kernel("lanes.fill_lanes")

count_columns = Kernel("adder.count_columns")
count_fields = Kernel("adder.count_fields")

deal = Kernel("shuffling.deal")
permute = Kernel("shuffling.permute")

draw_places = Kernel("designs.draw_places")
write_translates = Kernel("designs.write_translates")
write_parities = Kernel("designs.write_parities")
count_blocks = Kernel("designs.count_blocks")

toss_own_bits = Kernel("flips.toss_own_bits")
count_hashed = Kernel("hashes.count_hashed")
fill_noise = Kernel("noise.fill_noise")

sum_bitmaps = Kernel("likelihood.sum_bitmaps")
spread_bitmaps = Kernel("likelihood.spread_bitmaps")
sum_members = Kernel("likelihood.sum_members")
spread_members = Kernel("likelihood.spread_members")
project = Kernel("simplex.project")
