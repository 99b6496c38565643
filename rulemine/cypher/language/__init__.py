"""Cypher as text: tokens, syntax, parser."""
