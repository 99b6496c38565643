"""Benchmarks over knowledge graphs that no longer state the answer."""
