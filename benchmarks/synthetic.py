"""Synthetic knowledge graphs with skewed degrees and planted rules of known confidence, for benchmarks.

Usage: python benchmarks/synthetic.py TRIPLES FILE [--relations 200] [--shape even|wikidata] [--seed 1]

A graph has planted relations, with rules, and other relations, without. Entities, a tenth as many as triples,
occur in a relation by Zipf's law (the i-th most frequent one in proportion to i^-0.6), and every relation has
its own hubs; the sizes of the other relations fall with i^-0.5.

In the shape of Wikidata they fall with i^-1, and a twentieth of the triples is planted. The objects of a
relation are all entities or down to a 4096th of them, the i-th most frequent one in proportion to i^-0.875,
so that some hub has 2 to 5 % of the triples.

Guarantees: exactly the requested number of distinct triples; the same arguments give the same bytes
everywhere (all draws come from `rulemine.seeds`); a planted rule has its standard confidence up to
rounding, and random triples only add to it; triples are made and written relation by relation, never
all held in memory.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.files import write_stream
from rulemine.query.atom import Atom
from rulemine.rules.rule import Rule
from rulemine.seeds import Stream, stream

Ints = npt.NDArray[np.int64]

TYPES = {"symmetry": 1, "inversion": 2, "hierarchy": 2, "composition": 3}
"""Type of a planted rule → number of its relations."""

RULES = (
    ("symmetry", 0.9), ("inversion", 0.8), ("hierarchy", 0.7), ("composition", 0.6),
    ("symmetry", 0.5), ("inversion", 0.4), ("hierarchy", 0.3), ("composition", 0.8),
)  # fmt: skip
"""Type and standard confidence of the planted rules."""

SHAPES = {"even": 0.5, "wikidata": 0.05}
"""Shape of a graph → the approximate fraction of its triples that belong to relations of planted rules."""

CHANCE_SHARE = 0.2
"""Triples of a rule's head relation that do not follow from the rule, per triple that does."""

FANNED_IN = 20
"""Subjects per middle entity of a composition, on average."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A rule that holds in the graph.

    Attributes:
        type: One of `TYPES`.
        confidence: Its standard confidence, 0 < confidence ≤ 1.
        rule: The rule, without measures.
    """

    type: str
    confidence: float
    rule: Rule


class Synthetic:
    """A synthetic graph, made relation by relation.

    Args:
        triples: Number of distinct triples.
        relations: Number of relations.
        seed: Seed of all draws.
        shape: One of `SHAPES`.

    Attributes:
        planted: The planted rules.
    """

    def __init__(
        self, triples: int, relations: int = 200, seed: int = 0, *, shape: str = "even"
    ) -> None:
        needed = sum(TYPES[kind] for kind, _ in RULES) + 1
        if relations < needed or triples < max(100 * relations, 5000):
            raise ValueError(f"expected {needed} relations, and 5,000 and 100 triples for each")
        self.triples, self.relations, self.seed = triples, relations, seed
        self._planted_share, self._hubs = SHAPES[shape], shape == "wikidata"
        self.entities = max(500, triples // 10)
        self._width = len(str(self.entities - 1))
        self._relation_width = len(str(relations - 1))
        self.planted = tuple(self._plant())

    def _plant(self) -> Iterator[Planted]:
        at = 0
        for kind, confidence in RULES:
            names = [self._relation_name(at + i) for i in range(TYPES[kind])]
            yield Planted(kind, confidence, _rule(kind, names))
            at += len(names)

    def _relation_name(self, number: int) -> str:
        return f"r{number:0{self._relation_width}d}"

    def relation_facts(self) -> Iterator[tuple[int, Ints]]:
        """The triples, relation by relation.

        Yields:
            The number of the relation, and its pairs: int64, shape (n, 2), subject and object,
            distinct, sorted.
        """
        left, at = self.triples, 0
        bodies = int(self.triples * self._planted_share) // max(1, 2 * len(self.planted))
        for number, planted in enumerate(self.planted):
            draws = stream(self.seed, "synthetic", "planted", number)
            for facts in _facts_of(planted, bodies, self.entities, draws):
                yield at, facts
                at, left = at + 1, left - len(facts)
        for size in _zipf_sizes(left, self.relations - at, steep=self._hubs):
            draws = stream(self.seed, "synthetic", "relation", at)
            objects = max(100, self.entities >> 2 * draws.below(7)) if self._hubs else None
            yield at, _distinct(size, self.entities, draws, objects)
            at += 1

    def lines(self) -> Iterator[bytes]:
        """Yields the triples as TSV, in large pieces; all lines have the same length."""
        for number, facts in self.relation_facts():
            for start in range(0, len(facts), 1 << 18):
                some = facts[start : start + (1 << 18)]
                middle = f"\t{self._relation_name(number)}\t".encode()
                table = np.empty((len(some), 2 * self._width + len(middle) + 3), np.uint8)
                after = 1 + self._width
                self._put_names(table[:, :after], some[:, 0])
                table[:, after : after + len(middle)] = np.frombuffer(middle, np.uint8)
                self._put_names(table[:, after + len(middle) : -1], some[:, 1])
                table[:, -1] = ord("\n")
                yield table.tobytes()

    def _put_names(self, table: npt.NDArray[np.uint8], ids: Ints) -> None:
        table[:, 0] = ord("e")
        rest = ids.copy()
        for column in range(self._width, 0, -1):
            rest, digit = np.divmod(rest, 10)
            table[:, column] = digit + ord("0")


def write_synthetic(graph: Synthetic, path: Path) -> None:
    """Writes a graph as TSV, compressed when the name ends in .gz."""
    write_stream(path, graph.lines())


def _rule(kind: str, names: Sequence[str]) -> Rule:
    """A rule of a type; the head relation is the last of the names."""
    body = {
        "symmetry": (Atom(1, names[0], 0),),
        "inversion": (Atom(1, names[0], 0),),
        "hierarchy": (Atom(0, names[0], 1),),
        "composition": (Atom(0, names[0], 2), Atom(2, names[-2:][0], 1)),
    }[kind]
    return Rule(Atom(0, names[-1], 1), body).canonical()


def _facts_of(planted: Planted, size: int, entities: int, draws: Stream) -> Iterator[Ints]:
    """Yields the pairs of each relation of a planted rule, body first."""
    if planted.type == "symmetry":
        # With a fraction p of m pairs in both directions, 2pm of m + pm pairs have their inverse.
        once = _distinct(size, entities, draws)
        once = _unique(np.sort(once[once[:, 0] != once[:, 1]], axis=1), entities)
        both = _some(once, planted.confidence / (2 - planted.confidence), draws)
        yield _unique(np.concatenate((once, both[:, ::-1])), entities)
        return
    if planted.type == "composition":
        # One middle entity per subject and one object per middle: as many body pairs as subjects.
        first = np.empty((min(size, entities // 2), 2), np.int64)
        first[:, 0] = np.sort(draws.permutation(entities)[: len(first)])
        first[:, 1] = _zipf(len(first), max(1, len(first) // FANNED_IN), draws)
        middles = distinct(first[:, 1])
        second = np.column_stack((middles, _zipf(len(middles), entities, draws)))
        yield first
        yield second
        pairs = np.column_stack((first[:, 0], second[np.searchsorted(middles, first[:, 1]), 1]))
    else:
        pairs = _distinct(size, entities, draws)
        yield pairs
        if planted.type == "inversion":
            pairs = pairs[:, ::-1]
    held = _some(pairs, planted.confidence, draws)
    chance = _distinct(int(CHANCE_SHARE * len(held)) + 1, entities, draws)
    yield _unique(np.concatenate((held, chance)), entities)


def _some(rows: Ints, share: float, draws: Stream) -> Ints:
    """A fraction of some rows, rounded, drawn uniformly."""
    return rows[np.sort(draws.permutation(len(rows))[: round(share * len(rows))])]


def _zipf(n: int, bound: int, draws: Stream) -> Ints:
    """Numbers below a bound, i approximately in proportion to i^-0.6."""
    drawn = draws.uniform(n)
    # The power 2.5 = 1 / (1 - 0.6), from operations that are exactly rounded everywhere.
    found = (drawn * drawn * np.sqrt(drawn) * bound).astype(np.int64)
    return np.minimum(found, bound - 1)


def _spread(ranks: Ints, entities: int, draws: Stream) -> Ints:
    """Maps ranks to entities one-to-one, so that every relation has hubs of its own."""
    factor = draws.below(entities) | 1
    while math.gcd(factor, entities) > 1:
        factor += 2
    return (ranks * (factor % entities) + draws.below(entities)) % entities


def _steep(n: int, bound: int, draws: Stream) -> Ints:
    """Numbers below a bound, i approximately in proportion to i^-0.875."""
    power = draws.uniform(n)
    for _ in range(3):
        power *= power  # the power 8 = 1 / (1 - 0.875), see `_zipf`
    return np.minimum((power * bound).astype(np.int64), bound - 1)


def _distinct(n: int, entities: int, draws: Stream, few: int | None = None) -> Ints:
    """`n` distinct pairs with skewed ends, sorted; with few objects, if so many are given, and hubs."""
    subjects, objects = _stream_of(draws), _stream_of(draws)
    found = np.empty(0, np.int64)
    while len(found) < n:
        more = _zipf(n, entities, draws) * entities
        more += _steep(n, few, draws) if few else _zipf(n, entities, draws)
        both = np.concatenate((found, more))
        first = np.sort(np.unique(both, return_index=True)[1])[:n]
        found = both[first]
    pairs = np.column_stack(
        (
            _spread(found // entities, entities, subjects),
            _spread(found % entities, entities, objects),
        )
    )
    return _unique(pairs, entities)


def _stream_of(draws: Stream) -> Stream:
    """A new stream, seeded by the next number of another."""
    return stream(draws.below(2**53), "synthetic", "spread")


def _unique(pairs: Ints, entities: int) -> Ints:
    keys = distinct(pairs[:, 0] * entities + pairs[:, 1])
    return np.column_stack((keys // entities, keys % entities))


def _zipf_sizes(total: int, relations: int, *, steep: bool) -> list[int]:
    """Sizes of relations by Zipf's law; each at least one, together `total`."""
    ranks = np.arange(1, relations + 1)
    weights = 1 / (ranks if steep else np.sqrt(ranks))
    ends = np.round(np.cumsum(weights) / weights.sum() * (total - relations)).astype(np.int64)
    sizes: list[int] = (np.diff(ends, prepend=0) + 1).tolist()
    return sizes


def main() -> None:
    """Writes the graph that is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("triples", type=int)
    parser.add_argument("file", type=Path)
    parser.add_argument("--relations", type=int, default=200)
    parser.add_argument("--shape", choices=SHAPES, default="even")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    write_synthetic(
        Synthetic(given.triples, given.relations, given.seed, shape=given.shape), given.file
    )


if __name__ == "__main__":
    main()
