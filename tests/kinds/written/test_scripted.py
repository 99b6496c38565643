"""Candidates and pairs of the scripted writer."""

import json
import random
from dataclasses import replace

import pytest

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.variants.pairs import Pair, Shown, Verified, pairs_of, verified
from rulemine.kinds.written.candidate import FORMS, Candidate, Refusal, Subgraph, Task
from rulemine.kinds.written.replies import read_candidate
from rulemine.kinds.written.scripted import MOST_TRIPLES, NOTHING_SUITABLE, ScriptedWriter
from rulemine.phrasing.templates import load_templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.grading import evaluate
from rulemine.query.structures import structure_of
from rulemine.query.tree import Count, Difference
from rulemine.seeds import stream
from tests.kinds.written.subgraph_of_demo import KG, NAMES, some_subgraph
from tests.small_graphs import RELATIONS

TEMPLATES = load_templates("demo", KG.relations)
SUBGRAPHS = [some_subgraph(number) for number in range(6)]


def reply(task, seed=0):
    return ScriptedWriter(TEMPLATES).candidate(task, NAMES, stream(seed, task.number))


def written(atoms, form, copies=12):
    tasks = [
        Task(number, SUBGRAPHS[number % len(SUBGRAPHS)], atoms, form) for number in range(copies)
    ]
    found = [(task, reply(task)) for task in tasks]
    return [(t, read_candidate(r)) for t, r in found if not isinstance(r, Refusal)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("atoms", [1, 2, 3, 6])
def test_a_candidate_is_a_tree_of_the_subgraph_in_three_forms(atoms, form):
    found = written(atoms, form)
    assert len(found) > 6
    for task, candidate in found:
        assert isinstance(candidate, Candidate)
        shown = NAMES.triples(task.subgraph.rows)
        assert len(set(candidate.triples)) == atoms
        assert set(candidate.triples) <= set(shown)
        query = tree_of_sparql(candidate.sparql)
        assert isinstance(query, Count) == (form == "count")
        query = query.of if isinstance(query, Count) else query
        assert isinstance(query, Difference) == (form == "without")
        of = query.of if isinstance(query, Difference) else query
        assert of == query_of_triples(candidate.triples, candidate.answer.id)
        assert sorted(node.id for node in candidate.seeds) == [*structure_of(query).anchors]
        assert candidate.answer not in candidate.seeds
        for node in candidate.seeds:
            assert node.label == NAMES.label(NAMES.entity(node.id))
            assert node.label in candidate.question
        if isinstance(query, Difference):
            taken = structure_of(query.minus).anchors[0]
            assert any(taken in (s, o) for s, _, o in shown)
            with_it = [
                t for t in shown if taken in (t[0], t[2]) and candidate.answer.id in (t[0], t[2])
            ]
            assert all(r != query.minus.relation for _, r, _ in with_it)


def test_shapes_vary():
    found = [c for atoms in (2, 3, 4) for _, c in written(atoms, "plain", 60)]
    trees = [tree_of_sparql(c.sparql) for c in found]
    assert {structure_of(tree).shape for tree in trees} >= {
        "(2)", "(1)(1)", "(3)", "(2)(1)", "((1)(1))", "(1)(1)(1)", "((2)(1))", "(4)", "(3)(1)",
    }  # fmt: skip


def test_the_same_task_gives_the_same_reply_whatever_else_is_asked():
    tasks = [Task(number, SUBGRAPHS[0], 3) for number in range(8)]
    together = [*map(reply, tasks)]
    assert [reply(task) for task in reversed(tasks)] == together[::-1]
    assert [reply(task, 1) for task in tasks] != together


def test_given_triples_and_answer_are_kept():
    for task, candidate in written(2, "plain"):
        rows = [KG.triples[list(task.subgraph.rows)].tolist().index(t) for t in _rows(candidate)]
        given = tuple(task.subgraph.rows[row] for row in rows)
        again = Task(99, task.subgraph, 2, given=given, answer=NAMES.entity(candidate.answer.id))
        other = read_candidate(reply(again))
        assert (other.triples, other.answer) == (candidate.triples, candidate.answer)


def _rows(candidate):
    return [[NAMES.entity(s), KG.relation_ids[r], NAMES.entity(o)] for s, r, o in candidate.triples]


def test_a_subgraph_that_is_too_small_is_a_refusal():
    small = Subgraph(SUBGRAPHS[0].nodes[:2], SUBGRAPHS[0].rows[:1])
    for task in (Task(0, small, 2), Task(1, Subgraph((0,), ()), 1)):
        assert reply(task).reason == NOTHING_SUITABLE


def test_names_with_signs_survive():
    replies = (reply(Task(n, some_subgraph(n), 1)) for n in range(20))
    found = next(one for one in replies if "O'Keld" in one)
    assert "O'Keld" in json.loads(found)["question"]


PLAIN = replace(load_templates("", RELATIONS), declarations=Declarations.of(symmetric=["p"]))


def subgraph(rng: random.Random) -> list[Triple]:
    """Different triples between a few entities, in random order."""
    entities = [f"e{number}" for number in range(rng.randint(3, 9))]
    drawn = {
        (rng.choice(entities), rng.choice(RELATIONS), rng.choice(entities))
        for _ in range(rng.randint(1, 12))
    }
    return rng.sample(sorted(drawn), len(drawn))


def test_every_pair_is_a_tree_of_the_triples_and_its_text_names_the_leaves() -> None:
    rng, writer, sizes = random.Random(0), ScriptedWriter(PLAIN), set()
    for _ in range(200):
        triples = subgraph(rng)
        text = writer.pairs(triples, 6)
        assert text == writer.pairs(triples, 6)
        shown = Shown(tuple(range(len(triples))), tuple(triples))
        pairs = [found for found in pairs_of(text) if isinstance(found, Pair)]
        assert len(pairs) == json.loads(text)["number_of_qa_pairs"] <= 6
        queries = set()
        for pair in pairs:
            assert isinstance(verified(pair, shown), Verified)
            sizes.add(len(pair.path))
            query = query_of_triples(pair.path, pair.answer)
            queries.add(query.text)
            ends = {end for s, _, o in pair.path for end in (s, o)}
            named = {end for end in ends if end in pair.question}
            assert named == {*structure_of(query).anchors}
            assert pair.answer in evaluate(KnowledgeGraph.from_triples(triples), query).answers
        assert len(queries) == len(pairs)
    assert sizes == {*range(2, MOST_TRIPLES + 1)}


def test_a_path_never_goes_back_by_the_relation_by_which_it_came() -> None:
    writer = ScriptedWriter(PLAIN)
    back = [("a", "q", "m"), ("b", "q", "m")]
    assert "qa_pairs" in writer.pairs(back, 5)
    assert [pair["answer"] for pair in json.loads(writer.pairs(back, 5))["qa_pairs"]] == ["m"]
    symmetric = [("a", "p", "m"), ("m", "p", "b")]
    assert [pair["answer"] for pair in json.loads(writer.pairs(symmetric, 5))["qa_pairs"]] == ["m"]


def test_a_chain_is_asked_by_its_ends_and_only_as_may_be() -> None:
    chain = [("a", "q", "m"), ("m", "r", "b")]
    for refused, expected in (("none", ["a", "b", "m"]), ('(p "r"', ["a", "m"])):
        writer = ScriptedWriter(PLAIN, lambda query, no=refused: not query.text.startswith(no))
        found = json.loads(writer.pairs(chain, 5))["qa_pairs"]
        assert [pair["answer"] for pair in found] == expected


def test_a_subgraph_without_pairs_is_said_to_have_none() -> None:
    writer = ScriptedWriter(PLAIN)
    for triples in ([], [("a", "q", "b")], [("a", "q", "a"), ("b", "r", "b")]):
        expected = {"valid_qa_pairs": False, "number_of_qa_pairs": 0, "qa_pairs": []}
        assert json.loads(writer.pairs(triples, 5)) == expected
