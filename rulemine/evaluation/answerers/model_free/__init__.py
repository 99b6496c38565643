"""Answerers that ask no language model."""
