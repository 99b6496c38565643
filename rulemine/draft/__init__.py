"""Recipes drafted from a graph: which thresholds give many sound questions at a bounded cost, and why."""
