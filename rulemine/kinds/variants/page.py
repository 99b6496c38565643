"""The figures and the card that only a release of the kind ``variants`` has; the text is ``page.md``."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.kinds.query_figures import by_split, figures_of_queries, mean
from rulemine.kinds.query_page import examples_of_structures
from rulemine.kinds.written.page import values_of_written
from rulemine.release.card.figure import Figure
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import SPLITS

__all__ = ["FIGURES", "VARIANT_PAGE"]


def _topics(parts: ReleaseParts) -> dict[str, dict[str, int]]:
    found = Counter((q.block.topic, q.split) for q in parts.questions)
    names = sorted({topic for topic, _ in found})
    return {name: {split: found[name, split] for split in SPLITS} for name in names}


def _judges(parts: ReleaseParts) -> dict[str, int]:
    judges = Counter(j.model for q in parts.questions for j in q.block.judgements)
    return dict(sorted(judges.items()))


STATISTICS = (
    Figure("questions", "questions", len),
    Figure("seed_texts", "different seed texts", lambda some: len({q.block.seed_text for q in some})),
    Figure("unique", "questions with a single answer", lambda some: sum(q.block.unique for q in some)),
    Figure("redundant", "questions that are not minimal", lambda some: sum(q.block.redundant for q in some)),
    Figure("subgraph", "mean triples of the subgraph", partial(mean, lambda q: len(q.block.subgraph))),
    Figure("facts", "mean supporting facts", partial(mean, lambda q: len(q.block.triples))),
    Figure("seeds", "mean entities of the seed text", partial(mean, lambda q: len(q.block.seeds))),
    Figure("hops", "mean hops", partial(mean, lambda q: q.hops)),
    Figure("answers", "mean answers", partial(mean, lambda q: len(q.answers))),
)  # fmt: skip
"""The columns of the statistics."""

FIGURES: tuple[Figure, ...] = (
    *figures_of_queries(),
    by_split("variants", "`all` and each split → a row, see below", STATISTICS),
    Figure("topics", "topic → split → questions", _topics),
    Figure("judged", "questions with judgements",
           lambda p: sum(bool(q.block.judgements) for q in p.questions)),
    Figure("judges", "judge → judgements", _judges),
)  # fmt: skip


def _values(manifest: Manifest) -> Mapping[str, Any]:
    counts, values = manifest["counts"], values_of_written(manifest, "variants")
    judged = (counts["judged"] and values["told"].get("judged")) or {}
    return {**values, "verdicts": judged}


VARIANT_PAGE = KindPage(
    FIGURES, read_text(packaged("kinds", "variants", "page.md")), _values, examples_of_structures
)
"""What the cards of the kind ``variants`` say."""
