"""Sums and comparisons of shares, with the mechanism's exact covariances."""
