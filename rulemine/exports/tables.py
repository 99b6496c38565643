"""A release as Arrow tables, in one naming: what the exports ``hf`` and ``croissant`` write as Parquet.

Guarantees: the tables are those of the release's own files, row by row and column by column. The type of a
column comes from the field that it holds, never from the rows, so that empty tables and absent values have
types too; a schema has no metadata, which other versions of a reader may not understand. With
``--without-answers`` there is a table of the test questions with their ids, texts and topic entities, and the
graph asked for, and nothing else.
"""

import dataclasses
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from rulemine.codec import dump_line, slots_of
from rulemine.errors import ConfigError
from rulemine.exports.protocol import ExportInput
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.registry import kind_named
from rulemine.release.contents import ReleaseParts, read_parts
from rulemine.release.records import SPLITS, Question, Rejection, Removal
from rulemine.rules.formats import rule_to_json
from rulemine.rules.rule import Rule

__all__ = [
    "WHOLE",
    "ReleaseTable",
    "arrow",
    "graph_table",
    "names_tables",
    "record_table",
    "release_tables",
    "rule_table",
    "text_table",
    "write_parquet",
]

_RULE_COLUMNS = {
    "id": str, "rule": str, "type": str, "subtype": str,
    "head": tuple[str, ...], "body": tuple[tuple[str, ...], ...],
    "head_coverage": float, "std_confidence": float, "pca_confidence": float,
    "support": int, "body_size": int, "pca_body_size": int, "head_size": int, "functional": str,
}  # fmt: skip


def arrow() -> Any:
    """The package pyarrow.

    Raises:
        ConfigError: It is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(
            "this format needs pyarrow, which is not installed; pip install 'rulemine[exports]'."
        ) from None
    return pyarrow


def record_table(kind: type, records: Iterable[Any], **types: Any) -> Any:
    """Records of one class as a table.

    Args:
        kind: The record class, which gives the schema. A tuple is a list, a record a struct.
        records: The records; a row each.
        types: The types of fields whose own is not exact: name → type.
    """
    schema = _schema({slot.name: slot.hint for slot in slots_of(kind)} | types)
    return arrow().Table.from_pylist(
        [msgspec.to_builtins(record) for record in records], schema=schema
    )


def rule_table(rules: Iterable[Rule]) -> Any:
    """Rules as a table: the fields of ``rules.jsonl``, entities in atoms by their names.

    A term is a variable if it is a question mark and one letter, as ``?a``.
    """

    def terms(atom: list[Any]) -> list[str]:
        return [term["entity"] if isinstance(term, dict) else term for term in atom]

    rows = [
        row | {"head": terms(row["head"]), "body": [terms(atom) for atom in row["body"]]}
        for row in map(rule_to_json, rules)
    ]
    return arrow().Table.from_pylist(rows, schema=_schema(_RULE_COLUMNS))


def graph_table(kg: KnowledgeGraph) -> Any:
    """A graph as a table of the texts ``head``, ``relation`` and ``tail``, its triples in their order."""
    pa = arrow()
    names = [pa.array(kg.entities, pa.string()), pa.array(kg.relations, pa.string())]
    columns = [names[column % 2].take(pa.array(kg.triples[:, column])) for column in range(3)]
    return pa.table(columns, names=["head", "relation", "tail"])


def text_table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Any:
    """Rows of text as a table, an empty text where there is none."""
    names = list(columns)
    found = [dict(zip(names, row, strict=True)) for row in rows]
    return arrow().Table.from_pylist(found, schema=_schema(dict.fromkeys(names, str)))


def write_parquet(path: Path, table: Any) -> None:
    """Writes a table as Parquet; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrow().parquet.write_table(table, path, compression="zstd", store_schema=False)


def _schema(columns: Mapping[str, Any]) -> Any:
    pa = arrow()
    return pa.schema([pa.field(name, _type(hint)) for name, hint in columns.items()])


@cache
def _type(hint: Any) -> Any:
    """The Arrow type of a field's type."""
    pa = arrow()
    plain = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    if hint in plain:
        return plain[hint]
    inner = typing.get_args(hint)
    if type(None) in inner:
        (known,) = (one for one in inner if one is not type(None))
        return _type(known)  # every column may lack values
    if typing.get_origin(hint) is tuple:
        return pa.list_(_type(inner[0]))
    if dataclasses.is_dataclass(hint):
        slots = slots_of(typing.cast(type, hint))
        return pa.struct([pa.field(slot.name, _type(slot.hint)) for slot in slots])
    raise TypeError(f"no column holds {hint!r}")


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
    yield ReleaseTable(
        "entities",
        WHOLE,
        "the names of every entity, one in each naming",
        text_table(
            ("private", "entity", "text"),
            [(row.private, row.entity, row.text) for row in given.release.entities],
        ),
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
    whole = {
        "removed": ("the removed triples with their proofs", record_table(Removal, removals)),
        "mined-rules": ("the rules that proofs may use", rule_table(parts.rules)),
        "rejected": (
            "rejected questions, each with the reason",
            record_table(Rejection, parts.rejections),
        ),
    }
    if parts.types:
        pairs = sorted((entity, type_) for entity, types in parts.types.items() for type_ in types)
        whole["types"] = ("the types of every entity", text_table(("entity", "type"), pairs))
    for file in kind_named(parts.kind).files:
        if file.about and (own := parts.records[file.name]):
            name = Path(file.name).stem.replace("_", "-")
            whole[name] = (file.about, record_table(file.record, own))
    for name, (about, table) in whole.items():
        yield ReleaseTable(f"{name}-{naming}", WHOLE, about, table)


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
        "unprovable": "the graph from which no rule leads to an answer of a twin",
        "control": "the graph that lacks as much beside the proofs of twins",
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
