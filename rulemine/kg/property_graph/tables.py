"""Property graphs from tables: a schema whose types and relations say which file and columns they come from.

Guarantees: the order of rows does not matter; a cell that does not convert is no value, and is counted by
property and datatype.
"""

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rulemine.codec import shown
from rulemine.errors import ConfigError, InputError, did_you_mean, list_problems
from rulemine.files import read_text
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import GraphNode, PropertyGraph
from rulemine.kg.property_graph.observed import SourceEdge, converter, numbered
from rulemine.kg.property_graph.schema import (
    ADVICE,
    EntityType,
    Property,
    RelationType,
    read_schema,
)  # fmt: skip
from rulemine.kg.property_graph.values import Value, from_text

__all__ = ["read_tables"]

Cell = tuple[Property, Callable[[Value], Value]]
"""A property, and the conversion of its unit."""


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
    schema, problems = read_schema(path, tables=True), list[str]()
    known: list[EntityType | RelationType] = [*schema.entities, *schema.relations]
    rows = [(row, [*_cells(row, problems)]) for row in known if row.table]
    if problems:
        raise ConfigError(list_problems(str(path), problems, ADVICE))
    nodes: list[GraphNode] = []
    edges: list[tuple[str, SourceEdge, dict[str, Value]]] = []
    for row, cells in rows:
        table = path.parent / row.table
        if isinstance(row, EntityType):
            columns = [row.id_column, row.name_column]
            for id_, name, values in _rows(table, columns, 1, cells, left_out):
                nodes.append(GraphNode(f"{row.label}#{id_}", row.label, name or id_, values))
        else:
            columns = [row.subject_column, row.object_column]
            for s, o, values in _rows(table, columns, 2, cells, left_out):
                ends = f"{row.subject}#{s}", f"{row.object}#{o}"
                edges.append((row.label, SourceEdge(row.label, *ends), values))
    return PropertyGraph(schema, nodes, numbered(edges, left_out), str(path))


def _cells(row: EntityType | RelationType, problems: list[str]) -> Iterator[Cell]:
    for own in row.properties:
        try:
            yield own, converter(own.from_unit, own)
        except ConfigError as problem:
            problems.append(f"{row.label}.{own.name}: {problem}".rstrip("."))


def _rows(
    path: Path, ends: list[str], needed: int, own: list[Cell], left_out: Faults
) -> Iterator[tuple[str, str, dict[str, Value]]]:
    """Both ends (or id and name) and the values of each row; the first `needed` of the two must be there."""
    lines = _lines(path)
    header = [name.strip() for name in next(lines, (0, []))[1]]
    wanted = [*ends[:needed], *(cell.column or cell.name for cell, _ in own)]
    wrong = [
        f"there is no column {name!r}; {did_you_mean(name, header)}"
        if name not in header
        else f"column {name!r} is there twice"
        for name in wanted
        if header.count(name) != 1
    ]
    if wrong:
        raise ConfigError(
            list_problems(str(path), wrong, "Name the columns as the first line does.")
        )
    for number, line in lines:
        where = f"{path.name}: line {number}"
        if len(line) != len(header):
            left_out.add(
                "rows with another number of columns than the first line",
                f"{where}: {len(line)} columns; expected {len(header)}",
            )
            continue
        cells = dict(zip(header, map(str.strip, line), strict=True))
        first, second = (cells.get(name, "") for name in ends)
        if not all((first, second)[:needed]):
            left_out.add("rows without an id or an end", where)
            continue
        values: dict[str, Value] = {}
        for cell, convert in own:
            if not (text := cells[cell.column or cell.name]):
                continue
            value = from_text(text, cell.datatype, cell.precision, cell.separator)
            if value is None:
                left_out.add(
                    f"values of {cell.name} that are no {cell.datatype}",
                    f"{where}: {cell.name} is {shown(text)}",
                )
            else:
                values[cell.name] = convert(value)
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
