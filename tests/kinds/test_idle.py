"""Which parts of queries do nothing."""

import pytest

from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.checks import Unaskable, refusal
from rulemine.kinds.graded import Graded, Grader, RemovedTriples
from rulemine.phrasing.templates import load_templates
from rulemine.query.answers import missing_from
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph
from rulemine.query.wider import Wider
from rulemine.removal.selection import Selection

KG = KnowledgeGraph.from_triples(
    [
        ("ann", "lives_in", "oslo"), ("bo", "lives_in", "oslo"), ("cy", "lives_in", "rome"),
        ("dan", "lives_in", "rome"), ("ann", "works_for", "mill"), ("bo", "works_for", "mill"),
        ("cy", "works_for", "mill"), ("dan", "works_for", "bank"), ("oslo", "in", "norway"),
        ("rome", "in", "italy"), ("eve", "works_for", "bank"), ("eve", "lives_in", "bern"),
    ]
)  # fmt: skip
WIDER = KnowledgeGraph.from_triples([*KG.labeled(), ("dan", "works_for", "mill")])

TYPES = types_of(KG)


def idle(query: str, wider: KnowledgeGraph | None = None) -> str | None:
    removed = RemovedTriples.of(len(KG), Selection.of_nothing())
    larger = wider and Wider.of(KG, missing_from(KG, wider))
    templates = load_templates("", KG.relations)
    return refusal(Graded(Grader(QueryGraph(KG), removed, templates, TYPES, larger), parse(query)))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('(p- "lives_in" "oslo")', None),
        ('(and (p- "lives_in" "rome") (p- "works_for" "mill"))', None),
        # Whoever lives in Oslo works for the mill.
        ('(and (p- "lives_in" "oslo") (p- "works_for" "mill"))', Unaskable.NEEDLESS),
        ('(or (p- "lives_in" "oslo") (p- "works_for" "mill"))', Unaskable.NEEDLESS),
        ('(minus (p- "works_for" "mill") (p- "lives_in" "rome"))', None),
        ('(minus (p- "lives_in" "oslo") (p- "works_for" "bank"))', Unaskable.NEGATION),
        ('(p "in" (p "lives_in" "ann"))', None),
        ('(p "lives_in" (p- "works_for" "mill"))', None),  # no one there lives in Bern
        ('(p "in" (p "lives_in" (p- "works_for" "mill")))', Unaskable.CHAIN),
        ('(p "in" (or (p "lives_in" "ann") (p "lives_in" "cy")))', Unaskable.CHAIN),
    ],
)
def test_what_does_nothing(query: str, expected: str | None) -> None:
    assert idle(query) == expected


def test_a_branch_is_needed_on_the_larger_graph_too() -> None:
    query = '(and (p- "works_for" "mill") (p- "lives_in" "rome"))'
    assert idle(query) is None
    assert idle(query, WIDER) == Unaskable.NEEDLESS  # there, all of Rome work for the mill
    assert idle(query, KnowledgeGraph.from_triples([*KG.labeled(), ("eve", "in", "italy")])) is None
