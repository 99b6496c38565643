"""A graph for each question, with or without its evidence."""
