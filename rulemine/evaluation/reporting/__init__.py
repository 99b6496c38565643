"""Reports of scores, as tables and files."""
