"""What a kind of question adds to the card of its releases."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rulemine.release.records import Question

__all__ = ["NOTHING_REMOVED", "KindPage", "Manifest", "Section"]

NOTHING_REMOVED = "Nothing was removed: every answer is stated, and no question has a hard answer."
"""What the card says of the selection ``none``."""

Manifest = Mapping[str, Any]
"""The manifest of a release, without the digests of files."""

Section = Callable[[Manifest], list[str]]
"""A section of the card, as lines of Markdown."""


class KindPage(NamedTuple):
    """What only the cards of a kind say.

    Attributes:
        lead: The title of the card and what follows it; called with the name of the release too.
        sizes: Title → section, after the sizes of the release.
        origins: Title → section, of proofs and how questions came about.
        examples: Some of the questions, as lines.
        shared: What questions may share with training, of `rulemine.release.overlap.Overlap` → in words.
        strata: What splits may differ in, of `rulemine.release.overlap.strata_of` → in words.
        block: The field of its records that only this kind has, in words.
    """

    lead: Callable[[str, Manifest], list[str]]
    sizes: Mapping[str, Section]
    origins: Mapping[str, Section]
    examples: Callable[[Sequence[Question]], list[str]]
    shared: Mapping[str, str]
    strata: Mapping[str, str]
    block: str
