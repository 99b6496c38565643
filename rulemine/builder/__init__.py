"""Builds a release from a recipe, stage by stage."""
