"""Near-duplicate and near-inverse relations: another relation states most of their triples as well.

Where a triple of such a relation is removed and its restatement stays, the answer can be read off it.

Guarantees: fractions are counted on the complete graph; a relation overlaps with itself only inversely,
when it is symmetric. What merely looks so (`undeclared_relations`) is reported and never applied; what the
triples bear out with little doubt (`found_declarations`) may be declared.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph

__all__ = [
    "LEAST_SHARE", "FoundDeclaration", "Lookalike", "RelationOverlap", "declared_by", "found_declarations",
    "least_share", "overlapping_relations", "undeclared_relations",
]  # fmt: skip

Ints = npt.NDArray[np.int64]

LEAST_SHARE = 0.8
"""Least fraction of a relation's triples that the other one states; less says little of the other."""

LEAST_TRIPLES = 10
"""Fewest triples of a relation that is reported to look symmetric, inverse or the same."""

FOUND_SHARE = 0.9
"""Least fraction of a relation's triples that a found declaration states: the lower end of its interval."""

FOUND_TRIPLES = 30
"""Fewest triples, self-loops aside, of a relation about which a declaration is found."""

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: for intervals that hold with 95 %."""


class RelationOverlap(NamedTuple):
    """A relation, and another one that states at least `LEAST_SHARE` of its triples.

    Attributes:
        relation: The relation.
        other: The other one.
        reversed: Whether the other one states them from object to subject (near-inverse).
        share: The fraction of the relation's triples that the other one states.
    """

    relation: str
    other: str
    reversed: bool
    share: float


def overlapping_relations(kg: KnowledgeGraph, loops: bool = True) -> tuple[RelationOverlap, ...]:
    """All overlapping relations of a graph, sorted.

    Args:
        kg: The graph.
        loops: Whether self-loops count.
    """
    found: list[RelationOverlap] = []
    sizes = _sizes(kg, loops)
    for turned, codes in zip((False, True), _restated(kg, loops), strict=True):
        both, shared = np.unique(codes, return_counts=True)
        one, other = np.divmod(both, max(1, len(kg.relations)))
        share = shared / sizes[one]
        keep = (share >= LEAST_SHARE) & (turned | (one != other))
        found += [
            RelationOverlap(kg.relations[a], kg.relations[b], turned, float(part))
            for a, b, part in zip(one[keep], other[keep], share[keep], strict=True)
        ]
    return tuple(sorted(found))


def _sizes(kg: KnowledgeGraph, loops: bool) -> Ints:
    kept = kg.triples[loops | (kg.triples[:, 0] != kg.triples[:, 2]), 1]
    return np.bincount(kept, minlength=len(kg.relations))


def _restated(kg: KnowledgeGraph, loops: bool) -> tuple[Ints, Ints]:
    """The relations of each two triples of which one restates the other, in both orders.

    Returns:
        First · number of relations + second: where the direction is the same, and where it is the other one.
        A self-loop has both directions, and restates itself in the other one.
    """
    beside = kg.triples[kg.beside_others]
    beside = beside if loops else beside[beside[:, 0] != beside[:, 2]]
    s, r, o = beside.T.astype(np.int64)
    pairs = np.minimum(s, o) * max(1, len(kg.entities)) + np.maximum(s, o)
    order = np.argsort(pairs)
    pairs, r, way = pairs[order], r[order], np.sign(o - s)[order]
    relations, itself = len(kg.relations), r[way == 0]
    same, turned = [r[:0]], [itself * relations + itself]
    # One triple after another of each pair: few steps, as few relations share a pair.
    at = np.arange(len(pairs))
    for step in range(1, len(pairs)):
        at = at[: np.searchsorted(at, len(pairs) - step)]
        at = at[pairs[at] == pairs[at + step]]
        if not len(at):
            break
        one, other = r[at], r[at + step]
        codes = np.stack((one * relations + other, other * relations + one))
        same.append(codes[:, way[at] == way[at + step]].ravel())
        turned.append(codes[:, way[at] == -way[at + step]].ravel())
    return np.concatenate(same), np.concatenate(turned)


class Lookalike(NamedTuple):
    """Two relations that look like statements of the same facts, or one that looks symmetric.

    Attributes:
        relation: The first by name.
        other: The other one; the same where it looks symmetric.
        looks: ``symmetric``, ``inverse`` or ``same``, as template files call it.
        share: The fraction of the triples of each that the other one states, the lower of the two,
            rounded to three decimals.
    """

    relation: str
    other: str
    looks: str
    share: float


def undeclared_relations(kg: KnowledgeGraph, declared: Declarations) -> tuple[Lookalike, ...]:
    """The relations that look symmetric, inverse or the same but are not declared to be, sorted.

    Each states at least `LEAST_SHARE` of the triples of the other one. Self-loops do not count, nor do
    relations with fewer than `LEAST_TRIPLES` triples.
    """
    sizes = dict(zip(kg.relations, _sizes(kg, loops=False).tolist(), strict=True))
    shares = {tuple(row[:3]): row.share for row in overlapping_relations(kg, loops=False)}
    found = [
        Lookalike(a, b, _looks(a, b, turned), round(min(own, back), 3))
        for a, b, turned, own, back in _undeclared(shares, declared)
        if back and min(sizes[a], sizes[b]) >= LEAST_TRIPLES
    ]
    return tuple(sorted(found))


def _undeclared(shares: Mapping[Any, Any], declared: Declarations) -> Iterator[Any]:
    """Two relations, whether turned, and what is known of the first and the other, not declared so.

    What is known of both directions comes once, that of the other is None where nothing is.
    """
    for (a, b, turned), own in shares.items():
        back, one, other = shares.get((b, a, turned)), declared[a], declared[b]
        same = one.symmetric or (one.reversed != other.reversed) == turned
        if (back and a > b) or (one.fact == other.fact and same):
            continue
        if turned and a != b and (a, b, False) in shares and (not back or (b, a, False) in shares):
            continue  # one of them is symmetric, and they are the same
        yield a, b, turned, own, back


def _looks(a: str, b: str, turned: bool) -> str:
    return "symmetric" if a == b else "inverse" if turned else "same"


class FoundDeclaration(NamedTuple):
    """A declaration that the triples of a graph bear out.

    Attributes:
        relation: The first by name; of ``narrower``, the one whose triples the other one states.
        other: The other one; the same where it is symmetric.
        looks: ``symmetric``, ``inverse`` or ``same``, which are declared; ``narrower`` or
            ``narrower_inverse``, where only the other one states the triples of the first (from object to
            subject), which is no declaration.
        counts: How many of how many triples the other relation states, self-loops aside: of `relation`; for
            ``inverse`` and ``same`` also of `other`.
    """

    relation: str
    other: str
    looks: str
    counts: tuple[tuple[int, int], ...]

    @property
    def declares(self) -> bool:
        """Whether it is a declaration."""
        return not self.looks.startswith("narrower")


def found_declarations(
    kg: KnowledgeGraph, declared: Declarations | None = None
) -> tuple[FoundDeclaration, ...]:
    """The declarations that the triples of a graph bear out in each direction that they state, sorted.

    A direction is borne out if at least `FOUND_TRIPLES` triples join different entities, and if the 95 %
    Wilson interval of the fraction of them that the other relation states begins at `FOUND_SHARE` or above
    (E. B. Wilson, Probable Inference, JASA 22, 1927).

    Args:
        kg: The complete graph.
        declared: What is declared already, and not found again.
    """
    sizes = dict(zip(kg.relations, _sizes(kg, loops=False).tolist(), strict=True))
    sure: dict[tuple[str, str, bool], tuple[int, int]] = {}
    for a, b, turned, share in overlapping_relations(kg, loops=False):
        count = (round(share * sizes[a]), sizes[a])
        if sizes[a] >= FOUND_TRIPLES and least_share(*count) >= FOUND_SHARE:
            sure[a, b, turned] = count
    found = []
    for a, b, turned, own, back in _undeclared(sure, declared or Declarations()):
        looks = _looks(a, b, turned) if back else "narrower" + "_inverse" * turned
        found.append(FoundDeclaration(a, b, looks, (own, back) if back and a != b else (own,)))
    return tuple(sorted(found))


def declared_by(found: Iterable[FoundDeclaration]) -> Declarations:
    """What is declared by what is found."""
    rows = sorted(found)
    inverse, same = (
        [(row.relation, row.other) for row in rows if row.looks == looks]
        for looks in ("inverse", "same")
    )
    return Declarations.of([r.relation for r in rows if r.looks == "symmetric"], inverse, same)


def least_share(hits: int, tries: int) -> float:
    """The lower end of the 95 % Wilson interval of a fraction."""
    p, z = hits / tries, Z95 * Z95 / tries
    return (p + z / 2 - math.sqrt(z * (p * (1 - p) + z / 4))) / (1 + z)
