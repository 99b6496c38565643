"""A release: its records, and how it is written, read and shown."""
