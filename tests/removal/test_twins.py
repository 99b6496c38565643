"""Twins by hand and against a closure by brute force: what is taken is enough, and nothing else is lost."""

from collections import defaultdict
from dataclasses import astuple
from types import SimpleNamespace

import numpy as np
import pytest

from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release import Release
from rulemine.release.proof_triples import rows_of
from rulemine.removal.twins import twins_of
from rulemine.rules.formats import parse_readable
from tests.releases import built

RULES = [
    "sister(x,z) ∧ mother(z,y) ⇒ aunt(x,y)",
    "child(y,x) ⇒ mother(x,y)",
    "raises(x,y) ⇒ child(y,x)",
    "friend(x,y) ⇒ likes(x,y)",
]
AUNT, LIKES = ("ann", "aunt", "tim"), ("tim", "likes", "kai")
SISTER, MOTHER, CHILD = ("ann", "sister", "mia"), ("mia", "mother", "tim"), ("tim", "child", "mia")
RAISES, FRIEND = ("mia", "raises", "tim"), ("tim", "friend", "kai")
REMOVED = {AUNT: [SISTER, MOTHER], LIKES: [FRIEND], CHILD: [RAISES]}


def asked(key, triple, **other):
    """A question for the object of a removed triple."""
    hard = [SimpleNamespace(witness=(triple,))]
    usual = {"id": key, "topic": triple[0], "core": True, "stated": (), "further": (), "hard": hard}
    return SimpleNamespace(**usual | other)


def found(questions, *more, declared=None, rules=RULES):
    """The twins in a small graph."""
    kg = KnowledgeGraph.from_triples([*REMOVED, SISTER, MOTHER, RAISES, FRIEND, *more])
    body = np.full((len(REMOVED), 2), -1)
    for row, own in enumerate(REMOVED.values()):
        body[row, : len(own)] = rows_of(kg, own)
    head = rows_of(kg, [*REMOVED])
    selection = SimpleNamespace(
        rules=[*map(parse_readable, rules)], head=head, body=body, removed=np.sort(head)
    )
    return twins_of(kg, declared or Declarations(), selection, questions, 0)


FURTHER = ("ann", "sister", "zoe"), ("mia", "mother", "bo"), ("mia", "raises", "bo")
"""What the control graph can lack."""


def test_what_the_rules_would_bring_back_is_taken_too():
    (twin,) = found([asked("q1", AUNT)], *FURTHER)
    assert twin.taken == (SISTER,), "fewest first: the mother would come back, in two steps"
    assert twin.control == (FURTHER[0],)
    (twin,) = found([asked("q1", AUNT)], *FURTHER[1:])  # nobody else has a sister here
    assert twin.taken == (MOTHER, RAISES), "child(tim, mia) is removed, and would be derived again"
    assert twin.control == FURTHER[1:]


@pytest.mark.parametrize("without", FURTHER[1:])
def test_without_as_much_for_the_control_graph_there_is_no_twin(without):
    assert found([asked("q1", AUNT)], *(t for t in FURTHER[1:] if t != without)) == ()


@pytest.mark.parametrize("other", [{"core": False}, {"stated": ("x",)}, {"further": ("x",)}])
def test_only_questions_of_the_core_with_removed_answers_alone(other):
    assert found([asked("q1", AUNT, **other)], *FURTHER) == ()


def test_the_proof_of_another_question_is_left(monkeypatch):
    other, proof = ("eva", "aunt", "tim"), [("eva", "sister", "mia"), MOTHER]
    monkeypatch.setitem(REMOVED, other, proof)
    questions, more = [asked("q1", AUNT), asked("q2", other, core=False)], (proof[0], *FURTHER[1:])
    assert found(questions, *more) == (), "without the mother, nothing would be left for q2"
    ((taken, control),) = [row[1:] for row in map(astuple, found(questions[:1], *more))]
    assert (taken, control) == ((SISTER,), (proof[0],))


@pytest.mark.parametrize(("aunts", "others"), [(1, 3), (3, 1), (3, 2), (3, 3), (4, 9)])
def test_the_control_graph_lacks_as_many_facts(monkeypatch, aunts, others):
    """Aunts of one child, by sisters of its mother; what can lack instead is next to her, for all of them."""
    triples = [(f"a{n}", "aunt", "tim") for n in range(aunts)]
    sisters = [(f"a{n}", "sister", "mia") for n in range(aunts)]
    for triple, sister in zip(triples, sisters, strict=True):
        monkeypatch.setitem(REMOVED, triple, [sister, MOTHER])
    questions = [asked(f"q{n}", triple) for n, triple in enumerate(triples)]
    twins = found(questions, *sisters, *((f"b{n}", "sister", "mia") for n in range(others)))
    taken, control = ({t for twin in twins for t in getattr(twin, n)} for n in ("taken", "control"))
    assert len(twins) == len(taken) == len(control) == min(aunts, others + 1)


def test_what_is_taken_already_needs_nothing_further(monkeypatch):
    other, proof = ("ann", "aunt", "bo"), [("ann", "sister", "zoe"), ("zoe", "mother", "bo")]
    monkeypatch.setitem(REMOVED, other, proof)
    more = [*proof, ("mia", "mother", "bo"), *(("ann", "sister", name) for name in "xy")]
    twins = found([asked("q1", AUNT), asked("q2", other)], *more)
    assert [twin.taken for twin in twins] == [(SISTER,), (SISTER, proof[0])]
    assert {*twins[0].control} < {*twins[1].control} == {*more[-2:]}


def test_all_statements_of_a_fact_are_taken():
    declared = Declarations.of(symmetric=["sister"])
    (twin,) = found([asked("q1", AUNT)], *FURTHER, ("mia", "sister", "ann"), declared=declared)
    assert twin.taken == (SISTER, ("mia", "sister", "ann"))


def derived(known, rules, true):
    """What one step of the rules leads to within what is true, atom by atom."""
    by = defaultdict(list)
    for s, r, o in known:
        by[r, 0, s].append(o)
        by[r, 1, o].append(s)

    def holds(atoms, bound):
        if not atoms:
            return True
        atom = next(a for a in atoms if {a.subject, a.object} & bound.keys())
        rest = [a for a in atoms if a is not atom]
        ends, end = (atom.subject, atom.object), int(atom.subject not in bound)
        values = by.get((atom.relation, end, bound[ends[end]]), ())
        other = ends[1 - end]
        return any(bound.get(other, x) == x and holds(rest, bound | {other: x}) for x in values)

    of_head = defaultdict(list)
    for rule in rules:
        of_head[rule.head.relation].append(rule)
    return {
        (s, r, o)
        for s, r, o in true - known
        if any(holds(rule.body, {rule.head.subject: s, rule.head.object: o}) for rule in of_head[r])
    }


def closure(known, rules, true, statements):
    """Everything that the rules lead to, all statements of a fact with the first."""
    while new := derived(known, rules, true):
        known = known | {one for t in new for one in statements[t]}
    return known


def test_the_demo_by_brute_force():
    release = Release.open(built("demo") / "demo")
    kg, rules, declared = release.kg("complete"), release.rules(), release.templates().declarations
    true, incomplete = {*kg.labeled()}, {*release.kg("incomplete").labeled()}
    by_fact = defaultdict(set)
    for triple, fact in zip(kg.labeled(), facts_of(kg, declared).tolist(), strict=True):
        by_fact[fact].add(triple)
    statements = {triple: own for own in by_fact.values() for triple in own}
    twins, test = release.twins(), {q.id: q for q in release.questions("test")}
    assert len(twins) == 8
    taken, control = (
        {t for twin in twins for t in getattr(twin, name)} for name in ("taken", "control")
    )
    graphs = [{*release.kg(name).labeled()} for name in ("unprovable", "control")]
    assert graphs == [incomplete - taken, incomplete - control]
    hard = {key: {t for row in q.hard for t in row.witness} for key, q in test.items()}
    answers = {t for twin in twins for t in hard[twin.question]}
    others = {t for key in test.keys() - {twin.question for twin in twins} for t in hard[key]}
    once = [derived(graph, rules, true) for graph in graphs]
    assert others <= once[0]
    assert others | answers <= once[1]
    assert answers.isdisjoint(closure(graphs[0], rules, true, statements))
    at_once = {t for t in taken if answers & derived(graphs[0] | {t}, rules, answers)}
    assert answers.isdisjoint(derived(incomplete - at_once, rules, true))
    assert answers & closure(incomplete - at_once, rules, true, statements), "one step is not all"
