"""Property graphs from tables: a schema whose types and relations say which file and columns they come from.

Guarantees: the order of rows does not matter; a cell that does not convert is no value, and is counted by
property and datatype.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.codec import dump_line, shown
from rulemine.config import read_toml
from rulemine.errors import ConfigError, InputError, did_you_mean, list_problems
from rulemine.files import read_text
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.labels import edge_ids
from rulemine.kg.property_graph.schema import NAME, EntityType, Property, RelationType, Schema
from rulemine.kg.property_graph.schema_file import ADVICE, schema_of
from rulemine.kg.property_graph.units import converter
from rulemine.kg.property_graph.values import Value, from_text, to_plain

__all__ = ["read_tables"]

_OF_ENTITY = {"table": "", "id_column": "id", "name_column": NAME}
_OF_RELATION = {"table": "", "subject_column": "subject", "object_column": "object"}
_OF_PROPERTY = {"column": "", "separator": ";"}
"""The keys that a schema has for tables, and their defaults."""

Cell = tuple[Property, str, str, Callable[[Value], Value]]
"""A property, its column, the separator of lists, and the conversion of its unit."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Where a type or relation comes from."""

    path: Path
    ends: tuple[str, str]
    cells: tuple[Cell, ...]


def read_tables(path: Path, left_out: Faults) -> PropertyGraph:
    """The graph of a schema with tables.

    Args:
        path: The schema in TOML; its tables are named relative to it. ``.csv`` (commas, quoted as needed) or
            ``.tsv`` (tabs, no quotes), compressed or not, with a line of column names.
        left_out: Receives cells that do not convert, rows without an id or an end, and repeated edges.

    Raises:
        InputError: A file cannot be read, ids occur twice in a type, or an end is no node.
        ConfigError: The schema has problems, or names a column that there is not.
    """
    schema, tables = _read(path)
    nodes: list[GraphNode] = []
    found: list[tuple[tuple[str, str, str], str, dict[str, Value]]] = []
    for row, table in tables:
        if isinstance(row, EntityType):
            nodes += [
                GraphNode(f"{row.label}#{id_}", row.label, name or id_, values)
                for id_, name, values in _rows(table, 1, left_out)
            ]
        else:
            for s, o, values in _rows(table, 2, left_out):
                text = dump_line({key: to_plain(values[key]) for key in sorted(values)})
                edge = row.label, f"{row.subject}#{s}", f"{row.object}#{o}"
                found.append((edge, text, values))
    return PropertyGraph(schema, nodes, _edges(found, left_out), str(path))


def _read(path: Path) -> tuple[Schema, list[tuple[EntityType | RelationType, _Table]]]:
    """The schema, and its rows that have a table."""
    whole = read_toml(path)
    problems: list[str] = []
    plain = dict(whole)
    split: dict[tuple[str, ...], _Split] = {}
    for key, known in (("entities", _OF_ENTITY), ("relations", _OF_RELATION)):
        rows = whole.get(key, [])
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            parts = [_split(row, known, problems) for row in rows]
            plain[key] = [part[0] for part in parts]
            names = ("label",) if key == "entities" else ("subject", "label", "object")
            split |= {tuple(str(part[0].get(n)) for n in names): part for part in parts}
    if not any(part[1]["table"] for name, part in split.items() if len(name) == 1):
        problems.append('no entity type names its table, e.g. table = "towns.csv"')
    schema = schema_of(plain, str(path), problems)
    found: list[tuple[EntityType | RelationType, _Table]] = []
    known_rows: list[EntityType | RelationType] = [*schema.entities, *schema.relations]
    for row in known_rows:
        name = (row.label,) if isinstance(row, EntityType) else row.signature
        _, place, columns = split[name]
        file, first, second = place.values()
        cells = tuple(_cells(row, columns, problems)) if file else ()
        if file:
            found.append((row, _Table(path.parent / file, (first, second), cells)))
    if problems:
        raise ConfigError(list_problems(str(path), problems, ADVICE))
    return schema, found


_Split = tuple[dict[str, Any], dict[str, str], dict[str, dict[str, str]]]
"""A row of a schema as others have it, where it comes from, and the columns of its properties."""


def _split(row: Mapping[str, Any], known: Mapping[str, str], problems: list[str]) -> _Split:
    plain = {key: value for key, value in row.items() if key not in known}
    where = str(row.get("label", ""))
    place = _texts(row, known, where, problems)
    columns: dict[str, dict[str, str]] = {}
    own = row.get("properties", {})
    if isinstance(own, dict):
        plain["properties"] = {}
        for name, value in own.items():
            table = value if isinstance(value, dict) else {}
            columns[name] = _texts(table, _OF_PROPERTY, f"{where}.{name}", problems)
            rest = {key: text for key, text in table.items() if key not in _OF_PROPERTY}
            plain["properties"][name] = rest if table else value
    return plain, place, columns


def _texts(
    row: Mapping[str, Any], known: Mapping[str, str], where: str, problems: list[str]
) -> dict[str, str]:
    found = {}
    for key, usual in known.items():
        value = row.get(key, usual)
        if not isinstance(value, str) or (key in row and not value) or "\0" in value:
            problems.append(f"{where}.{key} is {shown(value)}; expected text")
        found[key] = str(value)
    return found


def _cells(
    row: EntityType | RelationType, columns: Mapping[str, Mapping[str, str]], problems: list[str]
) -> Iterator[Cell]:
    for own in row.properties:
        place = columns[own.name]
        try:
            convert = converter(own.from_unit, own)
        except ConfigError as problem:
            problems.append(f"{row.label}.{own.name}: {problem}".rstrip("."))
            continue
        yield own, place["column"] or own.name, place["separator"], convert


def _edges(
    rows: list[tuple[tuple[str, str, str], str, dict[str, Value]]], left_out: Faults
) -> Iterator[GraphEdge]:
    distinct: dict[tuple[tuple[str, str, str], str], dict[str, Value]] = {}
    for edge, text, values in rows:
        if (edge, text) in distinct:
            left_out.add("edges that are there twice", " ".join(edge))
        distinct[edge, text] = values
    order = sorted(distinct)
    for id_, (edge, text) in zip(edge_ids(edge for edge, _ in order), order, strict=True):
        yield GraphEdge(id_, *edge, distinct[edge, text])


def _rows(
    table: _Table, needed: int, left_out: Faults
) -> Iterator[tuple[str, str, dict[str, Value]]]:
    """Both ends (or id and name) and the values of each row; the first `needed` of the two must be there."""
    lines = _lines(table.path)
    header = [name.strip() for name in next(lines, (0, []))[1]]
    wanted = [*table.ends[:needed], *(column for _, column, _, _ in table.cells)]
    missing = [
        f"there is no column {name!r}; {did_you_mean(name, header)}"
        for name in wanted
        if name not in header
    ]
    missing += [f"column {name!r} is there twice" for name in wanted if header.count(name) > 1]
    if missing:
        raise ConfigError(
            list_problems(str(table.path), missing, "Name the columns as the first line does.")
        )
    at = {name: header.index(name) for name in header}
    for number, line in lines:
        where = f"{table.path.name}: line {number}"
        if len(line) != len(header):
            left_out.add(
                "rows with another number of columns than the first line",
                f"{where}: {len(line)} columns; expected {len(header)}",
            )
            continue
        cells = [cell.strip() for cell in line]
        first, second = (cells[at[name]] if name in at else "" for name in table.ends)
        if not all((first, second)[:needed]):
            left_out.add("rows without an id or an end", where)
            continue
        values: dict[str, Value] = {}
        for own, column, separator, convert in table.cells:
            if not (text := cells[at[column]]):
                continue
            value = from_text(text, own.datatype, own.precision, separator)
            if value is None:
                left_out.add(
                    f"values of {own.name} that are no {own.datatype}",
                    f"{where}: {own.name} is {shown(text)}",
                )
            else:
                values[own.name] = convert(value)
        yield first, second, values


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a table that are not empty, with their numbers."""
    text = read_text(path)
    tabs = re.search(r"\.(tsv|txt|tab)(\.gz|\.zst)?$", path.name.lower())
    kind: dict[str, Any] = (
        {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if tabs else {"strict": True}
    )
    reader = csv.reader(text.split("\n") if tabs else text.splitlines(keepends=True), **kind)
    try:
        for line in reader:
            if any(cell.strip() for cell in line):
                yield reader.line_num, line
    except csv.Error as problem:
        raise InputError(
            f"{path}: line {reader.line_num} cannot be read ({problem}). Correct it; commas and quotes "
            "inside a cell need quotes around it, and a cell has 131,072 characters at most."
        ) from None
