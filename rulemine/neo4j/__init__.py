"""A real Neo4j: started in a process of its own, loaded with graphs, asked over Bolt."""
