"""Intervals, tests and power: what differences between systems are worth."""
