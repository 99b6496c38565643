"""What a kind of question adds to the card of its releases."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from rulemine.release.card.figure import Figure
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Question

__all__ = ["NOTHING", "KindPage", "Manifest"]

Manifest = Mapping[str, Any]
"""The manifest of a release, without the digests of files."""


class KindPage(NamedTuple):
    """What only the cards of a kind count and say.

    Attributes:
        figures: The figures of its releases alone.
        text: A template, see `rulemine.release.card.page`, that extends ``release/card/card.md`` with
            blocks: ``lead`` (title and what follows it), ``sizes`` and ``origins`` (sections with their
            titles), ``limits``, ``shared`` (rows: what questions share with training), ``from_train`` and
            ``from_whole`` (rows: what splits differ in), ``block`` (what only its questions have);
            if need be, ``own_files`` (rows) and ``completion``.
        values: What it names beside the counts of the manifest.
        examples: Some of the questions, as lines.
        whole: Whether the template is the whole card, and names nothing that only cards of builds do.
        unknown: The figures of every release that cannot be had of one, by key.
    """

    figures: Sequence[Figure]
    text: str
    values: Callable[[Manifest], Mapping[str, Any]]
    examples: Callable[[Sequence[Question]], list[str]]
    whole: bool = False
    unknown: Callable[[ReleaseParts], Collection[str]] = lambda _parts: ()


NOTHING = KindPage((), '{% extends "release/card/card.md" %}', lambda _: {}, lambda _: [])
"""What the card of a kind that is not installed says of it."""
