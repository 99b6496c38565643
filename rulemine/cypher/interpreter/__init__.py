"""Read-only Cypher, run on a property graph in memory."""
