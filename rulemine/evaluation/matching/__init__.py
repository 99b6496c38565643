"""From what a system says to entities."""
