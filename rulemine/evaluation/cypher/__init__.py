"""Scores of Cypher that answers questions: by its result, and by what the result comes from."""
