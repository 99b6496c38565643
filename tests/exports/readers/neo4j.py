"""Reads what Neo4j imports: CSV as ``neo4j-admin database import`` takes it, and a script in Cypher.

The import doubles quotes and knows no other escape (its option ``--legacy-style-quoting`` is off); a string
of Cypher has those of JSON; a name in backticks doubles them.
"""

import csv
import json
import re
from pathlib import Path

Graph = tuple[list[str], list[tuple[str, str, str]]]
"""Names of nodes; subject, type, object of relationships, by name; both sorted."""

_TYPE = re.compile(r"CREATE \(s\)-\[:`((?:[^`]|``)+)`\]->\(o\);$")


def from_csv(folder: Path) -> Graph:
    with (folder / "nodes.csv").open(encoding="utf-8", newline="") as file:
        nodes = {row[":ID"]: row["name"] for row in csv.DictReader(file, strict=True)}
    with (folder / "relations.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            (nodes[row[":START_ID"]], row[":TYPE"], nodes[row[":END_ID"]])
            for row in csv.DictReader(file, strict=True)
        ]
    return sorted(nodes.values()), sorted(rows)


def from_script(script: str) -> Graph:
    nodes: list[str] = []
    rows: list[tuple[str, str, str]] = []
    for statement in script.splitlines():
        assert statement.endswith(";")
        if not statement.startswith("UNWIND "):
            continue
        given, end = json.JSONDecoder().raw_decode(statement.removeprefix("UNWIND "))
        rest = statement.removeprefix("UNWIND ")[end:]
        if rest == " AS name CREATE (:Entity {name: name});":
            nodes += given
        else:
            found = _TYPE.search(rest)
            assert found
            rows += [(s, found[1].replace("``", "`"), o) for s, o in given]
    return sorted(nodes), sorted(rows)
