"""The shape of what only releases about rows have: property graphs, blocks."""

import json
from typing import Any

from rulemine.verify.shapes import HARD
from rulemine.verify.shaping import (
    anything,
    array,
    integer,
    like,
    line,
    mapping,
    name,
    nothing,
    record,
    text,
    truth,
    value,
)

__all__ = [
    "FIELDS",
    "SIMPLEKG",
    "graph_file",
]


def graph_file(level: int) -> str:
    """The file of the property graph of a level; 0 is the complete one."""
    name = {0: "complete", 100: "incomplete"}.get(level, f"incomplete-{level}")
    return f"property_graph/{name}.json.gz"


def _is_row(value: Any) -> bool:
    """Whether a value is a row as text: a JSON array as it is written."""
    try:
        row = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return False
    same = json.dumps(row, ensure_ascii=False, separators=(",", ":")) == value
    return isinstance(row, list) and len(row) > 0 and same


_row = value(_is_row, "a row: a JSON array without blanks")
_rows = array(_row)

_BLOCK = {
    "match": name,
    "returns": name,
    "family": name,
    "cypher": line,
    "columns": array(line, 1),
    "rows": array(_row, 1),
    "ordered": truth,
    "keys": _rows,
    "tied": _rows,
    "levels": array(
        record({"level": integer(1, 100), "rows": integer(0), "lost": _rows, "spurious": _rows}),
        1,
    ),
    "properties": array(name),
}

FIELDS = {
    "sparql": value(lambda v: v == "", "no SPARQL"),
    "answers": array(_row, 1),
    "hard": array(record({**HARD, "answer": _row})),
    "further": array(name, length=0),
    "intermediates": array(name, length=0),
    "patterns": array(line, 1),
    "value": nothing,
    "stated_value": nothing,
    "block": record(_BLOCK),
}
"""What questions about rows have in another shape."""

_properties = mapping(anything)
_type = record(
    {"label": name, "description": text, "properties": mapping(text)},
    {"details": anything, "sources": array(text)},
)
_relation = record(
    {"label": name, "subj_label": name, "obj_label": name, "properties": mapping(text)},
    {"description": text, "details": anything, "sources": array(text)},
)
_node = record(
    {
        "eid": name,
        "label": name,
        "name": name,
        "aliases": array(text),
        "description": text,
        "properties": _properties,
        "provenance": array(text),
    }
)
_edge = record(
    {
        "rid": like(r"r\d+", "r and a number"),
        "label": name,
        "subj_id": name,
        "obj_id": name,
        "properties": _properties,
        "provenance": array(text, length=0),
    }
)

SIMPLEKG = record(
    {
        "schema": record(
            {"name": text, "entities": array(_type, 1), "relations": array(_relation)}
        ),
        "entities": array(_node, 1),
        "relations": array(_edge, 1),
    }
)
