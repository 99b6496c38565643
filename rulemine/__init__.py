"""Question-answering benchmarks over knowledge graphs that no longer state the answer."""

__version__ = "0.1.0"
