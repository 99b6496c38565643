"""Small random knowledge graphs with mining options, each a function of one seed.

Uniformly random facts exercise little of a rule miner: bodies of three atoms are empty, no rule
is perfect, no two rules have equal confidence. So relations are made by recipes that plant what
real graphs have (inverses, copies, compositions, functional relations, ...) and that sit on the
edges of definitions (loops, reflexive relations, equal confidences, rare relations).

Guarantees: `random_case(seed)` depends on nothing but the seed; the cost of mining a case by
brute force is bounded by trading atoms for relations and facts.
"""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

Triple = tuple[str, str, str]
Pairs = set[tuple[int, int]]

_ODD_FRACTIONS = (0.0, 1 / 3, 2 / 3, 1 / 7, 3 / 7, 5 / 6, 0.07, 0.55, 0.999)
_CONFIDENCES = (*(tenths / 10 for tenths in range(1, 11)), *_ODD_FRACTIONS)
_COVERAGES = (0.05, 0.25, 0.75, *_CONFIDENCES)


@dataclass(frozen=True)
class Options:
    """Mining options, named as the miner names them."""

    max_atoms: int
    min_head_coverage: float
    min_std_confidence: float
    min_pca_confidence: float
    min_initial_support: int
    head_relations: tuple[str, ...] = ()
    body_relations: tuple[str, ...] = ()
    exclude_relations: tuple[str, ...] = ()
    max_recursion: int = 3
    skyline: bool = True
    perfect_pruning: bool = True
    injective: bool = False


@dataclass(frozen=True)
class Case:
    """A graph, as the lines of a file (in order, with duplicates), and options."""

    name: str
    triples: tuple[Triple, ...]
    options: Options

    def to_tsv(self) -> str:
        return "".join("\t".join(triple) + "\n" for triple in self.triples)

    def write(self, path: Path) -> None:
        """Write as JSON, a triple a line."""
        fields = {"name": self.name, "options": asdict(self.options)}
        head = json.dumps(fields, indent=1)[:-2]
        rows = ",\n".join("  " + json.dumps(triple) for triple in self.triples)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'{head},\n "triples": [\n{rows}\n ]\n}}\n', encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "Case":
        fields = json.loads(path.read_text(encoding="utf-8"))
        triples = tuple((s, r, o) for s, r, o in fields["triples"])
        options = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in fields["options"].items()
        }
        return cls(fields["name"], triples, Options(**options))


def random_case(seed: int) -> Case:
    """The case of a seed."""
    rng = Random(seed)
    max_atoms = rng.choices((2, 3, 4, 5), weights=(8, 40, 48, 4))[0]
    if max_atoms == 3 and rng.random() < 0.25:
        # Wide: row numbers beyond one machine word, few facts for each entity.
        entities, relations, facts = rng.randint(60, 140), rng.randint(1, 4), rng.randint(40, 130)
    elif max_atoms <= 3:
        entities, relations, facts = rng.randint(3, 12), rng.randint(1, 6), rng.randint(4, 36)
    elif max_atoms == 4:
        relations = rng.choice((1, 2, 2, 2, 3, 3, 4))
        entities, facts = rng.randint(3, 12), rng.randint(3, 48 // relations)
    else:
        entities, relations, facts = rng.randint(3, 6), rng.randint(1, 2), rng.randint(2, 8)
    triples = _graph(entities, relations, facts, rng)
    options = _random_options(triples, max_atoms, rng)
    if 3 <= max_atoms <= 4 and rng.random() < 0.15:
        triples = _obstacle(rng)
        options = replace(
            options,
            min_head_coverage=rng.choice((0.2, 0.3)),
            min_std_confidence=math.nextafter(_confidence(triples, "p", "h"), 1),
            min_pca_confidence=0.01,
            min_initial_support=rng.randint(1, 3),
        )
    return Case(f"seed {seed}", _shuffled_lines(triples, rng), options)


def random_variant(seed: int) -> Case:
    """The case of a seed, with other options than the usual ones for what is searched."""
    case = random_case(seed)
    rng = Random(f"variant {seed}")
    relations = sorted({relation for _, relation, _ in case.triples})

    def some() -> tuple[str, ...]:
        return tuple(rng.sample(relations, rng.randint(0, len(relations))))

    options = replace(
        case.options,
        head_relations=some() if rng.random() < 0.3 else (),
        body_relations=some() if rng.random() < 0.3 else (),
        exclude_relations=some()[:1] if rng.random() < 0.2 else (),
        max_recursion=rng.choice((1, 2, 2, 3, 3, 4, 5)),
        skyline=rng.random() < 0.5,
        perfect_pruning=rng.random() < 0.5,
        injective=rng.random() < 0.4,
    )
    return replace(case, name=f"variant {seed}", options=options)


def _random_options(triples: set[Triple], max_atoms: int, rng: Random) -> Options:
    """Thresholds, often lenient (many rules), often strict for one measure only.

    Low head coverage is kept from the long rules of many relations: too many to enumerate.
    """
    many = max_atoms >= 4 and len({relation for _, relation, _ in triples}) >= 3
    coverages = [c for c in _COVERAGES if c >= 0.2 or not many]
    low_coverages = (0.2, 0.25) if many else (0.01, 0.1)
    profile = rng.choice(("lenient", "strict", "standard", "standard", "pca"))
    strict_std, strict_pca = profile in ("strict", "standard"), profile in ("strict", "pca")
    confidences = (*_CONFIDENCES, *_edges(triples, rng))
    return Options(
        max_atoms=max_atoms,
        min_head_coverage=rng.choice(low_coverages if rng.random() < 0.5 else coverages),
        min_std_confidence=rng.choice(confidences if strict_std else (0.01, 0.1)),
        min_pca_confidence=rng.choice(confidences if strict_pca else (0.01, 0.1)),
        min_initial_support=rng.choice((1, 1, 1, 2, 2, 3, 4, 5, 6)),
    )


def _edges(triples: set[Triple], rng: Random) -> list[float]:
    """Thresholds that some rules meet exactly, and the next larger numbers, which they miss."""
    relations = sorted({relation for _, relation, _ in triples})
    edges = []
    for _ in range(10):
        first, second = rng.choice(relations), rng.choice(relations)
        confidence = _confidence(triples, first, second)
        if 0 < confidence < 1:
            edges += [confidence, math.nextafter(confidence, 1)]
    return edges


def _confidence(triples: set[Triple], body: str, head: str) -> float:
    """The standard confidence of body(0, 1) => head(0, 1)."""
    holds = {(s, o) for s, relation, o in triples if relation == body}
    return sum((s, head, o) in triples for s, o in holds) / len(holds)


def _obstacle(rng: Random) -> set[Triple]:
    """A graph in which the first parent of a rule decides whether AMIE prints the rule.

    p => h has a high PCA confidence, but so low a standard confidence, thanks to subjects that h
    does not have, that it is not output. The rules of p and q together tend to have a PCA confidence
    that is not above that of p => h.
    """
    subjects, strangers = range(6), range(6, 10)
    h = {(s, rng.choice((10, 11))) for s in subjects}
    wrong = {(s, 12) for s in subjects if rng.random() < 0.5}
    p = {pair for pair in sorted(h) if rng.random() < 0.8} | wrong
    p |= {(s, rng.randint(10, 13)) for s in strangers for _ in range(4)}
    q = {pair for pair in sorted(p) if pair[0] in subjects and rng.random() < 0.7}
    if rng.random() < 0.4:  # q is such a relation itself: no parent lets their rule pass
        q |= {(s, rng.randint(14, 17)) for s in strangers for _ in range(5)}
    else:
        q |= {(s, 13) for s in subjects if rng.random() < 0.8}
    tables = {"h": h, "p": p, "q": q}
    if rng.random() < 0.5:  # longer rules as good as those of p and q: their fate hangs on them
        tables["r"] = (p & q) | {pair for pair in sorted(p | q) if rng.random() < 0.5}
    return {(f"e{s}", name, f"e{o}") for name, table in tables.items() for s, o in table}


def _shuffled_lines(triples: set[Triple], rng: Random) -> tuple[Triple, ...]:
    lines = sorted(triples)
    if rng.random() < 0.3:
        lines += rng.choices(lines, k=rng.randint(1, 5))
    rng.shuffle(lines)
    return tuple(lines)


def _graph(entities: int, relations: int, facts: int, rng: Random) -> set[Triple]:
    """A non-empty graph of at most so many entities, relations, and about so many facts each."""
    entity_names = [f"e{number}" for number in rng.sample(range(200), entities)]
    relation_names = [f"r{number}" for number in rng.sample(range(100), relations)]
    if rng.random() < 0.1:
        entity_names[0] = relation_names[0]  # entities and relations are named apart
    tables: list[Pairs] = []
    for _ in relation_names:
        recipe = rng.choice(_PLAIN if not tables or rng.random() < 0.35 else _DERIVED)
        table = recipe(_Setting(range(entities), facts, tuple(filter(None, tables)), rng))
        tables.append(set(rng.sample(sorted(table), min(len(table), 2 * facts + 2))))
    if not any(tables):
        tables[0] = {(0, entities - 1)}
    return {
        (entity_names[s], relation, entity_names[o])
        for relation, table in zip(relation_names, tables, strict=True)
        for s, o in table
    }


@dataclass(frozen=True)
class _Setting:
    """What a recipe makes a relation of: entities, a size, the relations so far, chance."""

    entities: range
    facts: int
    tables: tuple[Pairs, ...]
    rng: Random

    def entity(self) -> int:
        return self.rng.choice(self.entities)

    def earlier(self) -> Pairs:
        return self.rng.choice(self.tables) if self.tables else uniform(self)

    def part(self, pairs: Pairs) -> Pairs:
        """A random part of some pairs, now and then all of them."""
        share = self.rng.choice((0.3, 0.6, 0.8, 0.9, 1.0))
        return {pair for pair in sorted(pairs) if self.rng.random() < share}


def uniform(on: _Setting) -> Pairs:
    """Any pairs, loops included."""
    return {(on.entity(), on.entity()) for _ in range(on.facts)}


def loop_free(on: _Setting) -> Pairs:
    return {(s, o) for s, o in uniform(on) if s != o}


def loops(on: _Setting) -> Pairs:
    """Nothing but loops."""
    return {(s, s) for s, _ in uniform(on)}


def reflexive(on: _Setting) -> Pairs:
    """Every entity with itself, and some more pairs."""
    return {(e, e) for e in on.entities} | on.part(uniform(on))


def functional(on: _Setting) -> Pairs:
    return {(s, on.entity()) for s in on.entities}


def inverse_functional(on: _Setting) -> Pairs:
    return {(on.entity(), o) for o in on.entities}


def star(on: _Setting) -> Pairs:
    """One hub, in one direction or both."""
    hub = on.entity()
    rays = {(hub, e) for e in on.entities} if on.rng.random() < 0.5 else set()
    return rays | {(e, hub) for e in on.entities} if not rays or on.rng.random() < 0.3 else rays


def bipartite(on: _Setting) -> Pairs:
    """All pairs of two random sets: many ways to satisfy every body."""
    lefts = {on.entity() for _ in range(3)}
    return {(s, o) for s in lefts for o in {on.entity() for _ in range(3)}}


def cycle(on: _Setting) -> Pairs:
    length = on.rng.randint(1, len(on.entities))
    return {(e, (e + 1) % length) for e in range(length)}


def rare(on: _Setting) -> Pairs:
    """A fact or two: too few for a head under most thresholds, still of use in bodies."""
    return {(on.entity(), on.entity()) for _ in range(on.rng.randint(1, 2))}


def copy(on: _Setting) -> Pairs:
    """The same facts under another name: rules of confidence 1 in both directions."""
    return set(on.earlier())


def subset(on: _Setting) -> Pairs:
    return on.part(on.earlier())


def superset(on: _Setting) -> Pairs:
    return on.earlier() | on.part(uniform(on))


def inverse(on: _Setting) -> Pairs:
    return on.part({(o, s) for s, o in on.earlier()})


def symmetric(on: _Setting) -> Pairs:
    pairs = on.earlier()
    return pairs | {(o, s) for s, o in pairs}


def composition(on: _Setting) -> Pairs:
    """Paths of two steps, some missing: the classic rule of three atoms."""
    first, second = on.earlier(), on.earlier()
    return on.part({(a, c) for a, b in first for b_, c in second if b == b_})


def common_end(on: _Setting) -> Pairs:
    """Pairs that have an object (or, by inverses, a subject) in common."""
    first, second = on.earlier(), on.earlier()
    return on.part({(a, b) for a, c in first for b, c_ in second if c == c_})


def long_path(on: _Setting) -> Pairs:
    """Paths of three steps, some missing: a rule of four atoms."""
    first, second, third = on.earlier(), on.earlier(), on.earlier()
    middle = {(a, c) for a, b in first for b_, c in second if b == b_}
    return on.part({(a, d) for a, c in middle for c_, d in third if c == c_})


def union(on: _Setting) -> Pairs:
    return on.earlier() | on.part(on.earlier())


def intersection(on: _Setting) -> Pairs:
    return on.earlier() & on.earlier()


def complement(on: _Setting) -> Pairs:
    """The pairs that another relation lacks: no rule joins the two."""
    pairs = on.earlier()
    return on.part({(s, o) for s in on.entities for o in on.entities} - pairs)


def noisy(on: _Setting) -> Pairs:
    """Most of another relation and a few wrong facts: confidences just below 1."""
    return on.part(on.earlier()) | rare(on)


def spread(on: _Setting) -> Pairs:
    """Another relation and many facts of subjects (or of objects) that have none there.

    Predicted by it, the other one has a high PCA and a low standard confidence: the kind of rule
    that is not output but still stands in the way of what is generated from it first.
    """
    pairs = on.earlier()
    end = on.rng.randint(0, 1)
    known = {pair[end] for pair in pairs}
    more = {pair for _ in range(4) for pair in uniform(on) if pair[end] not in known}
    return on.part(pairs) | more | on.part(rare(on))


Recipe = Callable[[_Setting], Pairs]
_PLAIN: tuple[Recipe, ...] = (
    *(uniform, uniform, uniform, loop_free, loop_free, functional, inverse_functional),
    *(loops, reflexive, star, bipartite, cycle, rare),
)
_DERIVED: tuple[Recipe, ...] = (
    *(copy, subset, superset, inverse, symmetric, composition, composition, common_end),
    *(long_path, union, intersection, complement, noisy, noisy, spread, spread, spread),
)
