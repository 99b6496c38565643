"""Questions over a property graph in words: by templates, and what a model is told to say it otherwise."""
