"""The seed texts of a release of the kind ``variants``: what its questions were asked about.

A line of ``seed_texts.jsonl`` for each set of entities that was asked about, in the order in which they were;
the texts themselves are not part of a release. From these lines alone fresh variants of its questions are
made, see `rulemine.builder.rebuild`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rulemine.release.records import Entity, Question

__all__ = ["SEED_TEXTS", "SeedRow", "renamed", "with_splits"]

SEED_TEXTS = "seed_texts.jsonl"


@dataclass(frozen=True, slots=True)
class SeedRow:
    """A seed text, as its entities.

    Attributes:
        id: Its id, unique.
        entities: The entities found in it, sorted.
        topic: What it was drawn for, where topics were asked for; or "".
        split: The split of its questions; "" if it has none. In a fresh variant all are ``test``.
    """

    id: str
    entities: tuple[Entity, ...]
    topic: str
    split: str = ""


def renamed(rows: Iterable[SeedRow], names: Mapping[str, str]) -> tuple[SeedRow, ...]:
    """The rows, without splits, with other names of entities."""
    return tuple(
        replace(row, entities=tuple(sorted(names[name] for name in row.entities)), split="")
        for row in rows
    )


def with_splits(
    rows: Sequence[SeedRow], questions: Iterable[Question], run: int
) -> tuple[SeedRow, ...]:
    """The rows with the splits of their questions.

    Args:
        rows: The rows.
        questions: The questions of the release.
        run: The number of the variant; 0: the published release.
    """
    of = {q.block.seed_text: q.split for q in questions} if rows else {}
    return tuple(replace(row, split="test" if run else of.get(row.id, "")) for row in rows)
