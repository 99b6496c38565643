"""Small random graphs with a random removal, and what questions about them must be, by brute force."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest

from rulemine.kg.entity_types import EntityTypes, types_of
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.kinds.structures.options import NAMES, StructureSection
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.query.links import linked, parts_of
from rulemine.query.parser import parse
from rulemine.query.tree import Anchor, Intersection, Projection, Query, Union
from rulemine.recipe.joins import Joins
from rulemine.recipe.recipe import QuestionSection, Recipe
from rulemine.release.question_set import QuestionSet
from rulemine.removal.selection import Selection, SelectionCounts
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures, Rule
from tests.kinds.asking import ask

RULES = tuple(
    Rule(rule.head, rule.body, Measures(1, 4, 2, 3, 0))
    for rule in (parse_readable(f"r{a}(y,x) ⇒ r{b}(x,y)") for a, b in permutations("abcde", 2))
)

RELATIONS = {"ra": "xy", "rb": "xx", "rc": "yy", "rd": "xy", "re": "yx", "rf": "xy", "rs": "xx"}
"""The relations, and the kinds of entities that they join."""

Step = tuple[Triple, str]
"""A triple, and the end of it that its atom leads to."""


@dataclass(frozen=True)
class Derivation:
    """The triples of a derivation with the ends that they lead to, and what its other variables are."""

    steps: frozenset[Step]
    between: frozenset[str]


class RandomWorld:
    """A random graph with a removal, symmetric relation ``rs`` included.

    Args:
        seed: Of the graph and the removal.
        entities: How many.
        triples: How many are drawn; some are the same.
        share: Fraction that is removed.
    """

    def __init__(
        self, seed: int, entities: int = 30, triples: int = 330, share: float = 0.3
    ) -> None:
        rng = Random(f"structures {seed}")
        drawn = set()
        for _ in range(triples):
            relation, ends = rng.choice(list(RELATIONS.items()))
            # Of each kind of entities some are hubs: intersections need relations that lead to many.
            s, o = (f"{kind}{int(entities / 2 * rng.random() ** 2)}" for kind in ends)
            drawn.add((s, relation, o))
        self.kg = KnowledgeGraph.from_triples(drawn)
        self.declarations = Declarations.of(symmetric=["rs"])
        self.templates: Templates = replace(
            load_templates("", self.kg.relations),
            declarations=self.declarations,
            unasked=frozenset({("rd", "subject")}),
        )
        self.removed: dict[Triple, tuple[tuple[bool, bool], bool, int]] = {}
        for s, r, o in sorted(drawn):
            if s != o and (s, r, o) not in self.removed and rng.random() < share:
                ends = rng.choice(((True, True), (True, False), (False, True)))
                what = (True, True) if r == "rs" else ends, rng.random() < 0.5, rng.randint(1, 100)
                self.removed[s, r, o] = what
                if r == "rs" and (o, r, s) in drawn:  # all statements of a fact go together
                    self.removed[o, r, s] = what
        self.selection = self._selection()
        self.types: EntityTypes = types_of(self.kg)
        self.index()

    def index(self) -> None:
        """Makes ready for `steps`."""
        self._by_start: dict[tuple[str, str, str], list[Triple]] = {}
        for s, r, o in self.kg.labeled():
            self._by_start.setdefault((r, "object", s), []).append((s, r, o))
            self._by_start.setdefault((r, "subject", o), []).append((s, r, o))

    def _selection(self) -> Selection:
        place = {triple: i for i, triple in enumerate(self.kg.labeled())}
        some = sorted(self.removed.items())
        rule = np.array([i % len(RULES) for i in range(len(some))], np.int32)
        ones = np.ones(len(some), np.int64)
        return Selection(
            RULES, np.array([place[triple] for triple, _ in some], np.int64), rule,
            np.zeros((len(some), 1), np.int64), rule,
            np.array([level for _, (_, _, level) in some], np.int16),
            np.array([ends for _, (ends, _, _) in some], bool).reshape(-1, 2),
            np.full((len(some), 2), 0.01), np.array([core for _, (_, core, _) in some], bool), ones, ones,
            SelectionCounts(0, 0, 0, 0),
        )  # fmt: skip

    def ask(
        self, seed: int = 0, types: EntityTypes | None = None, usual: float = 0, **given: Any
    ) -> QuestionSet:
        """Questions, given options of ``structures`` and ``questions``, and inputs of a build."""
        given = {"per_structure": 12, "ratios": (7, 1, 2), "restated": True} | given
        if given["ratios"] is None:
            given |= {"ratios": (7, 1, 2), "split": "none"}

        def own(section: type, **more: Any) -> Any:
            names = {*section.__dataclass_fields__}
            return section(**more, **{name: given.pop(name) for name in {*given} & names})

        chosen = own(StructureSection)
        asked = own(QuestionSection, **{} if "split" in given else {"split": "group"})
        recipe = Recipe("t", "t.tsv", kind="structures", seed=seed, own=chosen, questions=asked)
        links = frozenset(product(self.kg.relations, (False, True)))
        forms = dict.fromkeys(NAMES, frozenset(product(links, links)))
        inputs = {"types": types or self.types, "joins": Joins(forms, forms, links, links), **given}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("rulemine.kinds.neighbors.USUAL", usual)
            return ask(recipe, self.kg, self.selection, self.templates, **inputs)

    # By brute force.

    def tree(self, text: str) -> Query:
        """A query with one atom for each link."""
        return linked(parse(text), self.declarations)

    def answers(self, tree: Query, *, complete: bool = True) -> set[str]:
        """What a tree gives on the complete or on the incomplete graph."""
        if isinstance(tree, Anchor):
            return {tree.entity}
        if isinstance(tree, Projection):
            below = self.answers(tree.of, complete=complete)
            return {end for start in below for _, end in self.steps(tree, start, complete)}
        found = [self.answers(part, complete=complete) for part in parts_of(tree)]
        return set.union(*found) if isinstance(tree, Union) else set.intersection(*found)

    def steps(
        self, tree: Projection, start: str, complete: bool = True
    ) -> Iterator[tuple[Step, str]]:
        """The triples by which a link leads on from an entity, each with where it leads."""
        for statement in self.declarations.statements(tree.relation, DIRECTIONS[not tree.inverse]):
            for triple in self._by_start.get((*statement, start), ()):
                if complete or triple not in self.removed:
                    there = triple[2 * DIRECTIONS.index(statement[1])]
                    yield (triple, statement[1]), there

    def derivations(self, tree: Query, answer: str) -> list[Derivation]:
        """All derivations of an answer."""
        if isinstance(tree, Anchor):
            return [Derivation(frozenset(), frozenset())] * (tree.entity == answer)
        if isinstance(tree, Projection):
            found = []
            for below in self.answers(tree.of):
                own = set() if isinstance(tree.of, Anchor) else {below}
                taken = [step for step, end in self.steps(tree, below) if end == answer]
                for step, d in product(taken, self.derivations(tree.of, below) if taken else ()):
                    found.append(Derivation(d.steps | {step}, d.between | own))
            return found
        parts = [self.derivations(part, answer) for part in parts_of(tree)]
        if isinstance(tree, Union):
            return [d for part in parts for d in part]
        return [
            Derivation(
                frozenset().union(*(d.steps for d in some)),
                frozenset().union(*(d.between for d in some)),
            )
            for some in product(*parts)
        ]

    def missing(self, tree: Query, answer: str) -> int:
        """The removed links that an answer needs, counted once per atom."""
        if isinstance(tree, Anchor):
            return 0
        if isinstance(tree, Projection):
            return min(
                (step[0] in self.removed) + self.missing(tree.of, below)
                for below in self.answers(tree.of)
                for step, end in self.steps(tree, below)
                if end == answer
            )
        costs = [
            self.missing(part, answer) for part in parts_of(tree) if answer in self.answers(part)
        ]
        return min(costs) if isinstance(tree, Union) else sum(costs)


def less(tree: Query) -> Iterator[Query]:
    """The tree with one branch less, at any depth."""
    if isinstance(tree, Projection):
        for other in less(tree.of):
            yield Projection(tree.relation, tree.inverse, other)
    elif isinstance(tree, Intersection | Union):
        for part in tree.parts:
            others = [other for other in tree.parts if other is not part]
            yield type(tree).of(others)
            for other in less(part):
                yield type(tree).of([*others, other])


def nodes(tree: Query) -> Iterator[Query]:
    """The tree and everything below."""
    yield tree
    for part in parts_of(tree):
        yield from nodes(part)
