"""Candidates and pairs of the scripted writer."""

import json
import random
from dataclasses import replace

import pytest

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.neighbors import usually_one
from rulemine.kinds.written.replies import (
    FORMS,
    Candidate,
    Refusal,
    Subgraph,
    read_candidate,
    read_candidates,
)  # fmt: skip
from rulemine.kinds.written.scripted import (
    MOST_TRIPLES,
    NOTHING_SUITABLE,
    ScriptedWriter,
    is_listed,
)
from rulemine.phrasing.templates import load_templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.grading import evaluate
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of
from rulemine.query.tree import Count, Difference
from rulemine.recipe.joins import Joins
from rulemine.seeds import stream
from tests import each
from tests.kinds.written.subgraph_of_demo import KG, NAMES, some_task
from tests.small_graphs import RELATIONS

TEMPLATES = load_templates("demo", KG.relations)


def reply(task, seed=0):
    return ScriptedWriter(TEMPLATES, NAMES).candidate(task, stream(seed, task.number))


@pytest.mark.slow
@each("form", FORMS)
@each("atoms", [1, 2, 3, 6])
def test_a_candidate_is_the_tree_that_is_given_in_three_forms(atoms, form):
    found = 0
    for number in range(12):
        task = some_task(number, atoms, form)
        said = reply(task)
        if isinstance(said, Refusal):
            assert (said.reason, form) == (NOTHING_SUITABLE, "without")
            continue
        found += 1
        candidate = read_candidate(said)
        assert isinstance(candidate, Candidate)
        assert list(candidate.triples) == NAMES.triples(task.given)
        assert candidate.answer.id == NAMES.id(task.answer)
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
            shown = NAMES.triples(task.subgraph.rows)
            with_it = [
                t for t in shown if taken in (t[0], t[2]) and candidate.answer.id in (t[0], t[2])
            ]
            assert any(taken in (s, o) for s, _, o in shown)
            assert all(r != query.minus.relation for _, r, _ in with_it)
    assert found > 6


def test_the_same_task_gives_the_same_reply_whatever_else_is_asked():
    tasks = [some_task(number, 2, "without") for number in range(8)]
    together = [*map(reply, tasks)]
    assert [reply(task) for task in reversed(tasks)] == together[::-1]
    assert [reply(task, 1) for task in tasks] != together


def test_nothing_to_take_away_is_a_refusal():
    task = some_task(3, 1)
    small = Subgraph(task.subgraph.nodes, task.given)
    assert reply(replace(task, subgraph=small, form="without")).reason == NOTHING_SUITABLE


def test_names_with_signs_survive():
    questions = (json.loads(reply(some_task(n, 1)))["question"] for n in range(60))
    assert any("O'Keld" in question for question in questions)


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
    rng, writer, sizes = random.Random(0), ScriptedWriter(PLAIN, NAMES), set()
    for _ in range(200):
        triples = subgraph(rng)
        text = writer.pairs(triples, 6)
        assert text == writer.pairs(triples, 6)
        pairs = [found for found in read_candidates(text) if isinstance(found, Candidate)]
        assert len(pairs) == json.loads(text)["number_of_qa_pairs"] <= 6
        queries = set()
        for pair in pairs:
            assert {*pair.triples} <= {*triples}
            sizes.add(len(pair.triples))
            query = query_of_triples(pair.triples, pair.answer.id)
            queries.add(query.text)
            ends = {end for s, _, o in pair.triples for end in (s, o)}
            named = {end for end in ends if end in pair.question}
            assert named == {*structure_of(query).anchors}
            assert pair.answer.id in evaluate(KnowledgeGraph.from_triples(triples), query).answers
        assert len(queries) == len(pairs)
    assert sizes == {*range(2, MOST_TRIPLES + 1)}


def test_a_chain_is_asked_as_the_joins_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = {("q", False), ("r", True)}
    monkeypatch.setattr("rulemine.kinds.written.scripted.usually_one", lambda *_: usual)
    chain = [("a", "q", "m"), ("m", "r", "b")]
    none = frozenset()
    joins = Joins({"2p": frozenset({(("r", True), ("q", True))})}, {"2i": none}, none, none)
    for given, expected in ((None, ["a", "b", "m"]), (joins, ["a"])):
        found = json.loads(ScriptedWriter(PLAIN, NAMES, given).pairs(chain, 5))["qa_pairs"]
        assert [pair["answer"] for pair in found] == expected


def test_a_subgraph_without_pairs_is_said_to_have_none() -> None:
    writer = ScriptedWriter(PLAIN, NAMES)
    for triples in ([], [("a", "q", "b")], [("a", "q", "a"), ("b", "r", "b")]):
        expected = {"valid_qa_pairs": False, "number_of_qa_pairs": 0, "qa_pairs": []}
        assert json.loads(writer.pairs(triples, 5)) == expected


BORN, LIES, MADE, STARS = ("born_in", False), ("lies_in", False), ("made", False), ("stars", True)

CHAINS = frozenset([(MADE, STARS), (STARS, BORN)])
TOGETHER = frozenset([(MADE, MADE), (MADE, STARS)])
JOINS = Joins(
    {"2p": CHAINS | {(BORN, LIES)}, "3p": CHAINS},
    {"2i": TOGETHER, "pi": frozenset()},
    *[frozenset()] * 2,
)


@each(
    ("query", "listed", "without"),
    [
        ('(p "made" "ann")', True, True),
        ('(p "lies_in" (p "born_in" "ann"))', True, True),
        ('(p "born_in" (p "lies_in" "oslo"))', False, True),
        ('(p- "lies_in" (p "born_in" "ann"))', False, True),
        ('(p "born_in" (p- "stars" (p "made" "ann")))', True, False),
        # Allowed after another, but not in a chain of three.
        ('(p "lies_in" (p "born_in" (p- "stars" "f1")))', False, False),
        ('(and (p "made" "ann") (p- "stars" "bo"))', True, True),
        ('(and (p "made" "ann") (p "made" "bo"))', True, True),
        ('(and (p "made" "ann") (p "born_in" "bo"))', False, True),
        # Together, but not where a chain leads there.
        ('(and (p "made" "ann") (p- "stars" (p "made" "bo")))', False, True),
    ],
)
def test_links_meet_as_the_list_has_it_and_without_one_no_chain_is_long(query, listed, without):
    asked = parse(query)
    usual = {BORN, LIES, MADE, STARS, ("lies_in", True)}
    found = [is_listed(asked, one, usual, Declarations()) for one in (JOINS, None)]
    assert found == [listed, without]
    assert is_listed(asked, None, (), Declarations()) == (structure_of(asked).hops == 1)


def test_a_link_goes_on_from_what_is_usually_one() -> None:
    """Four of five films have one director; Ann directed two of them."""
    rows = [(f"f{i}", "director", "ann" if i < 2 else f"p{i}") for i in range(5)]
    kg = KnowledgeGraph.from_triples([*rows, ("f4", "director", "bo"), ("ann", "married", "p4")])
    married = Declarations.of(symmetric=["married"])
    assert usually_one(kg, married) == {("director", False), ("director", True), ("married", False)}
    kg = KnowledgeGraph.from_triples([*rows[:4], ("f3", "director", "bo")])
    assert usually_one(kg, married) == set()
