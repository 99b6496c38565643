"""Question graphs with evidence: PageRank beside networkx, walks beside every sequence of triples."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from rulemine.exports.question_graphs import with_evidence as module
from rulemine.exports.question_graphs.with_evidence import GraphWithEvidence, graphs_with_evidence
from rulemine.files import read_jsonl
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query import parse
from rulemine.query.tree import Anchor, Intersection, Projection
from rulemine.release.reader import Release
from rulemine.release.records import Certificate, Question, Removal
from rulemine.seeds import stream
from tests import some_seeds
from tests.command_line import Command, assert_refused
from tests.evaluation.world import USUAL, write_structures
from tests.questions import question


def random_graph(seed: int, entities: int, triples: int) -> KnowledgeGraph:
    draw = stream(seed, "graph")
    return KnowledgeGraph.from_triples(
        (f"e{draw.below(entities):03d}", f"r{draw.below(3)}", f"e{draw.below(entities):03d}")
        for _ in range(triples)
    )


def about(topics: Sequence[str], **changes: object) -> Question:
    """A question about some topics, with evidence that no graph has."""
    asked = replace(question(1, ("nobody", "no relation", "none")), anchors=tuple(topics))
    return replace(asked, **changes)  # type: ignore[arg-type]


def made(
    kg: KnowledgeGraph, asked: Iterable[Question], removed: Sequence[Removal] = (), **sizes: int
) -> Iterator[GraphWithEvidence]:
    ids = {name: name for name in (*kg.entities, "nobody", "none")}
    return graphs_with_evidence(kg, tuple(asked), removed, ids, **sizes)


def neighborhood(kg: KnowledgeGraph, topics: Sequence[str], steps: int) -> nx.MultiGraph:
    """Its triples, by their rows."""
    graph = nx.MultiGraph()
    for row, (head, _, tail) in enumerate(kg.labeled()):
        graph.add_edge(head, tail, row)
    far = nx.multi_source_dijkstra_path_length(graph, set(topics), weight=lambda *_: 1)
    return graph.subgraph([name for name, distance in far.items() if distance <= steps])


def page_rank(graph: nx.MultiGraph, topics: Sequence[str]) -> dict[str, float]:
    """A loop is two steps from an entity to itself, as elsewhere here; networkx counts it once."""
    steps = nx.DiGraph()
    steps.add_nodes_from(graph)
    for head, tail in graph.edges():
        for a, b in ((head, tail), (tail, head)):
            before = steps.get_edge_data(a, b, {"weight": 0})["weight"]
            steps.add_edge(a, b, weight=before + 1)
    start = dict.fromkeys(topics, 1.0)
    found: dict[str, float] = nx.pagerank(steps, module.ALPHA, start, 2000, 1e-14)
    return found


@pytest.mark.parametrize("seed", some_seeds(8))
@pytest.mark.parametrize(("entities", "triples"), [(20, 50), (14, 1000), (40, 12)])
def test_the_best_entities_stay_and_their_triples(
    monkeypatch: pytest.MonkeyPatch, seed: int, entities: int, triples: int
) -> None:
    monkeypatch.setattr(module, "SETTLED", 1e-11)
    kg = random_graph(seed, 60, 90)
    topics = list(kg.entities[seed : seed + 1 + seed % 3])
    near = neighborhood(kg, topics, 3)
    rank = {name: round(rate, 9) for name, rate in page_rank(near, topics).items()}
    best = sorted(near, key=lambda name: (-rank[name], name))[:entities]
    while len(rows := [row for *_, row in near.subgraph(best).edges(keys=True)]) > triples:
        best.pop()
    (one,) = made(kg, [about(topics)], most_entities=entities, most_triples=triples)
    assert sorted(one.rows.tolist()) == sorted(rows)
    assert one.near == len(rows)
    assert one.whole == (len(rows) == near.number_of_edges())


@pytest.mark.parametrize("shape", ["random", "chain", "star", "clique", "apart"])
def test_rates_are_nearly_exact_on_graphs_of_every_kind(shape: str) -> None:
    names = [f"e{i:03d}" for i in range(80)]
    pairs = {
        "random": list(zip(names, names[3:] + names[:3], strict=True)),
        "chain": list(pairwise(names)),
        "star": [(names[0], name) for name in names[1:]],
        "clique": [(a, b) for a in names[:20] for b in names[:20] if a < b],
        "apart": [("e000", "e001"), *pairwise(names[2:])],
    }[shape]
    kg = KnowledgeGraph.from_triples((a, "r", b) for a, b in pairs)
    topics = ["e000", "e002"]
    wanted = page_rank(neighborhood(kg, topics, 80), topics)
    nodes = np.arange(len(kg.entities))
    starts = np.array([kg.entity_ids[name] for name in topics])
    cut = module._Neighborhoods(kg, np.arange(len(kg)), 1, 1)._page_rank(starts, nodes)
    error = sum(
        abs(cut[kg.entity_ids[name]] / module.UNITS - rate) for name, rate in wanted.items()
    )
    assert error < 5 * module.SETTLED  # a step changes an error by a factor of 0.85 at worst


def test_the_neighborhood_reaches_as_far_as_the_query() -> None:
    kg = KnowledgeGraph.from_triples((f"e{i}", "r", f"e{i + 1}") for i in range(9))
    sizes = [len(one.rows) for one in made(kg, [about(["e0"], hops=n) for n in (1, 3, 5)])]
    assert sizes == [3, 3, 5]
    assert [len(one.rows) for one in made(kg, [about(["e5"])], steps=1)] == [2]
    (one,) = made(kg, [about(["nobody"])])
    assert (len(one.rows), one.whole) == (0, True)


def test_evidence_and_certificates_are_added_and_nothing_that_was_removed() -> None:
    far = [("x", "p", "y"), ("y", "q", "z"), ("x", "s", "w"), ("w", "t", "z")]
    chain = [(f"e{i}", "r", f"e{i + 1}") for i in range(5)]
    complete = [*chain, *far, ("e5", "r", "x")]
    gone: Triple = ("y", "q", "z")
    certificate = Certificate("rule", gone, (("x", "s", "w"), ("w", "t", "z"), ("x", "p", "y")))
    removed = [Removal(gone, 100, ("object",), certificate, None, USUAL, core=False)]
    asked = about(["e0"], full_evidence=(("x", "p", "y"), gone))
    for stated, added in (
        (complete, far[:2]),
        ([t for t in complete if t != gone], [far[0], *far[2:]]),
    ):
        kg = KnowledgeGraph.from_triples(stated)
        (one,) = made(kg, [asked], removed)
        assert sorted(kg.labeled(one.rows)) == sorted([*chain[:3], *added])
        assert (one.near, one.gold_near, one.certificates_near, one.confounders) == (3, 0, 0, 0)
        assert (one.gold, one.certificates) == ((2, 0) if gone in stated else (1, 2))


@pytest.mark.parametrize("seed", range(6))
def test_confounders_are_the_triples_of_every_walk_along_a_path_of_the_query(seed: int) -> None:
    kg = random_graph(seed, 12, 40)
    topics = ["e001", "e002"]
    two = Projection("r1", True, Projection("r0", False, Anchor("e001")))
    query = Intersection.of([two, Projection("r2", False, Anchor("e002"))])
    wanted: set[Triple] = set()
    triples = kg.labeled()
    for topic in topics:
        wanted |= {t for t in triples if t[0] == topic and t[1] == "r2"}
        for first in (t for t in triples if t[0] == topic and t[1] == "r0"):
            for second in (t for t in triples if t[2] == first[2] and t[1] == "r1"):
                wanted |= {first, second}
    evidence = tuple(sorted(wanted))[:1]
    asked = about(topics, query=query.text, full_evidence=evidence)
    (one,) = made(kg, [asked], most_entities=1, most_triples=1)
    near = one.near
    found = kg.labeled(one.rows)
    assert set(found) >= wanted
    assert len(found) == len(set(found))
    assert near + one.gold - one.gold_near + one.confounders == len(found)
    assert set(found) - wanted <= {t for t in triples if t[0] == t[2]}  # loops of the one entity


def test_paths_of_unions_differences_and_counts() -> None:
    text = '(count (minus (or (p "a" "x") (p "b" "x")) (p "c" "y")))'
    assert module._paths(parse(text)) == {(("a", False),), (("b", False),)}
    assert module._paths(parse('(p- "d" (and (p "a" "x") (p "b" "y")))')) == {
        (("a", False), ("d", True)),
        (("b", False), ("d", True)),
    }


def test_every_naming_gives_the_same_triples_in_the_same_order() -> None:
    kg = random_graph(5, 60, 200)
    asked = [about([name], id=f"q{name}") for name in kg.entities[:5]]
    other = {name: f"x{stream(0, name).below(10**9)}" for name in (*kg.entities, "nobody", "none")}
    back = {new: name for name, new in other.items()}
    renamed = kg.renamed(other)
    sizes = {"most_entities": 9, "most_triples": 12}
    one = list(made(kg, asked, **sizes))
    two = graphs_with_evidence(
        renamed, [replace(q, anchors=(other[q.topic],)) for q in asked], (), back, **sizes
    )
    for mine, theirs in zip(one, two, strict=True):
        there = [(back[s], r, back[o]) for s, r, o in renamed.labeled(theirs.rows)]
        assert kg.labeled(mine.rows) == there
    again = list(made(kg, asked, seed=1, **sizes))
    assert [set(g.rows.tolist()) for g in again] == [set(g.rows.tolist()) for g in one]
    assert [g.rows.tolist() for g in again] != [g.rows.tolist() for g in one]


@pytest.mark.parametrize("kg", ["complete", "incomplete", "incomplete-50"])
def test_files_hold_what_the_report_says(tmp_path: Path, command: Command, kg: str) -> None:
    folder = write_structures(tmp_path / "structures").path
    run = (
        "export",
        "question-graphs",
        folder,
        "--kg",
        kg,
        "--entities",
        "4",
        "--triples",
        "5",
        "-o",
    )
    ended = command(*run, tmp_path / "graphs")
    assert ended.status == 0
    assert "gold near" in ended.out
    release = Release.open(folder)
    graph = KnowledgeGraph.read(tmp_path / "graphs" / "graph.tsv.gz")
    assert graph.labeled() == release.kg(kg).labeled()
    every = np.fromfile(tmp_path / "graphs" / "rows.bin", "<i4")
    lines = [line for _, line in read_jsonl(tmp_path / "graphs" / "questions.jsonl")]
    asked = {q.id: q for q in release.questions()}
    assert [line["id"] for line in lines] == sorted(asked)
    removed = {row.triple: row for row in release.removals()}
    stated = set(graph.labeled())
    assert sum(line["triples"] for line in lines) == len(every)
    for line in lines:
        rows = every[line["first"] : line["first"] + line["triples"]]
        found = graph.labeled(rows.astype(np.int64))
        assert len(set(found)) == len(found)
        evidence = set(asked[line["id"]].full_evidence)
        body = {t for gone in evidence - stated for t in removed[gone].certificate.body}
        assert set(found) >= (evidence & stated) | body
        assert line["gold"] == len(evidence & stated)
        assert line["certificates"] == len(body - evidence)
        assert 0 <= line["near"] <= 5
    report = json.loads((tmp_path / "graphs" / "report.json").read_text("utf-8"))
    (headline,) = report["headline"]["rows"]
    assert headline[1:4] == [
        len(lines),
        {"value": len(every) / len(lines), "low": None, "high": None},
        max(line["triples"] for line in lines),
    ]
    shares = [line["gold_near"] / line["gold"] for line in lines if line["gold"]]
    assert headline[7]["value"] == pytest.approx(sum(shares) / len(shares))
    before = (tmp_path / "graphs" / "rows.bin").read_bytes()
    command(*run, tmp_path / "graphs")
    assert (tmp_path / "graphs" / "rows.bin").read_bytes() == before


def test_bad_input_is_refused(release: Release, command: Command, tmp_path: Path) -> None:
    run = ("export", "question-graphs", release.path, "-o")
    assert_refused(command(*run, tmp_path / "x", "--hops", "0"), "hops is 0; expected a whole")
    assert_refused(command(*run, tmp_path / "x", "--kg", "other"), "no graph 'other'")
    assert_refused(command(*run, tmp_path / "x", "--split", "validation"), "no questions in")
    assert_refused(command(*run, release.path / "x"), "is inside the release")
