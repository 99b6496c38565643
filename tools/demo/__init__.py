"""The generator of the demo's world. ``python -m tools.demo`` writes what the package ships of it."""
