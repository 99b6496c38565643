"""Trees over the joins that people make: drawn along a list, and recognized."""

from pathlib import Path

import numpy as np
import pytest

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.subgraphs.listed import ListedTrees, is_listed, plan_of
from rulemine.query import parse
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.structures import structure_of
from rulemine.recipe.joins import Joins, load_joins
from rulemine.seeds import stream

TEXT = """
[[joins]]
from = ["directed", "wrote", "^genre"]
to = ["^directed", "^wrote"]

[[joins]]
from = ["spouse"]
to = ["directed"]

[[joins]]
from = ["^directed", "^wrote"]
to = ["born_in", "spouse"]
chains = true

[[joins]]
from = ["spouse"]
to = ["born_in"]
chains = true

[[together]]
links = ["directed", "wrote"]
with = ["^genre"]
chains = true

[[together]]
links = ["directed", "wrote"]
"""
DECLARED = Declarations.of(symmetric=["spouse"])


@pytest.fixture
def joins(tmp_path: Path) -> Joins:
    (tmp_path / "joins.toml").write_text(TEXT)
    relations = ["directed", "wrote", "born_in", "spouse", "genre"]
    found = load_joins(str(tmp_path / "joins.toml"), relations, DECLARED)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ('(p "born_in" "ann")', True),
        ('(p "born_in" (p- "directed" "emma"))', True),
        ('(p "born_in" (p "directed" "ann"))', False),
        ('(p "born_in" (p "spouse" (p- "directed" "emma")))', True),
        ('(p "born_in" (p- "spouse" (p- "directed" "emma")))', True),
        ('(p- "wrote" (p "directed" "ann"))', True),
        ('(p "born_in" (p- "wrote" (p "directed" "ann")))', False),
        ('(p- "wrote" (and (p "directed" "ann") (p- "genre" "drama")))', True),
        ('(p- "wrote" (and (p "directed" "ann") (p "wrote" "bo")))', True),
        ('(and (p- "genre" "drama") (p "directed" (p "spouse" "ann")))', True),
        ('(and (p "wrote" "bo") (p "directed" (p "spouse" "ann")))', False),
        ('(and (p- "genre" "drama") (p- "genre" "satire"))', False),
        ('(count (and (p "directed" "ann") (p- "genre" "drama")))', True),
        ('(minus (p "directed" "ann") (p- "genre" "drama"))', True),
        ('(minus (p "directed" "ann") (p "born_in" "bo"))', False),
    ],
)
def test_every_two_links_that_meet_are_on_the_list(joins: Joins, text: str, listed: bool) -> None:
    assert is_listed(parse(text), joins, DECLARED) == listed


@pytest.mark.parametrize("shape", ["(1)", "(2)", "(3)", "(1)(1)", "((1)(1))", "(2)(1)"])
def test_trees_have_the_shape_the_triple_and_listed_joins(joins: Joins, shape: str) -> None:
    rows = [(f"p{i}", "directed", f"f{j}") for i in range(6) for j in (i, (i + 1) % 6)]
    rows += [(f"p{(i + 2) % 6}", "wrote", f"f{i}") for i in range(6)]
    rows += [(f"f{i}", "genre", ("drama", "satire")[i % 2]) for i in range(6)]
    rows += [(f"p{i}", "spouse", f"p{i + 1}") for i in (0, 2, 4)]
    rows += [(f"p{i}", "born_in", f"t{i // 2}") for i in range(6)]
    kg = KnowledgeGraph.from_triples(rows)
    trees = ListedTrees(kg, np.arange(len(kg)), joins, DECLARED)
    random, seen = stream(0, "test"), set()
    for row in np.arange(len(kg)).repeat(12).tolist():
        drawn = trees.draw(plan_of(shape), row, random)
        if drawn is None:
            continue
        tree, answer = drawn
        assert row in [place for place, _ in tree]
        triples = kg.labeled(np.array([place for place, _ in tree], np.int64))
        query = query_of_triples(triples, kg.entities[answer])
        assert structure_of(query, DECLARED).shape == shape
        assert is_listed(query, joins, DECLARED)
        seen.add(query.text)
    assert len(seen) > 5
