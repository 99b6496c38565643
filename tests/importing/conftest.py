"""Two invented sets, one with queries and one with Cypher, and releases: copy one before you change it."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine import Release, import_set
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.registry import IMPORTS
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.simplekg import simplekg_of
from rulemine.release.writer import write_release
from tests.written_releases import written_world

GRAPH = [
    ("ann", "parent", "bo"),
    ("bo", "parent", "cy"),
    ("bo", "parent", "dee"),
    ("ann", "friend", "cy"),
]
GONE = ("bo", "parent", "cy")

ROWS: list[dict[str, Any]] = [
    {"id": "one", "question": "Who are the grandparents of ann?", "topics": ["ann"],
     "answers": ["cy", "eve"], "query": '(p "parent" (p "parent" "ann"))'},
    {"id": "two", "question": "Who are the parents of ann?", "topics": ["ann"], "answers": ["bo"],
     "sparql": "SELECT ?x { <ann> <parent> ?x }"},
    {"id": "three", "question": "Who is a friend of ann?", "topics": ["ann"], "answers": ["cy"]},
    {"id": "four", "question": "Who is nobody?", "answers": []},
]  # fmt: skip


def write_set(folder: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    """Writes rows, their graph and what is left of it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, triples in (("kg.tsv", GRAPH), ("left.tsv", [t for t in GRAPH if t != GONE])):
        (folder / name).write_text("".join("\t".join(t) + "\n" for t in triples))
    return folder


def with_graphs(given: Path, output: Path) -> Release:
    """The release of rows and both graphs."""
    graphs = {"kg": given / "kg.tsv", "incomplete": given / "left.tsv"}
    return import_set("plain", given / "test.jsonl", output, **graphs)


def release_of(folder: Path, *rows: dict[str, Any]) -> Release:
    """The same of some rows."""
    return with_graphs(write_set(folder / "given", list(rows)), folder / "out")


def graph_of(*towns: str) -> PropertyGraph:
    nodes = [
        {"eid": f"Town#{i}", "label": "Town", "name": name, "properties": {}}
        for i, name in enumerate(towns)
    ]
    schema = {"name": "towns", "entities": [{"label": "Town", "properties": {}}], "relations": []}
    return simplekg_of({"schema": schema, "entities": nodes, "relations": []}, "towns")


NAMES = "MATCH (n:Town) RETURN n.name"
COUNT = "MATCH (n:Town) RETURN count(n)"

ASKED = [
    ImportedQuestion("a", "Which towns?", (), cypher=NAMES, graph="north", fields={"type": "list"}),
    ImportedQuestion("b", "How many towns?", ("[1]",), cypher=COUNT, graph="south"),
    ImportedQuestion("c", "How many towns up north?", (), cypher=COUNT, graph="north"),
]
"""Questions about two property graphs."""


def cypher_release(output: Path, *questions: ImportedQuestion) -> Release:
    """The release of questions about these graphs."""
    graphs = {"north": graph_of("Ayr", "Oban"), "south": graph_of("Deal")}
    found = ImportedSet("towns", "invented", list(questions), property_graphs=graphs)
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(IMPORTS.own, "towns", lambda: lambda path, kg, incomplete: found)
        return import_set("towns", output / "none", output)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("importing")


@pytest.fixture(scope="session")
def written(home: Path) -> Release:
    """Questions written for a subgraph, in the naming ``entity``."""
    return _world(home / "entity", "subgraphs")


@pytest.fixture(scope="session", params=["subgraphs", "variants"])
def labeled(request: pytest.FixtureRequest, home: Path) -> Release:
    """Such questions, of either kind, in the naming ``text``."""
    return _world(home / "text", request.param)


def _world(folder: Path, kind: str) -> Release:
    (folder / kind).mkdir(parents=True)
    write_release(folder / kind, written_world(kind), folder.name)
    return Release.open(folder / kind)


@pytest.fixture(scope="session")
def given(home: Path) -> Path:
    """The files of the small set with queries."""
    return write_set(home / "given")


@pytest.fixture(scope="session")
def whole(given: Path, home: Path) -> Release:
    """Its release with both graphs."""
    return with_graphs(given, home / "whole")


@pytest.fixture(scope="session")
def bare(given: Path, home: Path) -> Release:
    """Its release without a graph."""
    return import_set("plain", given / "test.jsonl", home / "bare")


@pytest.fixture(scope="session")
def towns(home: Path) -> Release:
    """The release of the small set with Cypher."""
    return cypher_release(home / "towns", *ASKED)
