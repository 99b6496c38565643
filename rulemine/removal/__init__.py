"""Which triples are removed: selection, search, levels."""
