"""Releases of the kind ``cypher``: property graphs, removed values, rows and the gold."""
