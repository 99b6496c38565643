"""Checks of releases whose questions a language model verbalized."""
