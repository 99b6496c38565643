"""Questions with one of nine logical structures; see ``docs/structures.md``."""
