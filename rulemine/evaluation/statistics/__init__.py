"""Intervals and tests: what differences between systems are worth."""
