"""Questions over property graphs: patterns, their evaluation, their Cypher."""
