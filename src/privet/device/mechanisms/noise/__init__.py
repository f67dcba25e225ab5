"""The one-hot answer with noise on every entry."""
