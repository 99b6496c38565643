"""The kinds of questions: what each decides and asks, and what they have in common."""
