"""From a recipe to a release, stage by stage."""
