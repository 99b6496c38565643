"""Small random graphs with rules over them, and groundings by trying every substitution."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.atom import Atom
from rulemine.rules.rule import Measures, Rule

Proof = tuple[Triple, tuple[Triple, ...]]
"""Head and body of a grounding."""

ENTITIES = ("a", "b", "c", "d", "e", "?x")
RELATIONS = ("p", "q", "r")


def small_graph(
    rng: random.Random, least: int = 1, most: int = 30, fewest: int = 2
) -> KnowledgeGraph:
    """A dense graph with loops, reflexive triples and duplicates, of `least` … `most` − 1 triples drawn."""
    entities = ENTITIES[: rng.randrange(fewest, len(ENTITIES) + 1)]
    triples = [
        (rng.choice(entities), rng.choice(RELATIONS), rng.choice(entities))
        for _ in range(rng.randrange(least, most))
    ]
    return KnowledgeGraph.from_triples(triples)


def small_rule(rng: random.Random) -> Rule:
    """A rule of two to four atoms; repeated variables, relations that lack."""
    while True:
        terms = range(2 + rng.randrange(3))
        names = RELATIONS if rng.random() < 0.95 else (*RELATIONS, "lacking")
        body = tuple(
            Atom(rng.choice(terms), rng.choice(names), rng.choice(terms))
            for _ in range(rng.randrange(1, 4))
        )
        rule = Rule(Atom(0, rng.choice(RELATIONS), int(rng.random() < 0.95)), body)
        if rule.problem() is None:
            return rule


def small_rules(rng: random.Random, n: int) -> tuple[Rule, ...]:
    """Different rules."""
    rules: dict[str, Rule] = {}
    while len(rules) < n:
        rule = small_rule(rng)
        rules.setdefault(rule.id, rule)
    return tuple(rules.values())


def substitutions(kg: KnowledgeGraph, rule: Rule) -> Iterator[Proof]:
    """Head and body of every substitution whose body holds."""
    known = set(kg.labeled())
    variables = sorted({v for atom in (rule.head, *rule.body) for v in atom.variables})
    for values in itertools.product(kg.entities, repeat=len(variables)):
        given = dict(zip(variables, values, strict=True))
        head, *body = (_filled(atom, given) for atom in (rule.head, *rule.body))
        if known.issuperset(body):
            yield head, tuple(body)


def proofs_of(kg: KnowledgeGraph, rule: Rule) -> Iterator[Proof]:
    """Every body that holds, with the head it is for, in the graph or not, itself excluded."""
    return ((head, body) for head, body in substitutions(kg, rule) if head not in body)


def heads_of(kg: KnowledgeGraph, rule: Rule) -> set[Triple]:
    """Every head whose body holds, in the graph or not."""
    return {head for head, _ in substitutions(kg, rule)}


def groundings_of(kg: KnowledgeGraph, rule: Rule) -> list[Proof]:
    """All groundings, sorted by head, then body."""
    known = set(kg.labeled())
    return sorted(proof for proof in proofs_of(kg, rule) if proof[0] in known)


def _filled(atom: Atom, given: dict[int, str]) -> Triple:
    s, r, o = atom
    return (given[s] if isinstance(s, int) else s, r, given[o] if isinstance(o, int) else o)


def measured(rng: random.Random, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules with made-up measures; some have the same standard confidence."""
    return tuple(
        replace(rule, measures=Measures(rng.randrange(1, 11), 10, 10, 10, 0)) for rule in rules
    )


class Declared(NamedTuple):
    """Declarations as pairs of relations; symmetric relations are inverse to themselves."""

    inverse: tuple[tuple[str, str], ...] = ()
    same: tuple[tuple[str, str], ...] = ()

    def closed(self) -> Declarations:
        """As the product reads them."""
        both = [a for a, b in self.inverse if a == b]
        return Declarations.of(both, [p for p in self.inverse if p[0] != p[1]], self.same)

    def statements(self, triple: Triple) -> set[Triple]:
        """Everything that states the same, in the graph or not, by saying it again and again."""
        found, waiting = {triple}, [triple]
        while waiting:
            s, r, o = waiting.pop()
            said = {(o, b, s) for a, b in self.inverse if a == r}
            said |= {(o, a, s) for a, b in self.inverse if b == r}
            said |= {(s, b, o) for a, b in self.same if a == r}
            said |= {(s, a, o) for a, b in self.same if b == r}
            waiting += said - found
            found |= said
        return found

    def prior(self, kg: KnowledgeGraph, triple: Triple, place: int) -> float:
        """The fraction of a relation's topic entities that have the answer of a triple, at `place`."""
        known = set(kg.labeled())
        topic = 2 - place
        pairs = set()
        for a, b in itertools.product(kg.entities, repeat=2):
            if known & self.statements((a, triple[1], b)):
                pairs.add(((a, b)[topic // 2], (a, b)[place // 2]))
        topics = {pair[0] for pair in pairs}
        return len({t for t, answer in pairs if answer == triple[place]}) / len(topics)


def some_declared(rng: random.Random) -> Declared:
    """No declarations, or one or two."""
    inverse, same = [], []
    for _ in range(rng.randrange(3)):
        (inverse if rng.random() < 0.6 else same).append(
            (rng.choice(RELATIONS), rng.choice(RELATIONS))
        )
    return Declared(tuple(inverse), tuple(same))
