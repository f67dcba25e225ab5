"""Reports that are sets of k values, or blocks of a design, likelier with the person's value."""
