"""Plain text: normalization, mentions of names, answer leakage, templates."""
