"""SPARQL that systems write in place of answers: found in a reply, run on the graph they saw, and counted."""
