"""Brute-force definitions of what the miner must find, and the graphs to compare them on."""
