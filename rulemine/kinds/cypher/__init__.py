"""Questions over property graphs, made from templates."""
