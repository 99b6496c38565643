"""What a reader takes from a reply: its names, and which of them are the answer."""
