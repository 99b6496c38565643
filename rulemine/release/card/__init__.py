"""The card of a release: its counts and its text ``README.md``."""
