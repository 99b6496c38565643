"""The figures of a release, counted again: those of the manifest and of the card."""
