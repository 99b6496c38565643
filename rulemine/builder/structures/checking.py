"""Decides whether a query is asked, cheapest checks first, and makes the question of one that is.

Guarantees for every question: as many answers as allowed, which share a type; every branch is needed, at any
depth, so none contains another; no anchor is an answer or an intermediate; few triples of full evidence; of a
union, the anchors share a type and so do the members; the hard answer's removed triples are all used in a
direction in which they may be asked for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.builder import earlier as earlier_releases
from rulemine.builder.earlier import NOTHING, Earlier
from rulemine.builder.removal.selection import Selection
from rulemine.builder.structures.drawing import Drawn
from rulemine.builder.structures.options import StructureSection
from rulemine.kg.entity_types import EntityTypes
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.query.evidence import full_evidence
from rulemine.query.grading import Grades
from rulemine.query.links import parts_of
from rulemine.query.query_graph import QueryGraph
from rulemine.query.redundancy import redundancies
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Projection, Query, Union
from rulemine.release.records import HardAnswer, StructureBlock, StructureQuestion, Unseen

__all__ = ["QueryChecker", "Reason", "RemovedTriples", "Wider"]

Ints = npt.NDArray[np.int64]


class Reason:
    """Why a query that was drawn is not asked."""

    NOWHERE = "the draw led nowhere"
    AGAIN = "it was drawn before"
    EARLIER = earlier_releases.AGAIN
    SHARED = "too many questions share an anchor, a relation or an answer"
    MANY = "it has too many answers"
    ANCHOR = "an anchor is an answer or an intermediate"
    TYPES = "its answers share no type"
    UNION = "the anchors or the members of its union share no type"
    BARRED = "what is removed may not be asked for in its direction"
    FULL = "enough questions miss as many links"
    NEEDLESS = "a branch is not needed"
    EVIDENCE = "its answers have too many triples of evidence"
    SPLIT = "an answer is in another split"
    TEXT = "its text names an answer or an intermediate, or is that of another question"


class Wider(NamedTuple):
    """A larger graph, which supplies further answers.

    Attributes:
        graph: All triples of the complete graph, and more.
        more: bool, shape (triples,): which of its triples the complete graph lacks.
    """

    graph: QueryGraph
    more: npt.NDArray[np.bool_]


class _Hard(NamedTuple):
    """What is removed of a derivation."""

    core: bool
    missing: int
    answer: str
    steps: list[tuple[int, bool]]
    fits: bool


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
    def levels(self) -> Ints:
        """The level at which each triple is removed, 0: never."""
        levels = np.zeros(len(self.place), np.int64)
        levels[self.selection.head] = self.selection.level
        return levels


class QueryChecker:
    """Checks queries of one graph.

    Args:
        graph: The graph.
        removed: What is removed from it.
        types: The types of its entities.
        declarations: Which relations state the same facts.
        options: The section of the recipe.
        wider: What supplies further answers, if anything.
        earlier: What is not asked again.
    """

    def __init__(
        self,
        graph: QueryGraph,
        removed: RemovedTriples,
        types: EntityTypes,
        declarations: Declarations,
        options: StructureSection,
        wider: Wider | None,
        earlier: Earlier = NOTHING,
    ) -> None:
        self.graph, self.removed, self.types = graph, removed, types
        self.declarations, self.options, self.wider = declarations, options, wider
        self.earlier, self._again = earlier, earlier.links(graph.kg, declarations)

    def check(
        self, name: str, drawn: Drawn, is_open: Callable[[int], bool]
    ) -> StructureQuestion | str:
        """The question of a query, without id, text and split; or why it is not asked.

        Args:
            name: Its structure.
            drawn: The query.
            is_open: Whether questions are wanted whose hard answer misses so many links.
        """
        query, options = drawn.query, self.options
        if query.text in self.earlier.queries:
            return Reason.EARLIER
        anchors = np.array(sorted(drawn.anchors), np.int64)
        grades = Grades(self.graph, query)
        if len(grades) > options.max_answers:
            return Reason.MANY
        if np.isin(anchors, grades.entities).any():
            return Reason.ANCHOR
        hard = np.flatnonzero(grades.missing)
        if not any(map(is_open, set(grades.missing[hard].tolist()) or {0})):
            return Reason.FULL
        shared = self.types.shared(grades.entities.tolist())
        if not shared:
            return Reason.TYPES
        if name in ("2u", "up") and not self._alike(name, grades, drawn.anchors):
            return Reason.UNION
        if next(redundancies(self.graph, query, self.declarations), None) is not None:
            return Reason.NEEDLESS
        evidence = full_evidence(grades)
        if len(evidence.rows) > options.max_evidence:
            return Reason.EVIDENCE
        if np.isin(anchors, evidence.between).any():
            return Reason.ANCHOR
        rows = [self._hard(grades, i) for i in hard.tolist()]
        asked_for = min((row for row in rows if row.fits), key=_preference, default=None)
        if rows and asked_for is None:
            return Reason.BARRED
        if name == "1p" and asked_for and any(self._again[row] for row, _ in asked_for.steps):
            return Reason.EARLIER
        if not is_open(asked_for.missing if asked_for else 0):
            return Reason.FULL
        labels = self.graph.kg.entities
        further = self._further(query, grades)
        if len(grades) + len(further) > options.max_answers:
            return Reason.MANY
        if {labels[i] for i in drawn.anchors} & further:
            return Reason.ANCHOR
        everyone = {*grades.answers, *further}
        between = [name for i in evidence.between.tolist() if (name := labels[i]) not in everyone]
        return self._question(
            drawn,
            grades,
            rows,
            asked_for,
            tuple(sorted(further)),
            self._triples(evidence.rows),
            tuple(between),
            self.types.labels(shared),
        )

    def _question(
        self,
        drawn: Drawn,
        grades: Grades,
        rows: list[_Hard],
        asked_for: _Hard | None,
        further: tuple[str, ...],
        full_evidence: tuple[Triple, ...],
        intermediates: tuple[str, ...],
        answer_types: tuple[str, ...],
    ) -> StructureQuestion:
        query, selection = drawn.query, self.removed.selection
        structure = structure_of(query, self.declarations)
        until = dict(zip(grades.answers, grades.stated_until.tolist(), strict=True))
        steps = asked_for.steps if asked_for else grades.derivation(int(grades.entities[0]))
        evidence = [row for row, _ in steps]
        gone = dict.fromkeys(row for row in evidence if self.removed.place[row] >= 0)
        places = self.removed.place[list(gone)] if asked_for else ()
        return StructureQuestion(
            id="",
            kind="structures",
            question="",
            anchors=structure.anchors,
            query=query.text,
            sparql=to_sparql(query),
            structure=structure.name,
            shape=structure.shape,
            hops=structure.hops,
            answers=tuple(sorted((*grades.answers, *further))),
            stated=grades.stated,
            hard=tuple(
                HardAnswer(
                    row.answer,
                    row.missing,
                    until[row.answer],
                    self._triples([at for at, _ in row.steps]),
                    row.fits and row.core,
                )
                for row in rows
            ),
            further=further,
            hard_answer=asked_for.answer if asked_for else None,
            core=bool(asked_for and asked_for.core),
            evidence=self._triples(evidence),
            full_evidence=full_evidence,
            spurious=(),
            value=None,
            stated_value=None,
            split="",
            unseen=Unseen(False, False, False),
            wording="template",
            paraphrases=(),
            patterns=(),
            structures=StructureBlock(
                relations=tuple(sorted(_relations(query))),
                intermediates=intermediates,
                answer_types=answer_types,
                removed=self._triples(list(gone)) if asked_for else (),
                rules=tuple(sorted({selection.rules[selection.rule[at]].id for at in places})),
            ),
        )

    def _alike(self, name: str, grades: Grades, anchors: tuple[int, ...]) -> bool:
        """Whether the anchors of a union share a type, and its members do."""
        if not self.types.shared(anchors):
            return False
        if name == "2u":  # its members are the answers
            return True
        root = grades.query.parts[0] if isinstance(grades.query, Union) else grades.query
        return bool(self.types.shared(grades.members(parts_of(root)[0]).tolist()))

    def _hard(self, grades: Grades, at: int) -> _Hard:
        """What is removed of the kept derivation of an answer."""
        entity = int(grades.entities[at])
        steps = grades.derivation(entity)
        place, allowed = self.removed.place, self.removed.allowed
        gone = [(row, inverse) for row, inverse in steps if place[row] >= 0]
        return _Hard(
            core=all(self.removed.selection.core[place[row]] for row, _ in gone),
            missing=int(grades.missing[at]),
            answer=self.graph.kg.entities[entity],
            steps=steps,
            fits=all(allowed[row, 0 if inverse else 1] for row, inverse in gone),
        )

    def _further(self, query: Query, grades: Grades) -> set[str]:
        """What only the larger graph gives."""
        if self.wider is None:
            return set()
        wide = Grades(self.wider.graph, query)
        if len(wide) == len(grades):
            return set()
        return {*wide.answers} - {*grades.answers}

    def reference(self, query: Query, further: Sequence[str]) -> list[Triple]:
        """The triples that the complete graph lacks, of all derivations of further answers."""
        if self.wider is None or not further:
            return []
        graph = self.wider.graph
        ids = np.array([graph.kg.entity_ids[name] for name in further], np.int64)
        rows = full_evidence(Grades(graph, query), ids).rows
        return graph.kg.labeled(rows[self.wider.more[rows]])

    def _triples(self, rows: Ints | Sequence[int]) -> tuple[Triple, ...]:
        return tuple(self.graph.kg.labeled(np.asarray(rows, np.int64)))


def _preference(row: _Hard) -> tuple[bool, int, str]:
    """The order in which hard answers are asked for."""
    return not row.core, row.missing, row.answer


def _relations(query: Query) -> set[str]:
    own = {query.relation} if isinstance(query, Projection) else set()
    return own.union(*map(_relations, parts_of(query)))
