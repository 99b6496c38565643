"""Agents: answerers that explore the graph in several steps, each asked of a model."""
