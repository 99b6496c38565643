"""Candidates of the scripted writer."""

import json

import pytest

from rulemine.kinds.written.candidate import FORMS, Candidate, Refusal, Subgraph, Task
from rulemine.kinds.written.replies import read_candidate
from rulemine.kinds.written.scripted import NOTHING_SUITABLE, ScriptedWriter
from rulemine.phrasing.templates import load_templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Count, Difference
from tests.kinds.written.subgraph_of_demo import KG, NAMES, some_subgraph

TEMPLATES = load_templates("demo", KG.relations)
SUBGRAPHS = [some_subgraph(number) for number in range(6)]


@pytest.fixture(scope="module")
def writer():
    return ScriptedWriter(NAMES, TEMPLATES, seed=0)


def written(writer, atoms, form, copies=12):
    tasks = [
        Task(number, SUBGRAPHS[number % len(SUBGRAPHS)], atoms, form) for number in range(copies)
    ]
    found = [(task, writer.reply(task)) for task in tasks]
    return [(t, read_candidate(r)) for t, r in found if not isinstance(r, Refusal)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("atoms", [1, 2, 3, 6])
def test_a_candidate_is_a_tree_of_the_subgraph_in_three_forms(writer, atoms, form):
    found = written(writer, atoms, form)
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


def test_shapes_and_styles_vary(writer):
    found = [c for atoms in (2, 3, 4) for _, c in written(writer, atoms, "plain", 60)]
    trees = [tree_of_sparql(c.sparql) for c in found]
    assert {structure_of(tree).shape for tree in trees} >= {
        "(2)", "(1)(1)", "(3)", "(2)(1)", "((1)(1))", "(1)(1)(1)", "((2)(1))", "(4)", "(3)(1)",
    }  # fmt: skip
    for style in ("DISTINCT", "\n", "/", "^", "?item", "?x "):
        assert 0 < sum(style in c.sparql for c in found) < len(found), style


def test_the_same_task_gives_the_same_reply_whatever_else_is_asked(writer):
    tasks = [Task(number, SUBGRAPHS[0], 3) for number in range(8)]
    together = [*map(writer.reply, tasks)]
    assert [writer.reply(task) for task in reversed(tasks)] == together[::-1]
    other = ScriptedWriter(NAMES, TEMPLATES, seed=1)
    assert [*map(other.reply, tasks)] != together


def test_given_triples_and_answer_are_kept(writer):
    for task, candidate in written(writer, 2, "plain"):
        rows = [KG.triples[list(task.subgraph.rows)].tolist().index(t) for t in _rows(candidate)]
        given = tuple(task.subgraph.rows[row] for row in rows)
        again = Task(99, task.subgraph, 2, given=given, answer=NAMES.entity(candidate.answer.id))
        other = read_candidate(writer.reply(again))
        assert (other.triples, other.answer) == (candidate.triples, candidate.answer)


def _rows(candidate):
    return [[NAMES.entity(s), KG.relation_ids[r], NAMES.entity(o)] for s, r, o in candidate.triples]


def test_a_subgraph_that_is_too_small_is_a_refusal(writer):
    small = Subgraph(SUBGRAPHS[0].nodes[:2], SUBGRAPHS[0].rows[:1])
    for task in (Task(0, small, 2), Task(1, Subgraph((0,), ()), 1)):
        assert writer.reply(task).reason == NOTHING_SUITABLE


def test_names_with_signs_survive(writer):
    replies = (writer.reply(Task(n, some_subgraph(n), 1)) for n in range(20))
    reply = next(one for one in replies if "O'Keld" in one)
    assert "O'Keld" in json.loads(reply)["question"]
