"""Brute-force definitions of what the miner must find, and the graphs to compare them on."""

import sys


def say(text: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
