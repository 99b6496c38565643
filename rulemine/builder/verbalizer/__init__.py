"""Questions in a language model's words: prompts, glosses, checks, and a conversation about each."""
