"""Random rules for the tests."""

from rulemine.query.atom import Atom, Term
from rulemine.rules.rule import Rule

RELATIONS = ("aunt", "brother", "=>", "is in")
ENTITIES = ("Rome", "?a", "東京")


def random_rule(rng, *, constants=True):
    """A closed, connected, safe rule of two to five atoms."""
    while True:
        terms: list[Term] = [0, 1, *range(2, 2 + rng.randrange(4))]
        terms += rng.sample(ENTITIES, rng.randrange(2)) if constants else []
        body = tuple(
            Atom(rng.choice(terms), rng.choice(RELATIONS), rng.choice(terms))
            for _ in range(rng.randrange(1, 5))
        )
        used = sorted({v for atom in body for v in atom.variables if v > 1})
        rule = Rule(Atom(0, rng.choice(RELATIONS), 1), body)
        if rule.problem() is None and used == list(range(2, 2 + len(used))):
            return rule
