"""The metrics that other projects publish, as their public code computes them; see `registry`."""
