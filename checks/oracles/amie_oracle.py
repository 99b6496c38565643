"""A brute-force definition of the rules that AMIE 3.5.1 mines, by default and with its options.

The breadth-first search of AMIE ("Fast and Exact Rule Mining with AMIE 3", Lajus, Galarraga,
Suchanek, ESWC 2020) is followed literally: every operator, limit and threshold is written down
as it is defined, every rule is counted from the facts, and *all* parents of a rule are kept.
What AMIE prints depends on the parent that happens to generate a rule first, so three answers
are given:

* `must`: rules that AMIE prints whichever parent comes first;
* `may`: rules that AMIE prints for some choice of first parents;
* `ours`: the canonical choice, every rule being generated first by its most lenient parent.

Guarantees: shares no code with the miner, uses the standard library only, and
`must <= ours <= may` (see `OracleResult`). Written to be read; meant for small graphs.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations, product

Triple = tuple[str, str, str]
Pair = tuple[str, str]
BodyAtom = tuple[str, int, int]
"""A body atom as (relation, subject variable, object variable).

Variable 0 is the subject of the head, 1 its object, 2 and up are body variables.
"""


class Facts:
    """A set of facts, looked up by relation and by one or both ends."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.pairs: defaultdict[str, set[Pair]] = defaultdict(set)
        self.objects: defaultdict[str, defaultdict[str, set[str]]]
        self.objects = defaultdict(lambda: defaultdict(set))
        self.subjects: defaultdict[str, defaultdict[str, set[str]]]
        self.subjects = defaultdict(lambda: defaultdict(set))
        for subject, relation, object_ in triples:
            self.pairs[relation].add((subject, object_))
            self.objects[relation][subject].add(object_)
            self.subjects[relation][object_].add(subject)
        self.relations = tuple(sorted(self.pairs))

    def satisfiable(self, atoms: tuple[BodyAtom, ...], values: dict[int, str]) -> bool:
        """Whether the variables without a value can be given values that satisfy all atoms.

        Each atom must have a variable with a value or one that occurs in an atom before it.
        """
        if not atoms:
            return True
        (relation, s, t), rest = atoms[0], atoms[1:]
        if s in values and t in values:
            return values[t] in self.objects[relation].get(values[s], ()) and self.satisfiable(
                rest, values
            )
        if s in values:
            unknown, found = t, self.objects[relation].get(values[s], ())
        else:
            unknown, found = s, self.subjects[relation].get(values[t], ())
        for value in found:  # noqa: SIM110 (a generator would double the time)
            if self.satisfiable(rest, {**values, unknown: value}):
                return True
        return False

    def head_pairs(self, body: tuple[BodyAtom, ...]) -> set[Pair]:
        """All distinct values of the variables (0, 1) for which a body can be satisfied.

        Both variables must occur in the body. Variables are independent: two may be equal.
        """
        columns: list[int] = []
        rows: set[tuple[str, ...]] = {()}
        remaining = list(body)
        while remaining:
            # Any order gives the same rows; atoms that touch a column keep the table small.
            atom = max(remaining, key=lambda atom: len({atom[1], atom[2]} & set(columns)))
            remaining.remove(atom)
            relation, s, t = atom
            if s in columns and t in columns:
                i, j = columns.index(s), columns.index(t)
                pairs = self.pairs[relation]
                rows = {row for row in rows if (row[i], row[j]) in pairs}
            elif s in columns:
                i = columns.index(s)
                objects = self.objects[relation]
                rows = {(*row, o) for row in rows for o in objects.get(row[i], ())}
                columns.append(t)
            elif t in columns:
                i = columns.index(t)
                subjects = self.subjects[relation]
                rows = {(*row, s_) for row in rows for s_ in subjects.get(row[i], ())}
                columns.append(s)
            else:
                rows = {(*row, *pair) for row in rows for pair in self.pairs[relation]}
                columns += [s, t]
            needed = {0, 1}.union(*((s, t) for _, s, t in remaining))
            kept = [i for i, variable in enumerate(columns) if variable in needed]
            if len(kept) < len(columns):
                rows = {tuple(row[i] for i in kept) for row in rows}
                columns = [columns[i] for i in kept]
        i, j = columns.index(0), columns.index(1)
        return {(row[i], row[j]) for row in rows}

    def functional_variable(self, relation: str) -> int:
        """0 if a relation has at least as many subjects as objects, else 1."""
        return 0 if len(self.objects[relation]) >= len(self.subjects[relation]) else 1


class InjectiveFacts(Facts):
    """The same where different variables must stand for different entities.

    Written without what makes `Facts` fast: all bindings, one atom after the other.
    """

    def bindings(
        self, atoms: tuple[BodyAtom, ...], values: dict[int, str]
    ) -> Iterator[dict[int, str]]:
        """Every way to give all variables values, of which some are given."""
        if len(set(values.values())) < len(values):
            return
        if not atoms:
            yield values
            return
        relation, s, t = atoms[0]
        for subject, object_ in self.pairs[relation]:
            fits = values.get(s, subject) == subject and values.get(t, object_) == object_
            if fits and (s != t or subject == object_):
                yield from self.bindings(atoms[1:], {**values, s: subject, t: object_})

    def satisfiable(self, atoms: tuple[BodyAtom, ...], values: dict[int, str]) -> bool:
        return any(True for _ in self.bindings(atoms, values))

    def head_pairs(self, body: tuple[BodyAtom, ...]) -> set[Pair]:
        return {(values[0], values[1]) for values in self.bindings(body, {})}


RuleKey = tuple[str, tuple[BodyAtom, ...]]
"""A rule up to renaming: (head relation, canonical body). The head is always `head(0, 1)`."""


@dataclass(frozen=True)
class OracleRule:
    """A rule of the search space with its counts.

    `body_size` and `pca_body_size` are 0 for an open rule, which has no confidence.
    """

    key: RuleKey
    support: int
    body_size: int
    pca_body_size: int
    head_size: int
    functional_variable: int
    closed: bool

    @property
    def atoms(self) -> int:
        """Number of atoms, the head included."""
        return 1 + len(self.key[1])

    @property
    def head_coverage(self) -> float:
        return self.support / self.head_size

    @property
    def std_confidence(self) -> float:
        return self.support / self.body_size

    @property
    def pca_confidence(self) -> float:
        return self.support / self.pca_body_size

    @property
    def perfect(self) -> bool:
        """Whether AMIE leaves the rule unextended: closed, with a PCA confidence of exactly 1."""
        return self.closed and self.support == self.pca_body_size


@dataclass(frozen=True)
class OracleResult:
    """The search space and the three answers read off it.

    Why `must <= ours <= may`. Call a parent of R *strict* if it is closed and its PCA confidence
    is at least R's, else *lenient*, and let S(R) be the candidates that are proper sub-rules of
    R with a PCA confidence of at least R's. For one choice of first parents AMIE prints a
    candidate R iff its first parent is lenient and nothing in S(R) is printed. If A is in S(R)
    then S(A) is in S(R) as well. So

    * R may be printed iff it has a lenient parent and everything in S(R) has a strict one: give
      all of S(R) a strict parent; conversely, if some A in S(R) has none, A is printed unless
      something in S(A), hence in S(R), is, and R is not printed either way;
    * R must be printed iff all its parents are lenient and nothing in S(R) may be printed;
    * `ours` is what AMIE prints when a lenient parent comes first wherever there is one.

    Attributes:
        space: Every rule of the search space, open rules and bare heads included.
        parents: For each rule of the space, all rules from which some operator makes it.
        candidates: Closed rules that pass all thresholds and are not level-2 redundant.
        must: Candidates printed whatever the order.
        may: Candidates printed for some order.
        ours: Candidates of our definition.
    """

    space: Mapping[RuleKey, OracleRule]
    parents: Mapping[RuleKey, frozenset[RuleKey]]
    candidates: frozenset[RuleKey]
    must: frozenset[RuleKey]
    may: frozenset[RuleKey]
    ours: frozenset[RuleKey]

    def rules(self) -> tuple[OracleRule, ...]:
        """The rules of our definition, sorted by key."""
        return tuple(self.space[key] for key in sorted(self.ours))

    def printed(self, first_parent: Mapping[RuleKey, RuleKey]) -> frozenset[RuleKey]:
        """The rules AMIE prints if each candidate was generated first by the parent given."""
        printed: set[RuleKey] = set()
        for key in sorted(self.candidates, key=lambda key: (len(key[1]), key)):
            dominated = any(
                sub_rule in printed and _at_least(self.space[sub_rule], self.space[key])
                for sub_rule in proper_sub_rules(key)
            )
            if not dominated and self.lenient(first_parent[key], key):
                printed.add(key)
        return frozenset(printed)

    def lenient(self, parent: RuleKey, key: RuleKey) -> bool:
        """Whether a parent lets a rule pass the skyline: open, or of a lower PCA confidence."""
        return _lenient(self.space, parent, key)

    def explain(self, key: RuleKey) -> str:
        """One paragraph on why a rule is, or is not, part of the answers."""
        if key not in self.space:
            return f"{show(key)}: not in the search space"
        rule = self.space[key]
        lines = [
            f"{show(key)}: {rule}",
            f"  candidate={key in self.candidates} must={key in self.must} "
            f"may={key in self.may} ours={key in self.ours}",
        ]
        for parent in sorted(self.parents[key]):
            verdict = "lenient" if self.lenient(parent, key) else "strict"
            lines.append(f"  {verdict} parent {_summary(self.space[parent])}")
        for sub_rule in sorted(proper_sub_rules(key) & self.candidates):
            if _at_least(self.space[sub_rule], rule):
                printed = "printed" if sub_rule in self.ours else "not printed"
                lines.append(f"  sub-rule as good, {printed}: {_summary(self.space[sub_rule])}")
        return "\n".join(lines)


def oracle_rules(
    triples: Iterable[Triple],
    *,
    max_atoms: int,
    min_head_coverage: float,
    min_std_confidence: float,
    min_pca_confidence: float,
    min_initial_support: int,
    head_relations: Collection[str] = (),
    body_relations: Collection[str] = (),
    exclude_relations: Collection[str] = (),
    max_recursion: int = 3,
    skyline: bool = True,
    perfect_pruning: bool = True,
    injective: bool = False,
) -> OracleResult:
    """Mine by brute force.

    Args:
        triples: (subject, relation, object); duplicates count once.
        max_atoms: Largest number of atoms of a rule, the head included.
        min_head_coverage: Smallest support / facts of the head; applied to open rules, too.
        min_std_confidence: Smallest standard confidence of a candidate.
        min_pca_confidence: Smallest PCA confidence of a candidate.
        min_initial_support: Fewest distinct facts with which a relation may be a head.
        head_relations: The relations that may be heads; empty: all.
        body_relations: The relations that operators may add; empty: all.
        exclude_relations: Relations that may be neither.
        max_recursion: Occurrences of one relation in a rule, the head included.
        skyline: Whether rules are compared with their parents and sub-rules at all; if not, every
            candidate is printed.
        perfect_pruning: Whether perfect rules are left unextended.
        injective: Whether different variables must stand for different entities (see
            `InjectiveFacts`).
    """
    facts = InjectiveFacts(triples) if injective else Facts(triples)
    usable = [relation for relation in facts.relations if relation not in exclude_relations]
    heads = [r for r in usable if not head_relations or r in head_relations]
    bodies = tuple(r for r in usable if not body_relations or r in body_relations)
    space: dict[RuleKey, OracleRule] = {}
    parents: dict[RuleKey, frozenset[RuleKey]] = {}
    for head in facts.relations:
        if len(facts.pairs[head]) >= min_initial_support and head in heads:
            language = _Language(bodies, max_atoms, max_recursion, perfect_pruning)
            _search(facts, head, language, min_head_coverage, space, parents)
    candidates = frozenset(
        key
        for key, rule in space.items()
        if rule.closed
        and rule.pca_confidence >= min_pca_confidence
        and rule.std_confidence >= min_std_confidence
        and not level2_redundant(key)
    )
    if not skyline:
        return OracleResult(space, parents, candidates, candidates, candidates, candidates)
    return _answers(space, parents, candidates)


@dataclass(frozen=True)
class _Language:
    """What the operators may make: the relations they may add, and the limits."""

    relations: tuple[str, ...]
    max_atoms: int
    max_recursion: int
    perfect_pruning: bool


def _search(
    facts: Facts,
    head: str,
    language: _Language,
    min_head_coverage: float,
    space: dict[RuleKey, OracleRule],
    parents: dict[RuleKey, frozenset[RuleKey]],
) -> None:
    """Add one head's breadth-first search to the space, one generation of equal length a time."""
    head_size = len(facts.pairs[head])
    threshold = max(1, math.ceil(min_head_coverage * head_size))
    root: RuleKey = (head, ())
    generation: dict[RuleKey, list[Pair]] = {}
    if head_size >= threshold:
        generation[root] = sorted(facts.pairs[head])
        parents[root] = frozenset()
    while generation:
        children: dict[RuleKey, list[Pair]] = {}
        made_by: defaultdict[RuleKey, set[RuleKey]] = defaultdict(set)
        for key, supporting in generation.items():
            space[key] = rule = _measure(facts, key, len(supporting))
            if rule.perfect and language.perfect_pruning:
                continue
            for child in _refinements(key, language):
                if child not in made_by:
                    pairs = _supporting(facts, child, supporting, threshold)
                    if pairs is not None:
                        children[child] = pairs
                made_by[child].add(key)
        parents.update((child, frozenset(made_by[child])) for child in children)
        generation = children


def _supporting(
    facts: Facts, key: RuleKey, of_parent: list[Pair], threshold: int
) -> list[Pair] | None:
    """The head facts that a rule predicts, or None if they are fewer than the threshold.

    They are among those of any parent, which has an atom less to satisfy.
    """
    atoms = _connected_order(key[1])
    pairs: list[Pair] = []
    for tested, pair in enumerate(of_parent):
        if len(pairs) + len(of_parent) - tested < threshold:
            return None
        if facts.satisfiable(atoms, {0: pair[0], 1: pair[1]}):
            pairs.append(pair)
    return pairs if len(pairs) >= threshold else None


def _connected_order(body: tuple[BodyAtom, ...]) -> tuple[BodyAtom, ...]:
    """The atoms of a body so that each has, if possible, variables that came before it."""
    known, ordered, remaining = {0, 1}, [], list(body)
    while remaining:
        atom = max(remaining, key=lambda atom: len({atom[1], atom[2]} & known))
        remaining.remove(atom)
        ordered.append(atom)
        known |= {atom[1], atom[2]}
    return tuple(ordered)


def _measure(facts: Facts, key: RuleKey, support: int) -> OracleRule:
    """Count the body of a closed rule: all its pairs, and those that the PCA takes for known.

    The PCA counts a pair if the value of the functional variable occurs in some head fact in
    that position.
    """
    head, body = key
    functional = facts.functional_variable(head)
    closed = not open_variables(key)
    predicted = facts.head_pairs(body) if closed else set()
    known = facts.objects[head] if functional == 0 else facts.subjects[head]
    return OracleRule(
        key=key,
        support=support,
        body_size=len(predicted),
        pca_body_size=sum(pair[functional] in known for pair in predicted),
        head_size=len(facts.pairs[head]),
        functional_variable=functional,
        closed=closed,
    )


def variables(key: RuleKey) -> list[int]:
    """The variables of a rule, those of the head included, ascending."""
    return sorted({0, 1}.union(*((s, t) for _, s, t in key[1])))


def open_variables(key: RuleKey) -> list[int]:
    """The variables that occur in exactly one atom, the head being one."""
    atoms = [(key[0], 0, 1), *key[1]]
    return [v for v in variables(key) if sum(v in (s, t) for _, s, t in atoms) == 1]


def _refinements(key: RuleKey, language: _Language) -> Iterator[RuleKey]:
    """The rules that the closing and the dangling operator make of a rule, without thresholds."""
    head, body = key
    atoms = [(head, 0, 1), *body]
    usable = [
        relation
        for relation in language.relations
        if sum(relation == used for used, _, _ in atoms) < language.max_recursion
    ]
    existing, opened = variables(key), open_variables(key)
    if len(atoms) < language.max_atoms:
        for s, t in _closing_positions(existing, opened):
            for relation in usable:
                if (relation, s, t) not in atoms:
                    yield head, canonical((*body, (relation, s, t)))
    if len(atoms) < language.max_atoms - 1:
        fresh = max(existing) + 1
        for joined in opened or existing:
            for relation in usable:
                yield head, canonical((*body, (relation, joined, fresh)))
                yield head, canonical((*body, (relation, fresh, joined)))


def _closing_positions(existing: list[int], opened: list[int]) -> Iterator[tuple[int, int]]:
    """Ordered pairs of variables that a closing atom may join.

    A closing atom joins any two variables of a closed rule, the open variable of a rule with
    one to any other, and two open variables where there are two or more. (More than two never
    arise: a dangling atom on an open variable closes it and opens another.)
    """
    if len(opened) > 2:
        raise AssertionError(f"more than two open variables: {opened}")
    for s, t in permutations(existing, 2):
        if all(v in (s, t) for v in opened):
            yield s, t


def canonical(body: Iterable[BodyAtom]) -> tuple[BodyAtom, ...]:
    """A body up to renaming of its body variables: the smallest sorted tuple of all renamings."""
    atoms = tuple(body)
    free = sorted({v for _, s, t in atoms for v in (s, t)} - {0, 1})
    names = range(2, 2 + len(free))
    renamings = ({0: 0, 1: 1, **dict(zip(free, p, strict=True))} for p in permutations(names))
    return min(tuple(sorted((r, to[s], to[t]) for r, s, t in atoms)) for to in renamings)


def proper_sub_rules(key: RuleKey) -> frozenset[RuleKey]:
    """The rules with the same head and a non-empty proper part of the body, up to renaming."""
    head, body = key
    return frozenset(
        (head, canonical(part)) for size in range(1, len(body)) for part in combinations(body, size)
    )


def level2_redundant(key: RuleKey) -> bool:
    """Whether a rule has at least four atoms and every relation in it occurs exactly twice."""
    relations = [key[0], *(relation for relation, _, _ in key[1])]
    return len(relations) >= 4 and all(relations.count(relation) == 2 for relation in relations)


def _at_least(one: OracleRule, other: OracleRule) -> bool:
    """Whether the PCA confidence of one rule is at least that of another."""
    return one.pca_confidence >= other.pca_confidence


def _lenient(space: Mapping[RuleKey, OracleRule], parent: RuleKey, key: RuleKey) -> bool:
    return not (space[parent].closed and _at_least(space[parent], space[key]))


def _answers(
    space: dict[RuleKey, OracleRule],
    parents: dict[RuleKey, frozenset[RuleKey]],
    candidates: frozenset[RuleKey],
) -> OracleResult:
    """Apply the skyline in its three readings, shorter rules first (see `OracleResult`)."""
    must: set[RuleKey] = set()
    may: set[RuleKey] = set()
    ours: set[RuleKey] = set()
    all_lenient: dict[RuleKey, bool] = {}
    for key in sorted(candidates, key=lambda key: (len(key[1]), key)):
        lenient = [_lenient(space, parent, key) for parent in parents[key]]
        all_lenient[key] = all(lenient)
        as_good = {
            sub_rule
            for sub_rule in proper_sub_rules(key)
            if sub_rule in candidates and _at_least(space[sub_rule], space[key])
        }
        if any(lenient) and not any(all_lenient[sub_rule] for sub_rule in as_good):
            may.add(key)
        if all(lenient) and not as_good & may:
            must.add(key)
        if any(lenient) and not as_good & ours:
            ours.add(key)
    return OracleResult(
        space=space,
        parents=parents,
        candidates=candidates,
        must=frozenset(must),
        may=frozenset(may),
        ours=frozenset(ours),
    )


def count_by_enumeration(
    triples: Iterable[Triple], key: RuleKey, *, injective: bool = False
) -> tuple[int, int, int]:
    """Support, body size and PCA body size by trying every assignment of entities to variables.

    The definitions of the three counts and nothing else; exponential, for checks of `Facts`.
    """
    facts = set(triples)
    entities = sorted({e for s, _, o in facts for e in (s, o)})
    head, body = key
    functional = Facts(facts).functional_variable(head)
    ends = {(s, o)[functional] for s, r, o in facts if r == head}
    satisfied = {
        (values[0], values[1])
        for values in product(entities, repeat=max(variables(key)) + 1)
        if all((values[s], relation, values[t]) in facts for relation, s, t in body)
        and (not injective or len(set(values)) == len(values))
    }
    support = sum((a, head, b) in facts for a, b in satisfied)
    return support, len(satisfied), sum(pair[functional] in ends for pair in satisfied)


def show(key: RuleKey) -> str:
    """A rule as `p(0,2) & q(2,1) => h(0,1)`."""
    return f"{' & '.join(f'{r}({s},{t})' for r, s, t in key[1])} => {key[0]}(0,1)"


def _summary(rule: OracleRule) -> str:
    if not rule.closed:
        return f"{show(rule.key)} (open)"
    return (
        f"{show(rule.key)} (std {rule.support}/{rule.body_size}, "
        f"pca {rule.support}/{rule.pca_body_size})"
    )
