"""Panels of models that judge questions, and how far they agree."""
