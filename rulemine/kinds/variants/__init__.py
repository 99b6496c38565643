"""The kind ``variants``: questions written for the entities of a seed text, asked anew at will."""
