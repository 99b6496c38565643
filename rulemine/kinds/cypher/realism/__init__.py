"""Which questions over a property graph nobody would ask."""
