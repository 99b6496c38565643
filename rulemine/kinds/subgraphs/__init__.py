"""The kind ``subgraphs``: questions written for a sampled subgraph, validated by SPARQL."""
