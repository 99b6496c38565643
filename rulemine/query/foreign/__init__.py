"""Queries that others wrote: SPARQL and S-expressions, read and counted."""
