"""Horn rules: atoms, the canonical form, and the measures of AMIE.

A rule is *body ⇒ head*. Its identity is its canonical form, which does not depend on the names of body
variables or the order of body atoms; its id is a short hash of that. `Rule.body` keeps the given order,
because some published procedures depend on it.

Its type depends on the rule alone. The first four are those of the literature on knowledge graph embedding;
*composition* is the strict forward chain. All other rules are *other*, with sub-types by the shape of the
body first and recursion last.
"""

import hashlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from rulemine.errors import InputError
from rulemine.query.atom import Atom, Term, variable_name
from rulemine.query.evidence_tree import simple_path

__all__ = [
    "RULE_SUBTYPES",
    "RULE_TYPES",
    "SUBTYPE_NAMES",
    "VARIABLES",
    "AtomShape",
    "Measures",
    "Rule",
    "RuleType",
    "atom_shape",
    "classify",
    "classify_shapes",
    "id_of",
    "identity_of",
    "readable_atom",
    "sort_rules",
]


VARIABLES = "xyzwvutsrqponmlkjihgfedcba"
"""What variables are called where people read a rule, by number."""

ID_LENGTH = 12
"""Hexadecimal digits of a rule id: 48 bits, one collision expected among 20 million rules."""

MOST_BODY_VARIABLES = 7
"""Limit, because the canonical form tries every order of them."""

_CACHED = 1 << 16
"""Size of the caches by atom and by shape: there are many rules, but few atoms."""

_AtomKey = tuple[str, tuple[int, int, str], tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class Measures:
    """The counts of a rule (definitions of AMIE 3, Lajus et al., ESWC 2020).

    Attributes:
        support: Distinct head pairs (a, b) in the KG for which the body holds; ≥ 1.
        body_size: Distinct pairs (a, b) for which the body holds.
        pca_body_size: Those of them for which the KG has a head triple with the same functional argument.
        head_size: Triples of the head relation.
        functional: The head's functional variable: 0 the subject, 1 the object.
    """

    support: int
    body_size: int
    pca_body_size: int
    head_size: int
    functional: int

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        """All fields, in order."""
        return self.support, self.body_size, self.pca_body_size, self.head_size, self.functional

    @property
    def head_coverage(self) -> float:
        """Support / head size."""
        return self.support / self.head_size

    @property
    def std_confidence(self) -> float:
        """Standard confidence: support / body size."""
        return self.support / self.body_size

    @property
    def pca_confidence(self) -> float:
        """Confidence under the partial completeness assumption: support / PCA body size."""
        return self.support / self.pca_body_size


@dataclass(frozen=True)
class Rule:
    """A closed, connected, safe Horn rule.

    Attributes:
        head: The head atom; its variables are 0 (subject) and 1 (object).
        body: The body atoms in the order given.
        measures: Its counts on the KG it was mined from; None if unknown.

    Example:
        >>> rule = Rule(Atom(0, "aunt", 1), (Atom(0, "aunt", 2), Atom(2, "brother", 1)))
        >>> str(rule)
        'aunt(x,z) ∧ brother(z,y) ⇒ aunt(x,y)'
    """

    head: Atom
    body: tuple[Atom, ...]
    measures: Measures | None = None

    def __str__(self) -> str:
        return " ∧ ".join(map(readable_atom, self.body)) + " ⇒ " + readable_atom(self.head)

    @property
    def relations(self) -> frozenset[str]:
        """Every relation that the rule names."""
        return frozenset(atom.relation for atom in (self.head, *self.body))

    @property
    def entities(self) -> frozenset[str]:
        """Every entity that the rule names; most rules name none."""
        terms = [term for a in (self.head, *self.body) for term in (a.subject, a.object)]
        return frozenset(term for term in terms if isinstance(term, str))

    @property
    def known(self) -> Measures:
        """The measures.

        Raises:
            InputError: The rule carries none.
        """
        if self.measures is None:
            raise InputError(
                f"rule {self}: has no measures. Mine it, or give a file with measures."
            )
        return self.measures

    @property
    def support(self) -> int:
        """See `Measures.support`."""
        return self.known.support

    @property
    def body_size(self) -> int:
        """See `Measures.body_size`."""
        return self.known.body_size

    @property
    def pca_body_size(self) -> int:
        """See `Measures.pca_body_size`."""
        return self.known.pca_body_size

    def proves(self, body: Sequence[tuple[str, str, str]]) -> tuple[str, str, str]:
        """The triple that the head is.

        Args:
            body: Triples that are an instance of the body, in its order.
        """
        values: dict[Term, str] = {}
        for atom, (subject, _, target) in zip(self.body, body, strict=True):
            values |= {atom.subject: subject, atom.object: target}
        subject, target = (values.get(t, str(t)) for t in (self.head.subject, self.head.object))
        return subject, self.head.relation, target

    @cached_property
    def canonical_body(self) -> tuple[Atom, ...]:
        """The body in canonical form.

        The body variables are renamed to 2 … and the atoms sorted by (relation, subject, object) such
        that the sequence is least over all renamings; variables sort before entities.
        """
        free = sorted({v for atom in self.body for v in atom.variables if v > 1})
        renamed = (
            sorted(_renamed(atom, names) for atom in self.body)
            for order in itertools.permutations(range(2, 2 + len(free)))
            for names in [((0, 0), (1, 1), *zip(free, order, strict=True))]
        )
        return tuple(atom for _, atom in min(renamed))

    @cached_property
    def id(self) -> str:
        """The first `ID_LENGTH` hexadecimal digits of the SHA-256 of the canonical form."""
        return id_of(*map(identity_of, (self.head, *self.canonical_body)))

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """Canonical order of rules: head relation, body length, canonical body, head terms."""
        body = tuple(map(_atom_key, self.canonical_body))
        return self.head.relation, len(self.body), body, _atom_key(self.head)

    def canonical(self) -> "Rule":
        """The same rule with its body in canonical form."""
        return replace(self, body=self.canonical_body)

    def problem(self, *, closed: bool = True) -> str | None:
        """Why this is not a closed, connected, safe rule; None if it is one.

        Args:
            closed: False: a variable of the body may occur in one atom only.
        """
        shape = tuple(atom.variables for atom in (self.head, *self.body))
        return _problem(shape, self.head in self.body, closed)


@lru_cache(maxsize=_CACHED)
def _problem(shape: tuple[tuple[int, ...], ...], repeats: bool, closed: bool) -> str | None:
    """See `Rule.problem`; from the variables of the atoms, and whether the head is also in the body."""
    head, *body = shape
    if not body:
        return "the body is empty"
    counts: dict[int, int] = {}
    for atom in shape:
        for v in set(atom):
            counts[v] = counts.get(v, 0) + 1
    loose = sorted(v for v, n in counts.items() if n < 2)
    if not closed:
        bound = {v for atom in body for v in atom}
        if free := sorted(set(head) - bound):
            return f"no body atom binds {' and '.join(map(variable_name, free))} of the head"
    elif loose:
        named = ", ".join(variable_name(v) for v in loose)
        verb = "occurs" if len(loose) == 1 else "occur"
        return f"the rule is not closed: {named} {verb} in one atom only"
    if len(counts) - len(set(head)) > MOST_BODY_VARIABLES:
        return f"the body has more than {MOST_BODY_VARIABLES} variables of its own"
    if repeats:
        return "the head is one of the body atoms"
    reached = set(head)
    waiting = [atom for atom in body if atom]
    while waiting:
        joined = [atom for atom in waiting if reached.intersection(atom)]
        if not joined:
            return "the body is not connected with the head"
        reached.update(v for atom in joined for v in atom)
        waiting = [atom for atom in waiting if atom not in joined]
    return None


def id_of(*identities: str) -> str:
    """The id of a rule, from the identities of its head and of the atoms of its canonical body."""
    return hashlib.sha256("\t".join(identities).encode()).hexdigest()[:ID_LENGTH]


@lru_cache(maxsize=_CACHED)
def identity_of(atom: Atom) -> str:
    """The text of an atom that is hashed into the id of a rule."""
    return f"{atom.relation}\t{_term_text(atom.subject)}\t{_term_text(atom.object)}"


def readable_atom(atom: Atom) -> str:
    """Formats an atom for reading, e.g. ``aunt(x,z)``; entities are quoted."""
    terms = [VARIABLES[t] if isinstance(t, int) else repr(t) for t in (atom.subject, atom.object)]
    return f"{atom.relation}({terms[0]},{terms[1]})"


def sort_rules(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Sorts rules into canonical order (`Rule.sort_key`)."""
    return tuple(sorted(rules, key=lambda rule: rule.sort_key))


@lru_cache(maxsize=_CACHED)
def _renamed(atom: Atom, names: tuple[tuple[int, int], ...]) -> tuple[_AtomKey, Atom]:
    """An atom with other variables (each with its new one), and by what it is sorted."""
    new = dict(names)
    s, r, o = (new[term] if isinstance(term, int) else term for term in atom)
    renamed = Atom(s, str(r), o)
    return _atom_key(renamed), renamed


def _term_key(term: Term) -> tuple[int, int, str]:
    return (0, term, "") if isinstance(term, int) else (1, 0, term)


def _term_text(term: Term) -> str:
    # "=" marks entities, so that an entity named like a variable differs from it.
    return variable_name(term) if isinstance(term, int) else f"={term}"


def _atom_key(atom: Atom) -> _AtomKey:
    return (atom.relation, _term_key(atom.subject), _term_key(atom.object))


RULE_TYPES = ("symmetry", "inversion", "hierarchy", "composition", "other")

RULE_SUBTYPES = {
    "common object": "composition with the second edge reversed: r1(x,z) ∧ r2(y,z) ⇒ r3(x,y)",
    "common subject": "composition with the first edge reversed: r1(z,x) ∧ r2(z,y) ⇒ r3(x,y)",
    "reversed chain": "composition with both edges reversed: r1(z,x) ∧ r2(y,z) ⇒ r3(x,y)",
    "longer chain": "a path of three or more atoms, edges in any direction",
    "triangle": "an edge between x and y together with a path x – z – y",
    "intersection": "two or more atoms, all between x and y",
    "recursive": "none of the above, and the head relation occurs in the body",
    "rest": "none of the above",
}
"""Maps each sub-type of *other*, as records name it, to its meaning; see `SUBTYPE_NAMES`."""

SUBTYPE_NAMES = {
    "common object": "collider",
    "common subject": "fork",
    "reversed chain": "inverse composition",
    "longer chain": "longer path",
}
"""What texts call a sub-type, where that is not its name in records."""


class RuleType(NamedTuple):
    """Type and sub-type of a rule; the sub-type is the type itself except for *other*."""

    type: str
    subtype: str


def classify(rule: Rule) -> RuleType:
    """The type of a rule; see `RULE_TYPES` and `RULE_SUBTYPES`.

    Example:
        >>> from rulemine.rules.formats import parse_readable
        >>> classify(parse_readable("wife(y,x) ⇒ husband(x,y)"))
        RuleType(type='inversion', subtype='inversion')
    """
    relation = rule.head.relation
    shapes = tuple(map(atom_shape, rule.body))
    return classify_shapes(
        atom_shape(rule.head), shapes, tuple(atom.relation == relation for atom in rule.body)
    )


AtomShape = tuple[int, int]
"""Variables of an atom, subject and object; -1 for an entity."""


def atom_shape(atom: Atom) -> AtomShape:
    """Which variables an atom joins."""
    subject, object_ = (t if isinstance(t, int) else -1 for t in (atom.subject, atom.object))
    return subject, object_


@lru_cache(maxsize=_CACHED)
def classify_shapes(
    head: AtomShape, body: tuple[AtomShape, ...], recursive: tuple[bool, ...]
) -> RuleType:
    """The type of a rule from the shapes that determine it; see `classify`.

    Args:
        head: The variables of the head.
        body: The variables of the body atoms.
        recursive: Whether each body atom has the relation of the head.
    """
    name = _shape(head, body, recursive)
    return RuleType(name if name in RULE_TYPES else "other", name)


def _shape(head: AtomShape, body: tuple[AtomShape, ...], recursive: tuple[bool, ...]) -> str:
    """The sub-type of a rule, which is its type unless that is *other*."""
    rest = "recursive" if any(recursive) else "rest"
    if head != (0, 1) or any(-1 in atom for atom in body):
        return rest
    path = simple_path(body, 0, 1)
    if path is not None:
        way = tuple(step.forward for step in path)
        if way == (False,) and recursive[0]:
            return "symmetry"
        return _PATHS.get(way, "longer chain")
    if set(map(frozenset, body)) == {frozenset((0, 1))}:
        return "intersection"
    third = max(map(max, body))
    if third > 1 and sorted(map(sorted, body)) == [[0, 1], [0, third], [1, third]]:
        return "triangle"
    return rest


_PATHS = {
    (True,): "hierarchy",
    (False,): "inversion",
    (True, True): "composition",
    (True, False): "common object",
    (False, True): "common subject",
    (False, False): "reversed chain",
}
"""Whether the atoms of a path run from the head's subject to its object → the sub-type."""
