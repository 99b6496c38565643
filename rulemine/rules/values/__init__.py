"""Rules that conclude values of properties."""
