"""Systems under test; those built in are the baselines."""
