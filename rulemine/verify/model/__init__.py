"""What a release of a language model must hold."""
