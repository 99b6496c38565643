"""A release as tables, in one naming: what the exports `hf` and `croissant` write.

Guarantees: the tables are those of the release's own files, row by row and column by column; with
``--without-answers`` there is one of the test questions with their ids, texts and topic entities, and the
graph asked for, and nothing else.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rulemine.codec import dump_line
from rulemine.exports.protocol import ExportInput
from rulemine.exports.record_tables import graph_table, record_table, rule_table, text_table
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.registry import kind_named
from rulemine.release.contents import ReleaseParts, read_parts
from rulemine.release.records import (
    SPLITS,
    Question,
    Rejection,
    Removal,
)

__all__ = ["WHOLE", "ReleaseTable", "names_tables", "release_tables"]

GIVEN = ("id", "question", "anchors")
"""What a system is given of a question."""

QUESTIONS = "the questions"

WHOLE = "train"
"""The split of a table that has none: loaders call it so."""


@dataclass(frozen=True)
class ReleaseTable:
    """A table of a release.

    Attributes:
        config: The name of what is in it, e.g. ``rules-text`` or ``kg-text-incomplete``; tables of the
            same name are splits of one data set.
        split: One of `SPLITS`; `WHOLE` where there is a single one.
        about: What is in it, in a few words.
        table: The table, a ``pyarrow.Table``.
    """

    config: str
    split: str
    about: str
    table: Any = field(repr=False)

    @property
    def file(self) -> str:
        """Where it is written, within an export."""
        return f"{self.config}/{self.split}.parquet"

    @property
    def record_set(self) -> str:
        """A name that no other table of the release has."""
        return f"{self.config}-{self.split}" if self.about == QUESTIONS else self.config


def names_tables(given: ExportInput) -> Iterator[ReleaseTable]:
    """The names of entities in every naming, and what is known of relations: the same in every naming."""
    rows = [(row.private, row.entity, row.text) for row in given.release.entities]
    columns = ("private", "entity", "text")
    yield ReleaseTable(
        "entities",
        WHOLE,
        "the names of every entity, one in each naming",
        text_table(columns, rows),
    )
    relations = list(given.release.relations().values())
    yield ReleaseTable(
        "relations",
        WHOLE,
        "templates, sizes and declarations of every relation",
        text_table(relations[0] if relations else ["relation"], (r.values() for r in relations)),
    )


def release_tables(given: ExportInput, naming: str) -> Iterator[ReleaseTable]:
    """The tables of a release whose entities have their names in a naming.

    Args:
        given: What is exported. Without answers, the tables are in its own naming.
        naming: ``private``, ``entity`` or ``text``.
    """
    if given.without_answers:
        inputs = _questions(given.questions("test"), given.release.kind)
        config = f"{given.release.kind}-{given.naming}"
        yield ReleaseTable(config, "test", QUESTIONS, inputs.select(list(GIVEN)))
        yield _graph(given.naming, given.kg_name, given.kg)
        return
    parts = read_parts(given.release).renamed(naming)
    for split in SPLITS:
        rows = sorted((q for q in parts.questions if q.split == split), key=lambda q: q.id)
        config = f"{parts.kind}-{naming}"
        yield ReleaseTable(config, split, QUESTIONS, _questions(rows, parts.kind))
    for name, kg in _graphs(parts, given).items():
        yield _graph(naming, name, kg)
    removals = sorted(parts.removals, key=lambda removal: removal.triple)
    about = "the removed triples with their proofs"
    yield ReleaseTable(f"removed-{naming}", WHOLE, about, record_table(Removal, removals))
    about = "the rules that proofs may use"
    yield ReleaseTable(f"mined-rules-{naming}", WHOLE, about, rule_table(parts.rules))
    about = "rejected questions, each with the reason"
    yield ReleaseTable(
        f"rejected-{naming}", WHOLE, about, record_table(Rejection, parts.rejections)
    )
    if parts.types:
        pairs = sorted((entity, type_) for entity, types in parts.types.items() for type_ in types)
        table = text_table(("entity", "type"), pairs)
        yield ReleaseTable(f"types-{naming}", WHOLE, "the types of every entity", table)
    for file in kind_named(parts.kind).files:
        if file.about and (own := parts.records[file.name]):
            name = Path(file.name).stem.replace("_", "-")
            table = record_table(file.record, own)
            yield ReleaseTable(f"{name}-{naming}", WHOLE, file.about, table)


def _questions(rows: Iterable[Question], kind: str) -> Any:
    """Questions of a kind; of one that is not installed, what only they have is a text in JSON."""
    block = kind_named(kind).block
    if block is None:
        rows = [replace(row, block=dump_line(row.block)) for row in rows]
    return record_table(Question, rows, block=block or str)


def _graph(naming: str, name: str, kg: KnowledgeGraph) -> ReleaseTable:
    what = {
        "complete": "the graph before the removal",
        "incomplete": "the graph after it: what a system is given",
        "reference": "triples that give further answers",
    }.get(name, f"the graph after {name.rpartition('-')[2]} % of the removal")
    return ReleaseTable(f"kg-{naming}-{name}", WHOLE, what, graph_table(kg))


def _graphs(parts: ReleaseParts, given: ExportInput) -> dict[str, KnowledgeGraph]:
    """The graphs of a release by name, and the one asked for."""
    graphs = {"complete": parts.complete}
    for level, kg in parts.incomplete():
        graphs["incomplete" if level == 100 else f"incomplete-{level}"] = kg
    if given.kg_name not in graphs and given.naming == parts.naming:  # any level can be asked for
        graphs[given.kg_name] = given.kg
    if parts.reference:
        graphs["reference"] = KnowledgeGraph.from_triples(parts.reference)
    return graphs
