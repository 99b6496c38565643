"""A retriever that is trained on the training questions."""
