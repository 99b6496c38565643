"""Knowledge graphs: reading, caching, indexing, and how their relations overlap."""
