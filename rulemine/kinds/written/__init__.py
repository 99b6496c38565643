"""What the kinds have in common whose questions are written for a subgraph."""
