"""SPARQL as written, run by pyoxigraph in processes that can be ended."""
