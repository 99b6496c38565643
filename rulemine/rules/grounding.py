"""Groundings: the substitutions under which the body and the head of a rule are in the graph.

Guarantees: a body that contains its own head triple is left out; groundings are in canonical order, by
rule, head row and body rows; a sample is uniform over all groundings of a rule, depends only on graph,
rule and seed, and is drawn from exact counts without enumerating all groundings in memory; memory is
bounded by the size of the result.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct, frame, read_arrays, write_arrays
from rulemine.errors import counted
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.rules.blocks import MapLike, Progress, by_blocks
from rulemine.rules.bodies import Bodies, BoundRule, bind_rule
from rulemine.rules.chains import Chained, Chains, chunks
from rulemine.rules.rule import Rule
from rulemine.seeds import Stream, stream

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Groundings", "ground", "read_groundings", "write_groundings"]

Ints = npt.NDArray[np.int64]

AT_ONCE = 1 << 18
"""Approximate number of groundings that are sorted at once when a sample is picked."""


@dataclass(frozen=True, eq=False)
class Groundings:
    """Groundings of rules over a graph, in canonical order: rule, head row, body rows.

    Attributes:
        rules: The rules, in the order given.
        rule: int32, shape (n,): position in `rules`.
        head: int64, shape (n,): row of ``kg.triples``.
        body: int64, shape (n, atoms of the widest body): rows of ``kg.triples`` in the order of
            ``Rule.body``, padded with −1.
        counts: int64, shape (rules,): all groundings of each rule, even if only a sample is kept.
        provable: Number of distinct head triples of all groundings, sampled or not.
        lacking: int64: positions of the rules with unknown relations, which have no
            grounding.
        excluded: Number of rules that were skipped because their head relation is excluded.
    """

    rules: tuple[Rule, ...]
    rule: npt.NDArray[np.int32]
    head: Ints
    body: Ints
    counts: Ints
    provable: int
    lacking: Ints
    excluded: int = 0

    def __len__(self) -> int:
        return len(self.head)

    def to_pandas(self, kg: KnowledgeGraph) -> "pd.DataFrame":
        """Makes a data frame with a row per grounding, in order.

        Args:
            kg: The graph of these groundings.

        Returns:
            A frame with the columns ``rule`` (its id), ``head`` and ``body 1``, ``body 2``, … in the order
            of ``Rule.body``, each a triple of labels; None where a rule has fewer atoms.

        Raises:
            UserError: pandas is not installed.

        Example:
            >>> from rulemine import KnowledgeGraph, ground
            >>> from rulemine.rules.formats import parse_readable
            >>> kg = KnowledgeGraph.from_triples([("ann", "wife", "bob"), ("bob", "husband", "ann")])
            >>> found = ground(kg, [parse_readable("wife(y,x) ⇒ husband(x,y)")])
            >>> found.to_pandas(kg)["head"].tolist()
            [('bob', 'husband', 'ann')]
        """
        ids = [rule.id for rule in self.rules]
        columns: dict[str, list[object]] = {
            "rule": [ids[number] for number in self.rule.tolist()],
            "head": list(kg.labeled(self.head)),
        }
        for place, rows in enumerate(self.body.T, start=1):
            there = iter(kg.labeled(rows[rows >= 0]))
            columns[f"body {place}"] = [next(there) if row >= 0 else None for row in rows.tolist()]
        return frame(columns)

    def describe(self) -> str:
        """Summarizes the groundings in a sentence or two."""
        text = (
            f"{counted(int(self.counts.sum()), 'grounding')} with "
            f"{counted(self.provable, 'distinct head')}"
        )
        if len(self) < self.counts.sum():
            text += f", {len(self):,} of them sampled"
        if none := int((self.counts == 0).sum()):
            text += f"; {none:,} of {counted(len(self.rules), 'rule')} have none"
        if self.excluded:
            text += f", {self.excluded:,} because their head relation is excluded"
        if len(self.lacking):
            text += f", {len(self.lacking):,} because the graph lacks a relation of theirs"
        return text


def ground(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    *,
    sample: int | None = None,
    seed: int = 0,
    excluded: Collection[str] = (),
    progress: Progress | None = None,
    run: MapLike = map,
) -> Groundings:
    """Grounds rules over a graph.

    Args:
        kg: The graph.
        rules: The rules.
        sample: Number of groundings to keep per rule, ≥ 1, drawn uniformly without replacement; None:
            all, about 50 bytes of memory each.
        seed: Seed of the sample.
        excluded: Relations whose triples are never removed; rules with such a head are treated as having
            no grounding.
        progress: Called with (rules done, all rules).
        run: Calls a function with blocks of the rules, perhaps in other processes.

    Returns:
        The groundings, or the sample of them with exact counts.
    """
    widest = max((len(rule.body) for rule in rules), default=0)
    provable = np.zeros(len(kg), bool)
    counts, kept = np.zeros((2, len(rules)), np.int64)
    heads, bodies = [np.empty(0, np.int64)], [np.empty((0, widest), np.int64)]
    lacking: list[int] = []
    parts = by_blocks(_Grounder(kg, sample, seed, excluded), rules, run, progress)
    for number, found in enumerate(chain.from_iterable(parts)):
        if found is None:
            lacking.append(number)
            continue
        provable[found.proven] = True
        counts[number], kept[number] = found.total, len(found.head)
        heads.append(found.head)
        padding = ((0, 0), (0, widest - found.body.shape[1]))
        bodies.append(np.pad(found.body, padding, constant_values=-1))
    return Groundings(
        tuple(rules),
        np.repeat(np.arange(len(rules), dtype=np.int32), kept),
        np.concatenate(heads),
        np.concatenate(bodies),
        counts,
        int(provable.sum()),
        np.array(lacking, np.int64),
        sum(rule.head.relation in excluded for rule in rules),
    )


class _Found(NamedTuple):
    """The groundings of a rule: how many, their distinct heads; head row and body rows of those kept."""

    total: int
    proven: Ints
    head: Ints
    body: Ints


class _Grounder:
    """Grounds blocks of rules; can be pickled before it is called, and keeps what all rules need."""

    def __init__(
        self, kg: KnowledgeGraph, sample: int | None, seed: int, excluded: Collection[str]
    ) -> None:
        self._kg, self._sample, self._seed, self._excluded = kg, sample, seed, excluded

    @cached_property
    def _chains(self) -> Chains:
        return Chains(Index(self._kg))

    def __call__(self, rules: Sequence[Rule]) -> list[_Found | None]:
        """The groundings of each rule; None where the graph lacks a relation of the rule."""
        return [self._of(rule, bind_rule(self._chains.index, rule)) for rule in rules]

    def _of(self, rule: Rule, bound: BoundRule | None) -> _Found | None:
        if rule.head.relation in self._excluded:
            none = np.empty(0, np.int64)
            return _Found(0, none, none, np.empty((0, len(rule.body)), np.int64))
        if bound is None:
            return None
        rows = bound.heads()
        if self._sample is None:
            head, body = _all_bodies(bound, rows)
            return _Found(len(head), distinct(head), head, body)
        draws = stream(self._seed, "ground", rule.id)
        chained = self._chains.over(bound, self._kg.triples[rows])
        if chained is not None:
            per_head, head, body = _sample_chains(chained, rows, self._sample, draws)
        else:
            per_head, head, body = _sample_bodies(bound, rows, self._sample, draws)
        return _Found(int(per_head.sum()), rows[per_head > 0], head, body)


def _all_bodies(bound: BoundRule, rows: Ints) -> tuple[Ints, Ints]:
    """Head row and body rows of all groundings with one of the given heads, in canonical order."""
    return _ordered(bound, rows, bound.bodies(bound.index.kg.triples[rows]))


def _ordered(bound: BoundRule, rows: Ints, found: Iterable[Bodies]) -> tuple[Ints, Ints]:
    """Head row and body rows of bodies that prove given heads, in canonical order."""
    none = Bodies(np.empty(0, np.int64), np.empty((0, len(bound.body)), np.int64))
    head, body = zip(none, *found, strict=True)
    return _in_order(rows[np.concatenate(head)], np.concatenate(body))


def _in_order(head: Ints, body: Ints) -> tuple[Ints, Ints]:
    """Groundings of a rule in canonical order."""
    order = np.lexsort((*body.T[::-1], head))
    return head[order], body[order]


def _sample_chains(
    over: Chained, rows: Ints, sample: int, draws: Stream
) -> tuple[Ints, Ints, Ints]:
    """Counts the groundings of a rule whose body is a chain, and draws a uniform sample.

    Only the drawn chains are enumerated: each is found by its number.

    Args:
        over: The chains over its heads.
        rows: The heads, ascending.
        sample: How many to keep.
        draws: The random stream.

    Returns:
        Number of groundings of each head; head row and body rows of the sample.
    """
    ends = np.cumsum(over.counts)
    wanted = _draw(draws, int(ends[-1]) if len(ends) else 0, sample)
    at = np.searchsorted(ends, wanted, "right")
    body = over.pick(at, wanted - (ends - over.counts)[at])
    return over.counts, *_in_order(rows[at], body)


def _sample_bodies(
    bound: BoundRule, rows: Ints, sample: int, draws: Stream
) -> tuple[Ints, Ints, Ints]:
    """Counts the groundings of a rule, and draws a uniform sample.

    Groundings are numbered in canonical order, and numbers are drawn. Where there are too many to be kept
    those that the numbers fall on are enumerated again.

    Args:
        bound: The rule.
        rows: Its heads, ascending.
        sample: How many to keep.
        draws: The random stream.

    Returns:
        Number of groundings of each head; head row and body rows of the sample.
    """
    per_head = np.zeros(len(rows), np.int64)
    kept: list[Bodies] = []
    for found in bound.bodies(bound.index.kg.triples[rows]):
        per_head += np.bincount(found.head, minlength=len(rows))
        kept = [*kept, found] if per_head.sum() <= AT_ONCE else []
    ends = np.cumsum(per_head)
    total = int(ends[-1]) if len(ends) else 0
    wanted = _draw(draws, total, sample)
    if total <= AT_ONCE:
        head, body = _ordered(bound, rows, kept)
        return per_head, head[wanted], body[wanted]
    heads, bodies = [np.empty(0, np.int64)], [np.empty((0, len(bound.body)), np.int64)]
    # Whole heads at a time: the order within a head needs all of its bodies.
    for low, high in chunks(per_head, AT_ONCE):
        before = ends[low] - per_head[low]
        mine = wanted[slice(*np.searchsorted(wanted, [before, ends[high - 1]]))] - before
        if len(mine):
            head, body = _all_bodies(bound, rows[low:high])
            heads.append(head[mine])
            bodies.append(body[mine])
    return per_head, np.concatenate(heads), np.concatenate(bodies)


def _draw(draws: Stream, total: int, sample: int) -> Ints:
    """Draws a uniform sample of 0 … total − 1, ascending; all of them if there are no more."""
    if total <= sample:
        return np.arange(total)
    if total <= 4 * sample:
        return np.sort(draws.permutation(total)[:sample])
    drawn = np.empty(0, np.int64)
    while len(drawn) < sample:
        more = (draws.uniform(sample) * total).astype(np.int64)
        drawn = np.concatenate((drawn, more))
        # The first `sample` distinct ones in the order drawn: a uniform sample without replacement.
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return np.sort(drawn[:sample])


def write_groundings(folder: Path, groundings: Groundings) -> None:
    """Writes groundings without their rules, deterministically.

    Raises:
        OutputError: The folder cannot be written.
    """
    write_arrays(
        folder,
        rule=groundings.rule,
        head=groundings.head,
        body=groundings.body,
        counts=groundings.counts,
        provable=np.array([groundings.provable]),
        lacking=groundings.lacking,
        excluded=np.array([groundings.excluded]),
    )


def read_groundings(folder: Path, rules: Sequence[Rule]) -> Groundings:
    """Reads what `write_groundings` wrote.

    Args:
        folder: Where it was written.
        rules: The rules, in the same order.

    Raises:
        InputError: A file is missing or damaged.
    """
    names = ("rule", "head", "body", "counts", "provable", "lacking", "excluded")
    rule, head, body, counts, provable, lacking, excluded = read_arrays(folder, names)
    return Groundings(
        tuple(rules), rule, head, body, counts, int(provable[0]), lacking, int(excluded[0])
    )
