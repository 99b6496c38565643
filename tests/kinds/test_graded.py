"""Which answers of a query may be asked for, and which parts of queries do nothing."""

from dataclasses import replace

import numpy as np

from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.checks import Unaskable, refusal
from rulemine.kinds.graded import Graded, Grader, HardRow, RemovedTriples, preferred
from rulemine.phrasing.templates import load_templates
from rulemine.query.answers import missing_from
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph
from rulemine.query.wider import Wider
from rulemine.removal.selection import Selection
from tests import each

KG = KnowledgeGraph.from_triples([("ann", "parent", "bo"), ("cy", "parent", "dee")])


def grader(wider: Wider | None = None) -> Grader:
    """Of the first triple, which is removed, the object alone may be asked for."""
    one, ends = np.zeros(1, np.int64), np.array([[False, True]])
    selection = replace(
        Selection.of_nothing(), head=one, level=one + 100, directions=ends, core=one == 0
    )
    removed = RemovedTriples.of(len(KG), selection)
    templates = load_templates("", KG.relations)
    return Grader(QueryGraph(KG, removed.levels), removed, templates, types_of(KG), wider)


def grade(text: str, wider: Wider | None = None, **limits: int) -> Graded | str:
    found = Graded(grader(wider), parse(text), **limits)
    return refusal(found) or found


def test_a_removed_triple_is_asked_for_at_the_end_that_may_be_asked_for() -> None:
    assert isinstance(found := grade('(p "parent" "ann")'), Graded)
    assert [row.answer for row in found.hard] == ["bo"]
    assert grade('(p- "parent" "bo")') == Unaskable.BARRED


def test_further_answers_count_among_the_most() -> None:
    wider = Wider.of(KG, KnowledgeGraph.from_triples([("cy", "parent", "eve")]))
    query = '(p "parent" "cy")'
    assert grade(query, wider, max_answers=1) == Unaskable.MANY
    assert isinstance(found := grade(query, wider, max_answers=2), Graded)
    assert found.further == ("eve",)


def test_of_hard_answers_the_one_that_misses_fewest_is_asked_for_of_the_core_first() -> None:
    rows = [HardRow(False, n, name, [], fits) for name, n, fits in
            (("a", 2, True), ("b", 1, True), ("c", 0, False))]  # fmt: skip
    assert preferred(rows) == rows[1]
    core = HardRow(True, 3, "z", [], True)
    assert preferred([*rows, core]) == core


# Which parts of queries do nothing.

HOMES = KnowledgeGraph.from_triples(
    [
        ("ann", "lives_in", "oslo"), ("bo", "lives_in", "oslo"), ("cy", "lives_in", "rome"),
        ("dan", "lives_in", "rome"), ("ann", "works_for", "mill"), ("bo", "works_for", "mill"),
        ("cy", "works_for", "mill"), ("dan", "works_for", "bank"), ("oslo", "in", "norway"),
        ("rome", "in", "italy"), ("eve", "works_for", "bank"), ("eve", "lives_in", "bern"),
        ("mill", "near", "oslo"), ("mill", "near", "rome"), ("bank", "near", "oslo"),
    ]
)  # fmt: skip


def more(*rows: tuple[str, str, str]) -> KnowledgeGraph:
    return KnowledgeGraph.from_triples([*HOMES.labeled(), *rows])


WIDER = more(("dan", "works_for", "mill"))


def idle(query: str, wider: KnowledgeGraph | None = None) -> str | None:
    removed = RemovedTriples.of(len(HOMES), Selection.of_nothing())
    larger = wider and Wider.of(HOMES, missing_from(HOMES, wider))
    templates = load_templates("", HOMES.relations)
    return refusal(
        Graded(Grader(QueryGraph(HOMES), removed, templates, types_of(HOMES), larger), parse(query))
    )


@each(
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
        ('(p "lives_in" (p- "works_for" "mill"))', Unaskable.SEVERAL),  # no one there lives in Bern
        ('(and (p- "lives_in" "rome") (p- "works_for" "bank"))', Unaskable.STRANGERS),
        ('(p "in" (p "lives_in" (p- "works_for" "mill")))', Unaskable.CHAIN),
        ('(p "in" (or (p "lives_in" "ann") (p "lives_in" "cy")))', Unaskable.CHAIN),
    ],
)
def test_what_does_nothing(query: str, expected: str | None) -> None:
    assert idle(query) == expected


def test_on_the_larger_graph_a_branch_is_needed_too_and_a_difference_loses_no_other() -> None:
    query = '(and (p- "works_for" "mill") (p- "lives_in" "rome"))'
    assert idle(query) is None
    assert idle(query, WIDER) == Unaskable.NEEDLESS  # there, all of Rome work for the mill
    assert idle(query, more(("eve", "in", "italy"))) is None
    query = '(minus (p- "works_for" "mill") (p- "lives_in" "rome"))'
    assert idle(query, WIDER) is None
    fay = more(("fay", "works_for", "mill"), ("fay", "lives_in", "rome"))
    assert idle(query, fay) == Unaskable.DISPUTED
