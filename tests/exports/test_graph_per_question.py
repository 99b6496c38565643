"""Question graphs of exports with evidence: walks beside every sequence of triples, and who gets what."""

from pathlib import Path

from rulemine.exports.exporting import export
from rulemine.exports.formats.graph_per_question import _paths, confounders
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query import QueryGraph, parse
from rulemine.query.tree import Anchor, Intersection, Projection
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from rulemine.seeds import stream
from tests import each
from tests.exports.readers.rog import parquet


@each("seed", range(6))
def test_confounders_are_the_triples_of_every_walk_along_a_path_of_the_query(seed: int) -> None:
    draw = stream(seed, "graph")
    kg = KnowledgeGraph.from_triples(
        (f"e{draw.below(12):03d}", f"r{draw.below(3)}", f"e{draw.below(12):03d}") for _ in range(40)
    )
    two = Projection("r1", True, Projection("r0", False, Anchor("e001")))
    query = Intersection.of([two, Projection("r2", False, Anchor("e002"))])
    wanted: set[Triple] = set()
    triples = kg.labeled()
    for topic in ("e001", "e002"):
        wanted |= {t for t in triples if t[0] == topic and t[1] == "r2"}
        for first in (t for t in triples if t[0] == topic and t[1] == "r0"):
            for second in (t for t in triples if t[2] == first[2] and t[1] == "r1"):
                wanted |= {first, second}
    found = kg.labeled(confounders(QueryGraph(kg), ["e001", "e002", "nobody"], query))
    assert (set(found), len(found)) == (wanted, len(set(found)))


def test_paths_of_unions_differences_and_counts() -> None:
    text = '(count (minus (or (p "a" "x") (p "b" "x")) (p "c" "y")))'
    assert _paths(parse(text)) == {(("a", False),), (("b", False),)}
    assert _paths(parse('(p- "d" (and (p "a" "x") (p "b" "y")))')) == {
        (("a", False), ("d", True)),
        (("b", False), ("d", True)),
    }


@each("kg", ["complete", "incomplete", "incomplete-50"])
def test_evidence_is_in_graphs_of_training_and_those_of_test_are_as_without(
    structures: Release, tmp_path: Path, kg: str
) -> None:
    graphs = []
    for flag in ("true", "false"):
        to = f"rog:hops=1:max_triples=2:evidence={flag}"
        export(structures, to, tmp_path / flag, kg=kg, naming="text")
        rows = [row for split in SPLITS for row in parquet(tmp_path / flag, split)]
        graphs.append({row["id"]: list(map(tuple, row["graph"])) for row in rows})
    with_evidence, without = graphs
    # Relations have other names there: triples are compared by their ends.
    removed = {row.triple: row.certificate.body for row in structures.removals()}
    stated = set(structures.kg(kg).labeled())
    called = {e.name_in(structures.naming): e.text for e in structures.entities}
    assert {q.split for q in structures.questions()} == {"train", "validation", "test"}
    for q in structures.questions():
        found = with_evidence[q.id]
        assert len(found) == len(set(found))
        if q.split == "test":
            assert found == without[q.id]
            continue
        needed = [t for e in q.full_evidence for t in ((e,) if e in stated else removed[e])]
        ends = {(called[s], called[o]) for s, _, o in needed if (s, _, o) in stated}
        assert {(s, o) for s, _, o in found} >= ends
        assert set(found) >= set(without[q.id])
