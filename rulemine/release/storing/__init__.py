"""Where releases are kept: folders, archives, and what is written there."""
