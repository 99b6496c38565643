"""Audits of question sets: what a guess gets, what looking up gets, what leaks, what its graph confirms."""
