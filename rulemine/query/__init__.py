"""Queries over a graph: atoms, joins, answers."""
