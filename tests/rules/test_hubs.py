"""Hubs cost what their edges are, not their square: rows are counted, since times say little."""

import random

import numpy as np
import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.query import join
from rulemine.removal.maximal import choose
from rulemine.removal.setting import Setting
from rulemine.removal.steps import certify
from rulemine.rules.formats import parse_readable
from rulemine.rules.grounding import ground
from rulemine.rules.proofs import remaining_proofs
from tests.small_graphs import measured

N = 4000


def one_object():
    """Two relations of which all facts have the same object, and a sparse one."""
    for i in range(N):
        yield f"x{i}", "type", "thing"
        if i % 2:
            yield f"x{i}", "kind", "thing"
        if i % 5 == 0:
            yield f"x{i}", "near", f"x{i * 7 % N}"


def hub():
    """An entity with an edge to and from every other, and a sparse relation between those."""
    for i in range(N):
        yield "hub", "has", f"y{i}"
        yield f"y{i}", "of", "hub"
        if i % 10 == 0:
            yield f"y{i}", "next", f"y{i + 1}"


GRAPHS = {
    "one object": (one_object, ("type(x,y) ⇒ kind(x,y)", "kind(z,y) ∧ near(x,z) ⇒ kind(x,y)",
    "near(z,x) ∧ type(z,y) ⇒ kind(x,y)", "kind(z,y) ∧ near(z,x) ⇒ type(x,y)")), "hub": (hub, (
    "of(y,x) ⇒ has(x,y)", "has(x,z) ∧ next(z,y) ⇒ has(x,y)", "next(y,z) ∧ of(z,x) ⇒ has(x,y)",
    "next(x,z) ∧ of(z,y) ⇒ of(x,y)"))
}  # fmt: skip


@pytest.fixture
def rows(monkeypatch):
    """The numbers of rows that the join engine makes."""
    made: list[int] = []
    real = join._Paths.expand

    def counting(paths, start, stop):
        found = real(paths, start, stop)
        made.append(len(found[0]))
        return found

    monkeypatch.setattr(join._Paths, "expand", counting)
    return made


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("sample", [None, 100])
def test_grounding_selecting_and_proving_at_hubs(rows, name, sample):
    triples, texts = GRAPHS[name]
    kg = KnowledgeGraph.from_triples(triples())
    rules = measured(random.Random(0), tuple(parse_readable(text) for text in texts))
    found = ground(kg, rules, sample=sample)
    assert (found.counts > 0).all()
    assert 0 < sum(rows) <= 4 * len(rules) * len(kg)
    rows.clear()
    setting = Setting.of(kg)
    chosen = certify(setting, choose(setting, found), 0)
    assert len(chosen.removed) > 60
    left = remaining_proofs(kg.without(chosen.removed), rules, kg.triples[chosen.removed])
    assert (left.count >= 1).all()
    assert sum(rows) <= 4 * len(rules) * len(kg)
    assert np.array_equal(np.sort(chosen.head), chosen.removed)
