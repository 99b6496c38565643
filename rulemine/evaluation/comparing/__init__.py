"""Reports on more than one system, graph or release."""
