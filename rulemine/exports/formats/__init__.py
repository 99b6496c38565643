"""The formats of exports, each in a file."""
