"""Candidates of all shapes of up to six triples, as lines of a file."""

import json
from collections.abc import Iterator

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.subgraphs.by_hand import Verdict, check_candidates, summary_of
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.written.execution import Executor
from rulemine.kinds.written.writer_names import WriterNames
from tests.query.rooted_trees import Tree, rooted_trees, shape_of

TREES = [tree for edges in range(1, 7) for tree in rooted_trees(edges)]


def checked(kg: KnowledgeGraph, rows: list[dict[str, object]]) -> list[Verdict]:
    """The verdicts on candidates."""
    lines = [json.dumps(row) for row in rows]
    with Executor(WriterNames.plain(kg), 60, 1000) as executor:
        found = check_candidates(lines, kg, Declarations(), SubgraphSection(), executor)
        return list(found)


def triples_of(tree: Tree, at: str, path: str) -> Iterator[Triple]:
    """The triples of a tree; entities are named by their path, as relations are."""
    for number, branch in enumerate(tree):
        own = f"{path}.{number}"
        yield f"e{own}", f"r{own}", at
        yield from triples_of(branch, f"e{own}", own)


def candidate_of(triples: list[Triple], answer: str) -> dict[str, object]:
    """A candidate whose every inner entity is a variable."""
    seeds = sorted({s for s, _, _ in triples} - {o for _, _, o in triples})
    terms = {seed: f"<entity:{seed}>" for seed in seeds}
    patterns = [
        f"{terms.get(s, '?' + s.replace('.', '_'))} <relation:{r}> ?{o.replace('.', '_')} ."
        for s, r, o in triples
    ]
    return {
        "question": f"What has {' and '.join(seeds)}?",
        "nodes": seeds,
        "answer": answer,
        "triples": triples,
        "sparql": f"SELECT ?{answer} {{ {' '.join(patterns)} }}",
        "atoms": len(triples),
    }


def leaf_depths(tree: Tree, depth: int = 1) -> list[int]:
    """How far the leaves are from the root."""
    return [d for b in tree for d in (leaf_depths(b, depth + 1) if b else [depth])]


def test_every_shape_is_accepted_with_its_code() -> None:
    trees = [list(triples_of(tree, f"x{i}", str(i))) for i, tree in enumerate(TREES)]
    kg = KnowledgeGraph.from_triples(triple for tree in trees for triple in tree)
    rows = [candidate_of(tree, f"x{i}") for i, tree in enumerate(trees)]
    rows[0]["sparql"] = f"{rows[0]['sparql']} LIMIT 1"
    found = checked(kg, rows)
    assert [one.get("dropped") for one in found[:2]] == [("LIMIT",), None]
    assert [one.get("shape") for one in found] == [shape_of(tree) for tree in TREES]
    assert [one["hops"] for one in found] == [max(leaf_depths(tree)) for tree in TREES]
    for tree, one in zip(TREES, found, strict=True):  # each seed alone leads to the answer
        depths = leaf_depths(tree)
        assert one["redundant"] == (len(depths) > 1)
        assert len(one["minimal"]) == len(depths)
        assert one["minimal_shape"] == f"({min(depths)})"
    assert summary_of(found) == "84 candidates, 84 accepted"
