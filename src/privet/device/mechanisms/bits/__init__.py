"""Reports that are bits: one for every value, each flipped by itself."""
