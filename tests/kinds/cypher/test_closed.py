"""Releases of the kind ``cypher`` state every fact in all its statements, and ask it that way."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from checks.oracles.patterns import ByStatements, differs, expected
from rulemine.builder.pipeline import Build
from rulemine.cypher import evaluate
from rulemine.cypher.interpreter.running import run
from rulemine.cypher.questions.evaluator import bindings
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.rows import ResultTable, row_text
from rulemine.datasets.property_graphs import load_property_graph
from rulemine.exports.exporting import export
from rulemine.exports.iris import triples
from rulemine.exports.protocol import ExportInput
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.simplekg import simplekg_pieces
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.verify import verify
from rulemine.verify.kinds.cypher.evaluation import LabeledGraph, matches, read, rows_of
from tests import ALL_SEEDS, each
from tests.releases import built


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Release:
    folder = tmp_path_factory.mktemp("demo") / "release"
    settings: list[tuple[tuple[str, ...], Any]] = [(("naming",), "entity")]
    if not ALL_SEEDS:
        settings += [(("cypher", "per_template"), 2), (("mining", "max_atoms"), 2)]
    Build(load_recipe("cypher-demo", settings), folder).run()
    return Release.open(folder)


@pytest.mark.parametrize("name", ["demo", "coast"])
def test_gold_is_what_the_statements_of_the_given_graph_say_together(name, request):
    release: Release = request.getfixturevalue(name)
    given = load_property_graph(
        "demo" if name == "demo" else str(release.path.parent / "coast.json")
    )
    graph = given.renamed({node.id: node.id for node in given.nodes})
    closed = release.property_graph("complete")
    assert len(closed.edges) > len(graph.edges)
    search, otherwise, timed = ByStatements(graph, release.relations()), 0, 0
    for question in release.questions():
        query = query_of(question.query)
        rows = evaluate(closed, query)
        assert not differs(rows, expected(graph, query, search)), question.query
        otherwise += evaluate(graph, query) != rows
        timed += query.match.time is not None and "employs" in query.match.relations
    # In the stored direction alone they would differ.
    assert otherwise > len(release.questions()) / 20
    assert bool(timed) == (name == "coast")


def test_no_match_leads_back_over_a_declared_relation(demo: Release) -> None:
    relations, graph = demo.relations(), demo.property_graph("complete")
    shared = [row["fact"] for row in relations.values()]
    asked = 0
    for question in demo.questions():
        match = query_of(question.query).match
        facts = {relations[name]["fact"] for name in match.relations}
        several = any(relations[f]["symmetric"] or shared.count(f) > 1 for f in facts)
        if len(match.relations) == 2 and len(facts) == 1 and several:
            asked += 1
            for row in bindings(graph, match):
                ends = [row.nodes[name] for name in ("n", "m0", "m1") if name in row.nodes]
                assert len({*ends}) == len(ends), question.query
    assert asked


_TEXT = r'("(?:[^"\\]|\\.)*")'
_ROW = re.compile(rf"\[{_TEXT}, {_TEXT}, \{{id: ")
_LOADED = re.compile(r"CREATE \(s\)-\[r:`?(\w+)`?\]->\(o\)")


@each("kg", ["complete", "incomplete-50", "incomplete"])
def test_all_forms_of_a_graph_have_the_same_edges(coast: Release, tmp_path: Path, kg: str) -> None:
    edges = {edge.id: edge for edge in coast.property_graph(kg).edges}
    stated = {(edge.subject, edge.type, edge.object) for edge in edges.values()}
    assert len(stated) == len(edges)
    # Each fact is there in both statements or in none.
    back = {"comes_from": "home_of", "works_in": "employs"}
    turned = {(o, back[r], s) for s, r, o in stated if r in back}
    assert turned == {(s, r, o) for s, r, o in stated if r in back.values()}
    assert (len(turned) == 40) == (kg == "complete")

    assert {*coast.kg(kg).labeled()} == stated
    assert f"kg/{kg}.tsv.gz" in coast.manifest["files"]  # that is the file that was read
    given = ExportInput(coast, coast.naming, kg)
    served = re.findall(
        r"<entity:(.*)> <relation:(.*)> <entity:(.*)> \.", "\n".join(triples(given, "release"))
    )
    assert {tuple(map(unquote, row)) for row in served} == stated

    export(coast, "neo4j", tmp_path / "out", naming=coast.naming, kg=kg)
    script = set()
    for line in (tmp_path / "out/load.cypher").read_text("utf-8").splitlines():
        if found := _LOADED.search(line):
            ends = (map(json.loads, row) for row in _ROW.findall(line))
            script |= {(s, found[1], o) for s, o in ends}
    assert script == stated


@pytest.fixture(scope="module")
def coast() -> Release:
    return Release.open(built("coast-declared") / "release")


def test_a_release_of_a_closed_graph_is_verified(coast: Release) -> None:
    assert verify(coast.path).problems == ()


def test_counts_are_of_distinct_nodes_in_every_evaluation(coast: Release) -> None:
    graph = coast.property_graph("complete")
    again = [replace(edge, id=f"{edge.id} again") for edge in graph.edges]
    doubled = PropertyGraph(graph.schema, graph.nodes, (*graph.edges, *again))
    second = LabeledGraph(json.loads("".join(simplekg_pieces(doubled))))
    counting = 0
    for question in coast.questions():
        query, rows = query_of(question.query), Counter(question.block.rows)
        if len({*query.match.relations}) < len(query.match.relations):
            continue  # parallel edges lead there and back, which no count can tell
        counting += "count" in question.block.cypher
        if not question.block.tied:
            assert Counter(map(row_text, evaluate(doubled, query).rows)) == rows
            answered = run(doubled, question.block.cypher)
            assert isinstance(answered, ResultTable)
            assert Counter(map(row_text, answered.rows)) == rows
            asked = read(question.query)
            assert Counter(rows_of(second, asked, matches(second, asked)).rows) == rows
    assert counting > 1
