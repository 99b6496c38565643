"""A SPARQL endpoint on this machine, for clients of Freebase."""
