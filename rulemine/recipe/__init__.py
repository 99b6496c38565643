"""Recipes: every choice of a build, and what they name, read and checked."""
