"""Questions that others published, without certificates; see ``docs/importing.md``."""
