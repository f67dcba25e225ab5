"""Reports on ordered values: numbers, ages, ratings."""
