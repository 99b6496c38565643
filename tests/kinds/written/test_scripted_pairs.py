"""The scripted writer of pairs: what it composes from random subgraphs."""

import json
import random
from dataclasses import replace

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.variants.pairs import Pair, Shown, Verified, pairs_of, verified
from rulemine.kinds.written.scripted_pairs import MOST_TRIPLES, ScriptedPairs
from rulemine.phrasing.templates import load_templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.grading import evaluate
from rulemine.query.structures import structure_of
from tests.small_graphs import RELATIONS

TEMPLATES = replace(load_templates("", RELATIONS), declarations=Declarations.of(symmetric=["p"]))


def subgraph(rng: random.Random) -> list[Triple]:
    """Different triples between a few entities, in random order."""
    entities = [f"e{number}" for number in range(rng.randint(3, 9))]
    drawn = {
        (rng.choice(entities), rng.choice(RELATIONS), rng.choice(entities))
        for _ in range(rng.randint(1, 12))
    }
    return rng.sample(sorted(drawn), len(drawn))


def test_every_pair_is_a_tree_of_the_triples_and_its_text_names_the_leaves() -> None:
    rng, writer, sizes = random.Random(0), ScriptedPairs(TEMPLATES, articles=False), set()
    for _ in range(200):
        triples = subgraph(rng)
        text = writer.reply(triples, 6)
        assert text == writer.reply(triples, 6)
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
    writer = ScriptedPairs(TEMPLATES, articles=False)
    back = [("a", "q", "m"), ("b", "q", "m")]
    assert "qa_pairs" in writer.reply(back, 5)
    assert [pair["answer"] for pair in json.loads(writer.reply(back, 5))["qa_pairs"]] == ["m"]
    symmetric = [("a", "p", "m"), ("m", "p", "b")]
    assert [pair["answer"] for pair in json.loads(writer.reply(symmetric, 5))["qa_pairs"]] == ["m"]


def test_a_chain_is_asked_by_its_ends_and_only_as_may_be() -> None:
    chain = [("a", "q", "m"), ("m", "r", "b")]
    for refused, expected in (("none", ["a", "b", "m"]), ('(p "r"', ["a", "m"])):
        writer = ScriptedPairs(
            TEMPLATES, False, lambda query, no=refused: not query.text.startswith(no)
        )
        found = json.loads(writer.reply(chain, 5))["qa_pairs"]
        assert [pair["answer"] for pair in found] == expected


def test_a_subgraph_without_pairs_is_said_to_have_none() -> None:
    writer = ScriptedPairs(TEMPLATES, articles=False)
    for triples in ([], [("a", "q", "b")], [("a", "q", "a"), ("b", "r", "b")]):
        expected = {"valid_qa_pairs": False, "number_of_qa_pairs": 0, "qa_pairs": []}
        assert json.loads(writer.reply(triples, 5)) == expected
