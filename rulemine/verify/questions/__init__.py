"""The questions of a release: each by itself, and all of them together."""
