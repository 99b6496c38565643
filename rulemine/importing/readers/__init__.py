"""A module for each form of published question sets."""
