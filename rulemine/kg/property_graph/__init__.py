"""Property graphs: nodes and edges with types, names and properties, by a schema."""
