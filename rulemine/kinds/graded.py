"""From a query to what a question says of it: all answers, what each misses, and the one to ask for.

Serves every kind whose questions are queries of any form; whether one can be asked, `rulemine.kinds.checks`
decides. Guarantee: the fields of a question depend on query, graph and removal alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import among, distinct
from rulemine.kg.entity_types import EntityTypes
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, Triple
from rulemine.kinds.neighbors import Neighbors
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence import Evidence, full_evidence
from rulemine.query.grading import Grades
from rulemine.query.links import parts_of
from rulemine.query.query_graph import QueryGraph
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import Structure, structure_of
from rulemine.query.tree import Projection, Query
from rulemine.query.wider import Wider
from rulemine.recipe.earlier import NOTHING, Earlier
from rulemine.release.records import HardAnswer, Question, Unseen
from rulemine.removal.selection import Selection

__all__ = [
    "Graded", "Grader", "HardRow", "RemovedTriples", "asked_by", "new_question", "preferred",
    "relations_of",
]  # fmt: skip

Ints = npt.NDArray[np.int64]

Ends = frozenset[tuple[str, str]]
"""Relations, and which end of each is asked for, see `rulemine.kg.graph.DIRECTIONS`."""

REMEMBERED = 2**16
"""Counts that are remembered: many queries have the same links and types."""


class HardRow(NamedTuple):
    """A hard answer and what is removed of its kept derivation.

    Attributes:
        core: Whether all of it is in the core.
        missing: How many removed triples the derivation needs.
        answer: The entity.
        steps: Its derivation, see `rulemine.query.grading.Grades.derivation`.
        fits: Whether what is removed may be asked for in the directions of the derivation.
    """

    core: bool
    missing: int
    answer: str
    steps: list[tuple[int, bool]]
    fits: bool


def preferred(rows: Sequence[HardRow]) -> HardRow | None:
    """The hard answer to ask for: of the core first, then of fewest missing, then by name."""
    fitting = (row for row in rows if row.fits)
    return min(fitting, key=lambda row: (not row.core, row.missing, row.answer), default=None)


@dataclass(frozen=True, eq=False)
class RemovedTriples:
    """What is removed from a graph, by rows of ``kg.triples``; made by `RemovedTriples.of`.

    Attributes:
        place: int64, shape (triples,): its row of the selection; −1: not removed.
        allowed: bool, shape (triples, 2): whether the subject, and the object, may be asked for.
        selection: The selection.
    """

    place: Ints
    allowed: npt.NDArray[np.bool_]
    selection: Selection

    @classmethod
    def of(cls, triples: int, selection: Selection) -> "RemovedTriples":
        """What a selection removes from a graph of so many triples."""
        place = np.full(triples, -1)
        place[selection.head] = np.arange(len(selection))
        allowed = np.ones((triples, 2), bool)
        allowed[selection.head] = selection.directions
        return cls(place, allowed, selection)

    @property
    def core(self) -> npt.NDArray[np.bool_]:
        """Whether each triple is removed and in the core."""
        core = np.zeros(len(self.place), bool)
        core[self.selection.head] = self.selection.core
        return core

    @property
    def levels(self) -> Ints:
        """The level at which each triple is removed, 0: never."""
        levels = np.zeros(len(self.place), np.int64)
        levels[self.selection.head] = self.selection.level
        return levels


class Graded:
    """A query with all that a question says of it; each part is computed when it is first asked for.

    Args:
        grader: Grades queries of a graph.
        query: The query, with all statements of its relations.
        max_answers: Most answers that it may have, further ones included.
        max_evidence: Most triples of evidence.
        grades: Its evaluation on the complete graph, if that is known.
    """

    def __init__(
        self,
        grader: "Grader",
        query: Query,
        max_answers: float = math.inf,
        max_evidence: float = math.inf,
        grades: Grades | None = None,
    ) -> None:
        self.grader, self.query = grader, query
        self.max_answers, self.max_evidence = max_answers, max_evidence
        if grades is not None:
            self.grades = grades

    @cached_property
    def grades(self) -> Grades:
        """Its evaluation on the complete graph."""
        return Grades(self.grader.graph, self.query)

    @cached_property
    def structure(self) -> Structure:
        """Its structure."""
        return structure_of(self.query, self.grader.declarations)

    @property
    def anchors(self) -> set[str]:
        """Its anchors."""
        return {*self.structure.anchors}

    @cached_property
    def evidence(self) -> Evidence:
        """The triples of all derivations of all answers on the complete graph."""
        return full_evidence(self.grades)

    @cached_property
    def hard(self) -> list[HardRow]:
        """The answers that the incomplete graph does not state."""
        return [self._hard(i) for i in np.flatnonzero(self.grades.missing).tolist()]

    @cached_property
    def asked_for(self) -> HardRow | None:
        """The hard answer that is asked for; None where there is none that may be."""
        return preferred(self.hard)

    @cached_property
    def steps(self) -> list[tuple[int, bool]]:
        """The derivation that is kept: of the answer asked for, else of the first."""
        if self.asked_for:
            return self.asked_for.steps
        return self.grades.derivation(int(self.grades.entities[0]))

    @cached_property
    def further(self) -> tuple[str, ...]:
        """Answers that only the larger graph gives, sorted."""
        return tuple(sorted({*self.wide} - {*self.grades.answers}))

    @cached_property
    def wide(self) -> Sequence[str]:
        """The answers on the larger graph, if there is one."""
        wider = self.grader.wider
        return Grades(wider.graph, self.query).answers if wider else self.grades.answers

    def question(self, kind: str, block: Any) -> Question:
        """The question, without id, text and split.

        Args:
            kind: Its kind.
            block: What only its kind has.
        """
        grader, grades, asked_for = self.grader, self.grades, self.asked_for
        selection, place = grader.removed.selection, grader.removed.place
        until = dict(zip(grades.answers, grades.stated_until.tolist(), strict=True))
        query = asked_by(self.query, grader.declarations)
        answers = tuple(sorted((*grades.answers, *self.further)))
        rows = [row for row, _ in self.steps]
        gone = [row for row in dict.fromkeys(rows) if asked_for and place[row] >= 0]
        rules = {selection.rules[selection.rule[at]].id for at in place[gone].tolist()}
        known = {*answers, *query["anchors"]}
        between = (grader.graph.kg.entities[i] for i in self.evidence.between.tolist())
        return new_question(
            kind,
            **query,
            relations=tuple(sorted(relations_of(self.query))),
            intermediates=tuple(name for name in between if name not in known),
            answers=answers,
            stated=grades.stated,
            hard=tuple(
                HardAnswer(
                    row.answer,
                    row.missing,
                    until[row.answer],
                    grader.triples([at for at, _ in row.steps]),
                    row.fits and row.core,
                )
                for row in self.hard
            ),
            further=self.further,
            hard_answer=asked_for.answer if asked_for else None,
            core=bool(asked_for and asked_for.core),
            removed=grader.triples(gone),
            rules=tuple(sorted(rules)),
            evidence=grader.triples(rows),
            full_evidence=grader.triples(self.evidence.rows),
            spurious=grades.spurious,
            value=grades.value,
            stated_value=grades.stated_value,
            block=block,
        )

    def _hard(self, at: int) -> HardRow:
        grades, removed = self.grades, self.grader.removed
        entity = int(grades.entities[at])
        steps = grades.derivation(entity)
        gone = [(row, inverse) for row, inverse in steps if removed.place[row] >= 0]
        return HardRow(
            core=all(removed.selection.core[removed.place[row]] for row, _ in gone),
            missing=int(grades.missing[at]),
            answer=self.grader.graph.kg.entities[entity],
            steps=steps,
            fits=all(removed.allowed[row, 0 if inverse else 1] for row, inverse in gone),
        )


class Grader:
    """Grades queries of one graph.

    Args:
        graph: The graph, with what is removed from it.
        removed: What is removed from it.
        templates: Which ends are asked for, and which relations state the same facts.
        types: The types of the entities.
        wider: What supplies further answers, if anything.
        earlier: What is not asked again.
        stale: bool, shape (triples,): which triples the reference lacks; None: none.
        restated: Whether a triple that stays may join an anchor and the hard answer asked for.
    """

    def __init__(
        self,
        graph: QueryGraph,
        removed: RemovedTriples,
        templates: Templates,
        types: EntityTypes,
        wider: Wider | None = None,
        earlier: Earlier = NOTHING,
        stale: npt.NDArray[np.bool_] | None = None,
        restated: bool = True,
    ) -> None:
        self.graph, self.removed, self.templates, self.types = graph, removed, templates, types
        self.declarations: Declarations = templates.declarations
        self.wider, self.earlier, self.stale = wider, earlier, stale
        self.restated = restated
        self.range_of = cache(self._range_of)
        self.alike = lru_cache(REMEMBERED)(self._alike)
        self.asked_before = earlier.links(graph.kg, self.declarations)

    @cached_property
    def neighbors(self) -> Neighbors:
        """Which entities have to do with each other."""
        return Neighbors(self.graph.kg, self.templates.places)

    @cached_property
    def joined(self) -> Ints:
        """The pairs of entities that the incomplete graph joins, see `pairs_of`, ascending."""
        return distinct(self.pairs_of(self.graph.kg.triples[self.removed.place < 0]))

    def pairs_of(self, triples: npt.NDArray[np.int32]) -> Ints:
        """A number for the two entities of each triple, in either order."""
        s, o = (triples[:, column].astype(np.int64) for column in (0, 2))
        return np.minimum(s, o) * max(1, len(self.graph.kg.entities)) + np.maximum(s, o)

    def _range_of(self, ends: Ends) -> Ints:
        """Ids of all entities that relations, in their directions, lead to; ascending."""
        found = [self.graph.ends(r, end == DIRECTIONS[0])[1] for r, end in sorted(ends)]
        return distinct(np.concatenate(found))

    def _alike(self, ends: Ends, shared: frozenset[int]) -> int:
        """To how many entities that have all of some types relations lead."""
        return int(among(self.types.having(shared), self.range_of(ends)).sum())

    def triples(self, rows: Ints | Sequence[int]) -> tuple[Triple, ...]:
        """Rows of the graph with their labels."""
        return tuple(self.graph.kg.labeled(np.asarray(rows, np.int64)))


def relations_of(query: Query) -> set[str]:
    """The relations of a query."""
    own = {query.relation} if isinstance(query, Projection) else set()
    return own.union(*map(relations_of, parts_of(query)))


_EMPTY: dict[str, Any] = {
    "id": "",
    "question": "",
    "intermediates": (),
    "further": (),
    "spurious": (),
    "value": None,
    "stated_value": None,
    "split": "",
    "unseen": Unseen(False, False, False),
    "wording": "template",
    "paraphrases": (),
    "patterns": (),
}


def new_question(kind: str, **given: Any) -> Question:
    """A question without id, text and split; fields that are not given are empty."""
    return Question(**{**_EMPTY, "kind": kind, **given})


def asked_by(query: Query, declarations: Declarations) -> dict[str, Any]:
    """The fields of a question that follow from its query and what states the same facts."""
    found = structure_of(query, declarations)
    return {
        "anchors": found.anchors,
        "query": query.text,
        "sparql": to_sparql(query),
        "structure": found.name,
        "shape": found.shape,
        "hops": found.hops,
    }
