"""Questions about removed triples that rules can still prove."""
