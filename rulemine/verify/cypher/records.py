"""The shape of what only releases of the kind ``cypher`` have: property graphs, removed values, blocks."""

import json
from typing import Any

from rulemine.verify.shaping import (
    anything,
    array,
    integer,
    like,
    line,
    mapping,
    name,
    nullable,
    number,
    one_of,
    record,
    rule_id,
    text,
    triple,
    truth,
    value,
)

__all__ = [
    "FILES",
    "OF_CYPHER",
    "OTHERWISE",
    "REMOVED_VALUE",
    "SIMPLEKG",
    "VALUE_RULE",
    "graph_file",
]

FILES = ("removed_values.jsonl", "value_rules.jsonl")
"""What these releases have, beside a property graph for each KG."""


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
_node_property = array(name, length=2)

OF_CYPHER = {
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
    "relations": array(name),
    "properties": array(name),
    "removed": array(triple),
    "removed_values": array(_node_property),
    "rules": array(rule_id),
}

_LOST = record(
    {
        "answer": _row,
        "missing": integer(1),
        "level": integer(1, 100),
        "witness": array(triple),
        "core": truth,
    }
)

OTHERWISE = {
    "anchors": array(name),
    "sparql": value(lambda v: v == "", "no SPARQL"),
    "hops": integer(0, 2),
    "answers": array(_row, 1),
    "stated": _rows,
    "hard": array(_LOST),
    "further": array(name, length=0),
    "hard_answer": nullable(_row),
    "evidence": array(triple),
    "full_evidence": array(triple),
    "spurious": _rows,
    "patterns": array(line, 1),
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

REMOVED_VALUE = record(
    {
        "node": name,
        "property": name,
        "value": value(lambda v: v is not None, "a value"),
        "level": integer(1, 100),
        "certificate": record(
            {"rule": rule_id, "path": array(triple), "node": name, "property": name}
        ),
    }
)

VALUE_RULE = record(
    {
        "id": rule_id,
        "text": line,
        "type": name,
        "property": name,
        "path": array(record({"relation": name, "outward": truth, "type": name})),
        "source": name,
        "function": one_of(("same", "year")),
        "support": integer(0),
        "known": integer(0),
        "confidence": number(0, 1),
        "prior": number(0, 1),
    }
)
