"""The card of a release: its counts, its text ``README.md`` and its plots ``figures.svg``."""
