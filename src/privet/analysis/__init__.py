"""The analyst's side: reports counted, and what the counts say of the crowd."""
