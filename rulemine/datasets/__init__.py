"""Data sets known by name, the recipes that come with the package, and synthetic graphs."""
