"""Questions in the words of a language model."""
