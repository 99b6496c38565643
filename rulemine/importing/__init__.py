"""Question sets that others publish, read as releases of the kind ``imported``."""
