"""The records of a release as Arrow tables, for the exports that write Parquet.

Guarantees: a column has the name of the field that it holds, and its type comes from the field's, never from
the rows, so that empty tables and absent values have types too; a schema has no metadata, which other
versions of a reader may not understand; the same records give the same table.
"""

import dataclasses
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from rulemine.codec import slots_of
from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.rules.formats import rule_to_json
from rulemine.rules.rule import Rule

__all__ = ["arrow", "graph_table", "record_table", "rule_table", "text_table", "write_parquet"]

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
    schema = _schema(dict.fromkeys(names, str))
    found = [dict(zip(names, row, strict=True)) for row in rows]
    return arrow().Table.from_pylist(found, schema=schema)


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
