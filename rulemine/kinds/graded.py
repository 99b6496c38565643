"""From a query to what a question says of it: all answers, what each misses, and the one to ask for.

Serves every kind whose questions are queries of any form (`rulemine.kinds.structures`, `.subgraphs` and
`.variants`). `Grader` grades a query or says why it is no question, `IdleParts` finds a part of it that does
nothing. Guarantee: the fields of a question depend on query, graph and removal alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import among, distinct
from rulemine.kg.entity_types import EntityTypes
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence import Evidence, full_evidence
from rulemine.query.grading import Grades
from rulemine.query.links import linked, parts_of, smaller
from rulemine.query.query_graph import QueryGraph
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Difference, Projection, Query, Union
from rulemine.query.wider import Wider
from rulemine.recipe import earlier as earlier_releases
from rulemine.recipe.earlier import NOTHING, Earlier
from rulemine.release.records import HardAnswer, Question, Unseen
from rulemine.removal.selection import Selection

__all__ = [
    "Graded", "Grader", "HardRow", "IdleParts", "RemovedTriples", "Unaskable",
    "asked_by", "new_question", "preferred",
]  # fmt: skip

Ints = npt.NDArray[np.int64]

_Ends = frozenset[tuple[str, bool]]
"""Relations, and whether a projection to each is inverse."""

REMEMBERED = 2**16
"""Counts that are remembered: many queries have the same links and types."""


class Unaskable:
    """Why a query is no question, whatever its kind."""

    SAME = "its query is that of another question"
    NONE = "it has no answer"
    MANY = "it has too many answers"
    ANCHOR = "an anchor is an answer"
    EVIDENCE = "its answers have too many triples of evidence"
    BARRED = "what is removed may not be asked for in its direction"
    EARLIER = earlier_releases.AGAIN
    DISPUTED = "the reference graph changes what is counted or taken away"
    NEEDLESS = "a branch is not needed"
    CHAIN = "a step of its chain leads to all there is"
    STALE = "the reference graph lacks a triple that it uses"
    CONTRIVED = "it is more contrived than others"
    NEGATION = "what it takes away takes nothing away"
    BROAD = "its templates do not ask for this end"
    RESTATED = "a triple that stays joins an anchor and the hard answer"


class IdleParts:
    """Looks for parts of queries that do nothing: branches, differences, steps of a chain.

    A branch does nothing if the answers are the same without it, on the complete graph or on any up to a
    larger one that supplies further answers; a difference, if it takes away nothing; a step of a chain, if it
    leads to all entities of its type that its relation leads to from anywhere.

    Args:
        graph: The complete graph.
        wider: A larger one, if any.
        declarations: Which relations state the same facts: their statements over one operand are one part.
    """

    def __init__(
        self, graph: QueryGraph, wider: QueryGraph | None, declarations: Declarations
    ) -> None:
        self.graph, self.wider, self.declarations = graph, wider, declarations
        self._range = cache(self._found_range)
        self._alike = lru_cache(REMEMBERED)(self._count_alike)

    def in_query(self, grades: Grades, types: EntityTypes, *, branches: bool = True) -> str | None:
        """Which part does nothing, one of `Unaskable`; None: every part does something.

        Args:
            grades: The query, graded.
            types: The types of the entities.
            branches: Whether branches are looked at.
        """
        query = grades.query
        if any(
            not np.isin(grades.members(part.of), grades.members(part.minus)).any()
            for part in _within(query)
            if isinstance(part, Difference)
        ):
            return Unaskable.NEGATION
        if branches and self.needless(grades):
            return Unaskable.NEEDLESS
        if structure_of(query, self.declarations).hops > 1 and any(
            self._leads_to_all(grades, link, types) for link in _links(query, self.declarations)
        ):
            return Unaskable.CHAIN
        return None

    def needless(self, grades: Grades) -> bool:
        """Whether some branch does nothing.

        One of an intersection is needed on every graph up to the larger one if without it the complete graph
        gives an answer that the larger one does not give the whole query; one of a union, if the complete
        graph gives the whole query an answer that the larger one does not give without it.
        """
        query, wide = grades.query, set[str]()
        for less in smaller(query, self.declarations):
            others = grades.members(less)
            if np.array_equal(others, grades.entities):
                return True
            if self.wider is None:
                continue
            more = self._names(others[~among(others, grades.entities)])
            fewer = self._names(grades.entities[~among(grades.entities, others)])
            wide = wide or {*Grades(self.wider, query).answers}
            if more <= wide and fewer <= {*Grades(self.wider, less).answers}:
                return True
        return False

    def _names(self, entities: Ints) -> set[str]:
        return {self.graph.kg.entities[entity] for entity in entities.tolist()}

    def _leads_to_all(self, grades: Grades, link: Query, types: EntityTypes) -> bool:
        members = grades.members(link)
        statements = parts_of(link) if isinstance(link, Union) else [link]
        ends = frozenset((p.relation, p.inverse) for p in statements if isinstance(p, Projection))
        everything = self._range(ends)
        if len(members) == len(everything):
            return True
        shared = types.shared(members.tolist())
        return bool(shared) and self._alike(ends, types, shared) == among(members, everything).sum()

    def _count_alike(self, ends: _Ends, types: EntityTypes, shared: frozenset[int]) -> int:
        """To how many entities that have all of some types relations lead."""
        return int(among(types.having(shared), self._range(ends)).sum())

    def _found_range(self, ends: _Ends) -> Ints:
        """Ids of all entities that relations, in their directions, lead to; ascending."""
        found = [self.graph.ends(relation, inverse)[1] for relation, inverse in sorted(ends)]
        return distinct(np.concatenate(found))


def _within(query: Query) -> Iterator[Query]:
    """A query and all its parts, at any depth."""
    yield query
    for part in parts_of(query):
        yield from _within(part)


def _links(query: Query, declarations: Declarations) -> Iterator[Query]:
    """The projections of a query; statements of one fact over one operand together, as their union."""
    if isinstance(query, Projection):
        yield query
    parts = parts_of(query)
    if isinstance(query, Union) and isinstance(linked(query, declarations), Projection):
        yield query
        parts = parts_of(parts[0])
    for part in parts:
        yield from _links(part, declarations)


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


@dataclass(frozen=True, eq=False)
class Graded:
    """A query that can be asked.

    Attributes:
        grades: Its evaluation on the complete graph.
        hard: The answers that the incomplete graph does not state, by id.
        asked_for: The one of them that is asked for; None where there are none.
        evidence: The triples of all derivations of all answers on the complete graph.
        further: Answers that only the larger graph gives, sorted.
    """

    grades: Grades
    hard: Sequence[HardRow]
    asked_for: HardRow | None
    evidence: Evidence
    further: tuple[str, ...]

    @property
    def query(self) -> Query:
        """The query."""
        return self.grades.query

    @cached_property
    def steps(self) -> list[tuple[int, bool]]:
        """The derivation that is kept: of the answer asked for, else of the first."""
        if self.asked_for:
            return self.asked_for.steps
        return self.grades.derivation(int(self.grades.entities[0]))


class Grader:
    """Grades queries of one graph.

    Args:
        graph: The graph, with what is removed from it.
        removed: What is removed from it.
        templates: Which ends are asked for, and which relations state the same facts.
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
        wider: Wider | None = None,
        earlier: Earlier = NOTHING,
        stale: npt.NDArray[np.bool_] | None = None,
        restated: bool = True,
    ) -> None:
        self.graph, self.removed, self.templates = graph, removed, templates
        self.declarations = declarations = templates.declarations
        self.wider, self.earlier, self._stale = wider, earlier, stale
        self.idle_parts = IdleParts(graph, wider and wider.graph, declarations)
        self.restated = restated
        self._again = earlier.links(graph.kg, declarations)

    def grade(
        self,
        query: Query,
        *,
        max_answers: int = 0,
        max_evidence: int = 0,
        grades: Grades | None = None,
    ) -> Graded | str:
        """Grades a query, or says why it is no question: one of `Unaskable`.

        Args:
            query: The query, with all statements of its relations.
            max_answers: Most answers, further ones included; 0: any number.
            max_evidence: Most triples of evidence; 0: any number.
            grades: Its evaluation on the graph, if it is known.
        """
        if query.text in self.earlier.queries:
            return Unaskable.EARLIER
        if not self.templates.asks(query):
            return Unaskable.BROAD
        if grades is None:
            grades = Grades(self.graph, query)
        if not len(grades):
            return Unaskable.NONE
        anchors = {*structure_of(query, self.declarations).anchors}
        further = self.further(query, grades)
        if further is None:
            return Unaskable.DISPUTED
        if max_answers and len(grades) + len(further) > max_answers:
            return Unaskable.MANY
        if not anchors.isdisjoint((*grades.answers, *further)):
            return Unaskable.ANCHOR
        evidence = full_evidence(grades)
        if max_evidence and len(evidence.rows) > max_evidence:
            return Unaskable.EVIDENCE
        if self.is_stale(evidence):
            return Unaskable.STALE
        hard = self.hard(grades)
        asked_for = preferred(hard)
        if hard and asked_for is None:
            return Unaskable.BARRED
        if (why := self.unfit(query, asked_for)) is not None:
            return why
        return Graded(grades, hard, asked_for, evidence, tuple(sorted(further)))

    def is_stale(self, evidence: Evidence) -> bool:
        """Whether the reference lacks a triple of some evidence."""
        return self._stale is not None and bool(self._stale[evidence.rows].any())

    def hard(self, grades: Grades) -> list[HardRow]:
        """The hard answers of a query."""
        return [self._hard(grades, i) for i in np.flatnonzero(grades.missing).tolist()]

    def unfit(self, query: Query, asked_for: HardRow | None) -> str | None:
        """Why a query may not ask for a hard answer: one of `Unaskable`; None: it may."""
        if asked_for and not self.restated and self._is_restated(query, asked_for):
            return Unaskable.RESTATED
        return Unaskable.EARLIER if self._asked_again(query, asked_for) else None

    def _is_restated(self, query: Query, row: HardRow) -> bool:
        """Whether a triple that stays, beside its derivation, joins an anchor and a hard answer."""
        kg, answer = self.graph.kg, self.graph.kg.entity_ids[row.answer]
        stated = np.array([at for at, _ in row.steps if self.removed.place[at] < 0], np.int64)
        used = _pairs(kg, kg.triples[stated])
        ids = [kg.entity_ids[name] for name in structure_of(query, self.declarations).anchors]
        asked = _pairs(kg, np.array([(one, 0, answer) for one in ids], np.int32))
        return bool(among(asked[~np.isin(asked, used)], self._joined).any())

    @cached_property
    def _joined(self) -> Ints:
        """The pairs of entities that the incomplete graph joins, ascending."""
        return distinct(_pairs(self.graph.kg, self.graph.kg.triples[self.removed.place < 0]))

    def _asked_again(self, query: Query, row: HardRow | None) -> bool:
        """Whether a query is one link, and an earlier release asks for it."""
        if row is None or not any(self._again[at] for at, _ in row.steps):
            return False
        return structure_of(query, self.declarations).name == "1p"

    def further(self, query: Query, grades: Grades) -> set[str] | None:
        """What only the larger graph gives; None where it disagrees about a count or a difference."""
        if self.wider is None:
            return set()
        wide = Grades(self.wider.graph, query)
        if len(wide) == len(grades) and not query.subtracts:
            return set()
        own, others = {*grades.answers}, {*wide.answers}
        if (grades.value is not None and own != others) or not own <= others:
            return None
        return others - own

    def question(self, kind: str, graded: Graded, block: Any) -> Question:
        """The question of a query, without id, text and split.

        Args:
            kind: Its kind.
            graded: The query.
            block: What only its kind has.
        """
        grades = graded.grades
        until = dict(zip(grades.answers, grades.stated_until.tolist(), strict=True))
        query = asked_by(graded.query, self.declarations)
        return new_question(
            kind,
            **query,
            **self._lifted(graded, query["anchors"]),
            answers=tuple(sorted((*grades.answers, *graded.further))),
            stated=grades.stated,
            hard=tuple(
                HardAnswer(
                    row.answer,
                    row.missing,
                    until[row.answer],
                    self.triples([at for at, _ in row.steps]),
                    row.fits and row.core,
                )
                for row in graded.hard
            ),
            further=graded.further,
            hard_answer=graded.asked_for.answer if graded.asked_for else None,
            core=bool(graded.asked_for and graded.asked_for.core),
            evidence=self.triples([row for row, _ in graded.steps]),
            full_evidence=self.triples(graded.evidence.rows),
            spurious=grades.spurious,
            value=grades.value,
            stated_value=grades.stated_value,
            block=block,
        )

    def _lifted(self, graded: Graded, anchors: Sequence[str]) -> dict[str, Any]:
        """The fields `Question.relations`, `intermediates`, `removed` and `rules`."""
        selection, labels = self.removed.selection, self.graph.kg.entities
        gone = [row for row, _ in graded.steps if self.removed.place[row] >= 0]
        gone = list(dict.fromkeys(gone)) if graded.asked_for else []
        known = {*graded.grades.answers, *graded.further}
        known.update(anchors)
        between = (labels[i] for i in graded.evidence.between.tolist())
        places = self.removed.place[gone].tolist()
        return {
            "relations": tuple(sorted(_relations(graded.query))),
            "intermediates": tuple(name for name in between if name not in known),
            "removed": self.triples(gone),
            "rules": tuple(sorted({selection.rules[selection.rule[at]].id for at in places})),
        }

    def triples(self, rows: Ints | Sequence[int]) -> tuple[Triple, ...]:
        """Rows of the graph with their labels."""
        return tuple(self.graph.kg.labeled(np.asarray(rows, np.int64)))

    def _hard(self, grades: Grades, at: int) -> HardRow:
        entity = int(grades.entities[at])
        steps = grades.derivation(entity)
        place, allowed = self.removed.place, self.removed.allowed
        gone = [(row, inverse) for row, inverse in steps if place[row] >= 0]
        return HardRow(
            core=all(self.removed.selection.core[place[row]] for row, _ in gone),
            missing=int(grades.missing[at]),
            answer=self.graph.kg.entities[entity],
            steps=steps,
            fits=all(allowed[row, 0 if inverse else 1] for row, inverse in gone),
        )


def _pairs(kg: KnowledgeGraph, triples: npt.NDArray[np.int32]) -> Ints:
    """A number for the two entities of each triple, in either order."""
    s, o = (triples[:, column].astype(np.int64) for column in (0, 2))
    return np.minimum(s, o) * max(1, len(kg.entities)) + np.maximum(s, o)


def _relations(query: Query) -> set[str]:
    own = {query.relation} if isinstance(query, Projection) else set()
    return own.union(*map(_relations, parts_of(query)))


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
