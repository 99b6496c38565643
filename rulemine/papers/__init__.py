"""The tables and figures of the papers whose kinds of questions this package builds, on releases at hand."""
