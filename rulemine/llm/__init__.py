"""Talking to language models: calls, their journal, and the one client; for every room that asks a model."""
