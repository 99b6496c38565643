"""What retrievers learn from shortest paths, beside the evidence."""
