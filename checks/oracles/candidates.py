"""Random candidates over random graphs: ours beside verdicts by brute force.

    python -m checks.oracles.candidates [--candidates 2000] [--seed 0]

Each graph has candidates made from walks, of which some come back: these have cycles, parallel triples or
an entity in two places. A third of them are then made wrong in some way. The oracle goes through all
assignments of triples to the patterns. Compared are the verdict with its reason, the shape code, hops,
answers and full evidence. Prints what differs; exit status 1 if anything does.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from checks.oracles import say
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.subgraphs.validation import Executor, Mistake, Valid, Validator
from rulemine.kinds.written.replies import Candidate, NamedNode, Subgraph
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query import QueryGraph, evaluate
from rulemine.query.evidence import full_evidence
from rulemine.query.sparql import entity_iri, relation_iri
from rulemine.query.structures import structure_of
from tests.query.rooted_trees import Tree, rooted_trees, shape_of

PER_GRAPH = 50
"""Candidates."""


class Branch(NamedTuple):
    """A step from a node of a pattern; a leaf is an entity."""

    relation: str
    inverse: bool
    below: "str | frozenset[Branch]"


Pattern = frozenset[Branch]


class Atom(NamedTuple):
    """A triple pattern; variables begin with ``?``."""

    subject: str
    relation: str
    target: str


class Made(NamedTuple):
    """What a candidate is made from."""

    pattern: Pattern
    seeds: tuple[str, ...]
    answer: str
    used: tuple[Triple, ...]


class Found(NamedTuple):
    """All derivations of a pattern: the triple of each atom, and the answer."""

    atoms: list[Atom]
    derivations: list[tuple[tuple[Triple, ...], str]]

    @property
    def answers(self) -> set[str]:
        """The answers."""
        return {answer for _, answer in self.derivations}


def random_graph(rng: Random) -> KnowledgeGraph:
    """A graph with few entities, loops and parallel triples."""
    names = ["Zoë B.", "a/b?", *(f"e{i}" for i in range(rng.randrange(3, 20)))]
    relations = ["r of", "s", "t", "u"][: rng.randrange(2, 5)]
    triples = [(rng.choice(names), rng.choice(relations), rng.choice(names))
               for _ in range(rng.randrange(6, 40))]  # fmt: skip
    return KnowledgeGraph.from_triples(triples)


def walked(
    kg: KnowledgeGraph, tree: Tree, at: str, rng: Random, seen: set[str] | None
) -> tuple[Pattern, list[Triple]]:
    """A pattern of a shape, or smaller where branches come out the same, and one of its derivations.

    Args:
        kg: The graph.
        tree: The shape.
        at: Where to begin.
        rng: Where the steps come from.
        seen: The entities to go to only where there are no others; None: anywhere.
    """
    branches: dict[Branch, list[Triple]] = {}
    for branch in tree:
        steps = [(t, False, t[0]) for t in kg.labeled() if t[2] == at]
        steps += [(t, True, t[2]) for t in kg.labeled() if t[0] == at]
        if seen is not None:
            steps = [step for step in steps if step[2] not in seen] or steps
        triple, inverse, other = rng.choice(steps)
        if seen is not None:
            seen.add(other)
        below: str | Pattern = other
        more: list[Triple] = []
        if branch:
            below, more = walked(kg, branch, other, rng, seen)
        branches[Branch(triple[1], inverse, below)] = [triple, *more]
    return frozenset(branches), [triple for some in branches.values() for triple in some]


def atoms_of(pattern: Pattern, at: str = "?x") -> Iterator[Atom]:
    """The triple patterns; ``?x`` is the answer."""
    for number, branch in enumerate(sorted(pattern, key=str)):
        end = branch.below if isinstance(branch.below, str) else f"{at}_{number}"
        ends = (at, end) if branch.inverse else (end, at)
        yield Atom(ends[0], branch.relation, ends[1])
        if not isinstance(branch.below, str):
            yield from atoms_of(branch.below, end)


def leaves_of(pattern: Pattern) -> Iterator[str]:
    """The entities that it names."""
    for branch in pattern:
        if isinstance(branch.below, str):
            yield branch.below
        else:
            yield from leaves_of(branch.below)


def derived(kg: KnowledgeGraph, pattern: Pattern) -> Found:
    """All derivations, by trying every triple for every atom."""
    atoms = list(atoms_of(pattern))
    found: list[tuple[dict[str, str], tuple[Triple, ...]]] = [({}, ())]
    for atom in atoms:
        longer = []
        for bound, triples in found:
            for triple in kg.labeled():
                new = dict(bound)
                ends = zip((atom.subject, atom.target), triple[::2], strict=True)
                fits = all(
                    new.setdefault(term, end) == end if term.startswith("?") else term == end
                    for term, end in ends
                )
                if fits and triple[1] == atom.relation:
                    longer.append((new, (*triples, triple)))
        found = longer
    return Found(atoms, [(triples, bound["?x"]) for bound, triples in found])


def shape(pattern: Pattern) -> Tree:
    """The rooted tree of a pattern."""
    return tuple(sorted(() if isinstance(b.below, str) else shape(b.below) for b in pattern))


def verdict(kg: KnowledgeGraph, made: Made, found: Found) -> str | None:
    """Why a candidate must be rejected, by the order of the checks; None: it is right."""
    ends = {end for s, _, o in made.used for end in (s, o)}
    leaves = {*leaves_of(made.pattern)}
    exact = [d for d, answer in found.derivations
             if answer == made.answer and {*d} == {*made.used} and len({*d}) == len(d)]  # fmt: skip
    pairs = Counter(frozenset((s, o)) for s, _, o in made.used)
    is_tree = (
        made.answer in ends and all(s != o for s, _, o in made.used) and max(pairs.values()) == 1
        and len(made.used) == len(ends) - 1 and is_connected(made.used)
    )  # fmt: skip
    inner = {end for end, n in Counter(e for s, _, o in made.used for e in (s, o)).items() if n > 1}
    return next(
        (
            reason
            for reason, holds in [
                (Mistake.OUTSIDE, not {*made.used} <= {*kg.labeled()}),
                (Mistake.NUMBER, len({*made.used}) < len(made.used) or len(made.used) > 6),
                (Mistake.TREE, not is_tree),
                (Mistake.OTHER, not exact or bool(leaves & {*inner, made.answer})),
                (Mistake.CONSTANTS, {*made.seeds} != leaves),
            ]
            if holds
        ),
        None,
    )


def is_connected(used: tuple[Triple, ...]) -> bool:
    """Whether triples hang together."""
    seen = {used[0][0]}
    for _ in used:
        seen |= {end for s, _, o in used if {s, o} & seen for end in (s, o)}
    return all(s in seen for s, _, o in used)


def random_candidate(kg: KnowledgeGraph, rng: Random) -> Made:
    """A candidate."""
    tree = rng.choice(rooted_trees(rng.choice((1, 2, 2, 3, 3, 4, 5, 6))))
    answer = rng.choice(kg.entities)
    pattern, triples = walked(kg, tree, answer, rng, {answer} if rng.random() < 0.7 else None)
    seeds = tuple(dict.fromkeys(leaves_of(pattern)))
    used = list(dict.fromkeys(triples))
    if rng.random() < 0.3:
        change = rng.randrange(6)
        if change == 0:
            used.pop(rng.randrange(len(used)))
            used = used or [rng.choice(kg.labeled())]
        elif change == 1:
            used[rng.randrange(len(used))] = rng.choice(kg.labeled())
        elif change == 2:
            used.append(rng.choice(kg.labeled()))
        elif change == 3:
            answer = rng.choice(kg.entities)
        elif change == 4:
            seeds = tuple(dict.fromkeys((*seeds, rng.choice(kg.entities))))
        else:
            seeds = seeds[1:] or (rng.choice(kg.entities),)
    rng.shuffle(used)
    return Made(pattern, seeds, answer, tuple(used))


def written(made: Made, rng: Random) -> Candidate:
    """The candidate as a writer gives it."""

    def term(name: str) -> str:
        return name if name.startswith("?") else f"<{entity_iri(name)}>"

    lines = [f"{term(s)} <{relation_iri(r)}> {term(o)}" for s, r, o in atoms_of(made.pattern)]
    rng.shuffle(lines)
    return Candidate(
        "?",
        NamedNode(made.answer, made.answer),
        made.used,
        tuple(NamedNode(seed, seed) for seed in made.seeds),
        f"SELECT DISTINCT ?x WHERE {{ {' . '.join(lines)} }}",
    )


def differences(kg: KnowledgeGraph, graph: QueryGraph, made: Made, ours: object) -> Iterator[str]:
    """What differs from brute force."""
    found = derived(kg, made.pattern)
    expected = verdict(kg, made, found)
    if not isinstance(ours, Valid) or expected is not None:
        reason = None if isinstance(ours, Valid) else getattr(ours, "reason", ours)
        if reason != expected:
            yield f"verdict: {reason} ≠ {expected}"
        return
    structure, grades = structure_of(ours.query), evaluate(graph, ours.query)
    evidence = {triple for d, _ in found.derivations for triple in d}
    for what, one, other in [
        ("shape", structure.shape, shape_of(shape(made.pattern))),
        ("hops", structure.hops, max(atom.count("_") + 1 for atom in _ends(found.atoms))),
        ("atoms", structure.atoms, len(made.used)),
        ("answers", {*grades.answers}, found.answers),
        ("evidence", {*kg.labeled(full_evidence(grades).rows)}, evidence),
    ]:
        if one != other:
            yield f"{what}: {one} ≠ {other}"


def _ends(atoms: list[Atom]) -> Iterator[str]:
    """The end of each atom that is nearer to the answer."""
    for atom in atoms:
        variables = [term for term in (atom.subject, atom.target) if term.startswith("?")]
        yield min(variables, key=len)


def hunt(
    seed: int, candidates: int, tell: Callable[[str], object] = lambda line: None
) -> tuple[list[str], Counter[str]]:
    """Compares so many candidates.

    Returns:
        What differs, and how many had which verdict.
    """
    wrong: list[str] = []
    verdicts: Counter[str] = Counter()
    while verdicts.total() < candidates:
        rng = Random(f"candidates {seed}")
        kg = random_graph(rng)
        names, graph = WriterNames(kg, kg.entities, kg.entities), QueryGraph(kg)
        whole = Subgraph(tuple(range(len(kg.entities))), tuple(range(len(kg.triples))))
        with Executor(names) as executor:
            validator = Validator(names, graph, Declarations(), executor)
            for _ in range(min(PER_GRAPH, candidates - verdicts.total())):
                made = random_candidate(kg, rng)
                atoms = min(6, len({*made.used}))
                ours = validator.validate(written(made, rng), whole, atoms)
                verdicts["accepted" if isinstance(ours, Valid) else ours.reason] += 1
                lines = differences(kg, graph, made, ours)
                wrong += [f"seed {seed}: {made}: {line}" for line in lines]
        seed += 1
        tell(f"{verdicts.total():,} candidates, {len(wrong)} differences")
    return wrong, verdicts


def main(arguments: list[str] | None = None) -> int:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(
        prog="python -m checks.oracles.candidates", description=__doc__
    )
    parser.add_argument("--candidates", type=int, default=2000, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first graph")
    chosen = parser.parse_args(arguments)
    wrong, verdicts = hunt(chosen.seed, chosen.candidates, say)
    for text in (*wrong[:20], *(f"{n:8,}  {reason}" for reason, n in verdicts.most_common())):
        say(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
