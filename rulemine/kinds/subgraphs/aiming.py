"""Draws tasks for what a release still lacks: questions of the core, cells of the test split, or of training.

A triple that such a question may rest on is drawn, a subgraph around it, and trees of its triples with the
triple in them, until one is a query that can be asked and is of the kind that is wanted. The writer is to
use these triples and this answer, as for what is grown.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kinds.graded import Graded
from rulemine.kinds.subgraphs.listed import ListedTrees, plan_of
from rulemine.kinds.subgraphs.options import MOST_TRIPLES, SubgraphSection
from rulemine.kinds.subgraphs.sampling import Sampler
from rulemine.kinds.subgraphs.split import Cell
from rulemine.kinds.written.candidate import Subgraph, Task
from rulemine.phrasing.compose import reads_well
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.links import expanded
from rulemine.query.structures import structure_of, tree_shapes
from rulemine.query.tree import Query
from rulemine.recipe.joins import Joins
from rulemine.removal.selection import Selection
from rulemine.seeds import Stream, stream

__all__ = ["Aim", "Aimer"]

Ints = npt.NDArray[np.int64]

_Edge = tuple[int, tuple[int, int]]
"""A row of the graph, and its ends."""

SUBGRAPHS, TREES = 6, 30
"""Subgraphs tried for a task, and trees of each."""

LISTED_TRIPLES, LISTED_TREES = 96, 10
"""Over a list of joins: triples tried for a task, and trees with each; from most triples, a list leads to no
tree of the larger shapes."""

PATIENCE = 10
"""Tasks for a cell without anything found, in a row, after which contrived queries are asked for it too, and
then nothing is tried for it."""


_NAMES = re.compile(r'(\(p-? "(?:[^"\\]|\\.)*")|"(?:[^"\\]|\\.)*"')
"""Of the text of a query: a relation, as the first group, or else an entity."""

_LEAF = re.compile(r"\d\)")
"""Of the code of a shape: an anchor."""


class Aim(NamedTuple):
    """What a release lacks.

    Attributes:
        core: Whether only questions of the core are wanted.
        cells: The cells of test that lack questions; none: training does.
        may_train: The relations that training may have.
        taken: The answers of test questions.
    """

    core: bool
    cells: tuple[Cell, ...]
    may_train: frozenset[str]
    taken: frozenset[str]


class Aimer:
    """Draws tasks for what is lacking.

    Args:
        sampler: Draws subgraphs.
        options: The section of the recipe.
        templates: The templates of all relations.
        selection: What is removed.
        seed: The seed of the build.
        graded: What a query gives, or why it cannot be asked.
        lift: Has contrived queries of a shape asked too; whether that is new.
        joins: The joins that people make; None: there is no list of them.
    """

    def __init__(
        self,
        sampler: Sampler,
        options: SubgraphSection,
        templates: Templates,
        selection: Selection,
        seed: int,
        graded: "Callable[[Query], Graded | str]",
        lift: Callable[[str], bool],
        joins: Joins | None = None,
    ) -> None:
        self._sampler, self._options, self._seed = sampler, options, seed
        self._templates, self._graded, self._kg = templates, graded, sampler.kg
        self._lift = lift
        used = sampler.rows
        declared = templates.declarations
        self._listed = None if joins is None else ListedTrees(self._kg, used, joins, declared)
        self._unlisted: set[Cell | str | None] = set()
        self._core = np.intersect1d(selection.head[selection.core], used)
        removed = np.intersect1d(selection.removed, used)
        self._starts = removed if options.start == "removed" and len(removed) else used
        most_first = range(MOST_TRIPLES, 0, -1)  # shapes of up to so many triples
        self._sizes = {shape: n for n in most_first for shape in tree_shapes(n)}
        self._rows_of: dict[str, Ints] = {}
        self._shapes: dict[tuple[int, ...], str] = {}
        self._asked_at = cache(self._asks_end)
        self._reading: dict[str, bool] = {}
        self._failed: Counter[Cell | str | None] = Counter()

    def task(self, number: int, aim: Aim) -> Task | None:
        """A task; None where nothing that fits was found.

        Args:
            number: Its number, from 0.
            aim: What is lacking.
        """
        random = stream(self._seed, "subgraphs", "aim", number, len(aim.cells))
        sizes: Sequence[int] = self._options.atoms
        cells = [cell for cell in aim.cells if aim.core or not self.gives_up(cell)]
        if aim.cells and not cells:
            return None
        cell = cells[random.below(len(cells))] if cells else None
        leaves = len(_LEAF.findall(cell[1])) if cell else 0
        wanted: Cell | str | None = None if aim.core else cell
        if aim.core and self._listed is not None:
            wanted = "core"  # without a list, as patient with it as with training
        tried: set[tuple[frozenset[int], int]] = set()
        over_list = LISTED_TRIPLES if self._listed is not None else 0
        elsewhere = 0 if over_list and wanted not in self._unlisted else SUBGRAPHS
        for at in range(over_list + elsewhere):
            rows = self._starting(cell, aim)
            row = int(rows[random.below(len(rows))])
            atoms = self._sizes[cell[1]] if cell else sizes[random.below(len(sizes))]
            s, _, o = self._kg.triples[row].tolist()
            listed, subgraph = self._listed if at < over_list else None, None
            if listed is None:
                subgraph = self._sampler.fill([s, o], self._sampler.between(o, [s]), random)
                shown = list(zip(subgraph.rows, self._ends(subgraph.rows), strict=True))
            for _ in range((LISTED_TREES if listed else TREES) if atoms in sizes else 0):
                if listed is not None:
                    plan = plan_of(cell[1]) if cell else _any_plan(atoms, random)
                    if (drawn_tree := listed.draw(plan, row, random)) is None:
                        continue
                    tree, answer = drawn_tree
                    if not self._asks(tree, answer):
                        continue
                else:
                    grown = _tree(shown, (row, (s, o)), atoms, random)
                    if grown is None:
                        break
                    tree = grown
                    degrees = Counter(end for _, ends in tree for end in ends)
                    answer = [*degrees][random.below(len(degrees))]
                    anchors = sum(n == 1 and end != answer for end, n in degrees.items())
                    if leaves and anchors != leaves:
                        continue
                    if not self._asks(tree, answer):  # the other end of a chain may be asked for
                        others = [
                            e for e, n in degrees.items() if n == degrees[answer] and e != answer
                        ]
                        answer = next((e for e in others if self._asks(tree, e)), answer)
                chosen = [place for place, _ in tree]
                # Small trees are drawn again and again.
                if (drawn := (frozenset(chosen), answer)) in tried:
                    continue
                tried.add(drawn)
                if self._fits(tree, answer, aim):
                    self._failed[wanted] = 0
                    around = subgraph or self._around(tree, random)
                    return Task(number, around, atoms, given=tuple(chosen), answer=answer)
        self._failed[wanted] += 1
        if self._failed[wanted] >= PATIENCE:
            shapes = {one[1] for one in (cells if aim.core else [cell]) if one is not None}
            if sum(map(self._lift, sorted(shapes))):
                self._failed[wanted] = 0
            elif self._listed is not None and wanted not in self._unlisted:
                self._unlisted.add(wanted)
                self._failed[wanted] = 0
        return None

    def _around(self, tree: Sequence[_Edge], random: Stream) -> Subgraph:
        """A subgraph around a tree: its triples, all others between its nodes, then what is drawn."""
        sampler = self._sampler
        nodes = list(dict.fromkeys(end for _, ends in tree for end in ends))
        between = [sampler.between(node, nodes[:at]) for at, node in enumerate(nodes)]
        rows = dict.fromkeys(
            [*(row for row, _ in tree), *(row for some in between for row in some)]
        )
        return sampler.fill(nodes, list(rows), random)

    def gives_up(self, cell: Cell) -> bool:
        """Whether too many tasks for a cell found nothing in a row."""
        return self._failed[cell] >= PATIENCE

    def _starting(self, cell: Cell | None, aim: Aim) -> Ints:
        """The triples that a question may start from."""
        if aim.core and len(self._core):
            return self._core
        if cell is None or cell[0] != "urt":
            return self._starts
        key = " ".join(sorted(aim.may_train))
        if key not in self._rows_of:
            known = [self._kg.relation_ids[name] for name in sorted(aim.may_train)]
            rows = self._sampler.rows
            rare = rows[~np.isin(self._kg.triples[rows, 1], known)]
            self._rows_of = {key: rare if len(rare) else self._starts}
        return self._rows_of[key]

    def _ends(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """The ends of some rows."""
        return [(s, o) for s, _, o in self._kg.triples[list(rows)].tolist()]

    def _asks(self, tree: Sequence[_Edge], answer: int) -> bool:
        """Whether a tree asks for an end that is asked for."""
        beside = [row for row, ends in tree if answer in ends]
        return len(beside) > 1 or self._asked_at(beside[0], answer)

    def _asks_end(self, row: int, answer: int) -> bool:
        """Whether an end of a triple is asked for."""
        triples = self._kg.labeled(np.array([row], np.int64))
        return self._templates.asks(query_of_triples(triples, self._kg.entities[answer]))

    def _shape(self, tree: Sequence[_Edge], answer: int) -> str:
        """The shape code of a tree, whatever its relations."""
        numbers = {answer: 0}
        nodes = [numbers.setdefault(end, len(numbers)) for _, ends in tree for end in ends]
        key = tuple(nodes)
        if key not in self._shapes:
            edges = [(str(s), "", str(o)) for s, o in zip(nodes[::2], nodes[1::2], strict=True)]
            self._shapes[key] = structure_of(query_of_triples(edges, "0")).shape
        return self._shapes[key]

    def _fits(self, tree: Sequence[_Edge], answer: int, aim: Aim) -> bool:
        """Whether a tree is a question of the kind that is wanted."""
        kg, declared = self._kg, self._templates.declarations
        triples = kg.labeled(np.array([row for row, _ in tree], np.int64))
        known = all(relation in aim.may_train for _, relation, _ in triples)
        if not (known or aim.cells):
            return False
        shape = self._shape(tree, answer)
        place = "id" if known else "urt"
        if shape in self._options.reserved_shapes:
            place = "ugt"
        trains = place == "id" and not aim.cells
        if not trains and (place, shape) not in aim.cells:
            return False
        if not self._asks(tree, answer):
            return False
        query = query_of_triples(triples, kg.entities[answer])
        # It reads as well with any other names.
        pattern = _NAMES.sub(lambda found: found[1] or "", query.text)
        if pattern not in self._reading:
            self._reading[pattern] = reads_well(query, self._templates)
        if not self._reading[pattern]:
            return False
        found = self._graded(expanded(query, declared))
        if isinstance(found, str):
            return False
        if aim.core and not (found.asked_for and found.asked_for.core):
            return False
        return not trains or aim.taken.isdisjoint((*found.grades.answers, *found.further))


def _any_plan(atoms: int, random: Stream) -> tuple[int, ...]:
    """The plan of a tree of so many links: each is put at any node, the first of which is the answer."""
    return tuple(random.below(node) for node in range(1, atoms + 1))


def _tree(shown: Sequence[_Edge], first: _Edge, atoms: int, random: Stream) -> list[_Edge] | None:
    """So many rows, each with its ends, that form a tree with the first of them; None: there is none."""
    tree, nodes = [first], {*first[1]}
    while len(tree) < atoms:
        beside = [one for one in shown if (one[1][0] in nodes) != (one[1][1] in nodes)]
        if not beside:
            return None
        tree.append(beside[random.below(len(beside))])
        nodes.update(tree[-1][1])
    return tree
