"""Near-duplicate and near-inverse relations: another relation states most of their triples as well.

Where a triple of such a relation is removed and its restatement stays, the answer can be read off it.

Guarantees: fractions are counted on the complete graph; a relation overlaps with itself only inversely,
when it is symmetric. What merely looks so (`undeclared_relations`) is reported and never applied; what the
triples bear out with little doubt (`found_declarations`) may be declared.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

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
    sizes = kg.relation_sizes() if loops else _sizes_without_loops(kg)
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


def _sizes_without_loops(kg: KnowledgeGraph) -> npt.NDArray[np.int64]:
    loops = kg.triples[kg.triples[:, 0] == kg.triples[:, 2], 1]
    sizes: npt.NDArray[np.int64] = kg.relation_sizes() - np.bincount(
        loops, minlength=len(kg.relations)
    )
    return sizes


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
    sizes = dict(zip(kg.relations, _sizes_without_loops(kg).tolist(), strict=True))
    shares = {
        (o.relation, o.other, o.reversed): o.share for o in overlapping_relations(kg, loops=False)
    }
    found = []
    for (a, b, turned), share in shares.items():
        if a > b or min(sizes[a], sizes[b]) < LEAST_TRIPLES or (b, a, turned) not in shares:
            continue
        if not _is_declared(a, b, turned, declared):
            if turned and a != b and (a, b, False) in shares and (b, a, False) in shares:
                continue  # two symmetric relations: the same, and each symmetric
            looks = "symmetric" if a == b else "inverse" if turned else "same"
            lower = min(share, shares[b, a, turned])
            found.append(Lookalike(a, b, looks, round(lower, 3)))
    return tuple(sorted(found))


def _is_declared(one: str, other: str, turned: bool, declared: Declarations) -> bool:
    """Whether two relations are declared to state the same facts, in this direction."""
    a, b = declared[one], declared[other]
    return a.fact == b.fact and (a.symmetric or (a.reversed != b.reversed) == turned)


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
    sizes = dict(zip(kg.relations, _sizes_without_loops(kg).tolist(), strict=True))
    sure: dict[tuple[str, str, bool], tuple[int, int]] = {}
    for a, b, turned, share in overlapping_relations(kg, loops=False):
        count = (round(share * sizes[a]), sizes[a])
        if sizes[a] >= FOUND_TRIPLES and least_share(*count) >= FOUND_SHARE:
            sure[a, b, turned] = count
    found = []
    for (a, b, turned), count in sure.items():
        back = sure.get((b, a, turned))
        if _is_declared(a, b, turned, declared or Declarations()) or (back and a > b):
            continue
        if turned and a != b and (a, b, False) in sure and (not back or (b, a, False) in sure):
            continue  # one of them is symmetric
        if a == b:
            found.append(FoundDeclaration(a, b, "symmetric", (count,)))
        elif back:
            looks = "inverse" if turned else "same"
            found.append(FoundDeclaration(a, b, looks, (count, back)))
        else:
            looks = "narrower_inverse" if turned else "narrower"
            found.append(FoundDeclaration(a, b, looks, (count,)))
    return tuple(sorted(found))


def declared_by(found: Iterable[FoundDeclaration]) -> Declarations:
    """What is declared by what is found."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    for row in found:
        pairs.setdefault(row.looks, []).append((row.relation, row.other))
    symmetric = [one for one, _ in pairs.get("symmetric", ())]
    return Declarations.of(symmetric, pairs.get("inverse", ()), pairs.get("same", ()))


def least_share(hits: int, tries: int) -> float:
    """The lower end of the 95 % Wilson interval of a fraction."""
    p, z = hits / tries, Z95 * Z95 / tries
    return (p + z / 2 - math.sqrt(z * (p * (1 - p) + z / 4))) / (1 + z)
