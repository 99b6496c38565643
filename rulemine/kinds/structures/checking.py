"""Decides whether a query is asked, cheapest checks first, and makes the question of one that is.

Guarantees for every question: as many answers as allowed, which share a type; every branch is needed, at any
depth, so none contains another, and no step of a chain leads to all there is; no anchor is an answer or an
intermediate; few triples of full evidence; of a union, the anchors share a type and so do the members; the
hard answer's removed triples are all used in a direction in which they may be asked for.
"""

from collections.abc import Callable

import numpy as np

from rulemine.arrays import among
from rulemine.kg.entity_types import EntityTypes
from rulemine.kinds.asking import Asking
from rulemine.kinds.graded import Graded, Unaskable, preferred
from rulemine.kinds.locks import LockReason
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE
from rulemine.kinds.structures.block import StructureBlock
from rulemine.kinds.structures.drawing import Drawn
from rulemine.kinds.structures.options import StructureSection
from rulemine.query.evidence import full_evidence
from rulemine.query.grading import Grades
from rulemine.query.links import parts_of
from rulemine.query.tree import Union
from rulemine.release.records import Question

__all__ = ["QueryChecker", "Reason"]


class Reason:
    """Why a query that was drawn is not asked."""

    NOWHERE = "the draw led nowhere"
    AGAIN = "it was drawn before"
    EARLIER = Unaskable.EARLIER
    SHARED = "too many questions share an anchor, a relation or an answer"
    MANY = Unaskable.MANY
    ANCHOR = "an anchor is an answer or an intermediate"
    TYPES = "its answers share no type"
    UNION = "the anchors or the members of its union share no type"
    BARRED = Unaskable.BARRED
    FULL = "enough questions miss as many links"
    CONTRIVED = Unaskable.CONTRIVED
    NEEDLESS = Unaskable.NEEDLESS
    CHAIN = Unaskable.CHAIN
    GIVES = LockReason.GIVES
    FACTS = LockReason.MANY
    ENOUGH = LockReason.ENOUGH
    CORE = "places are kept for questions of the core"
    NEAR = NEAR_DUPLICATE
    EVIDENCE = Unaskable.EVIDENCE
    STALE = Unaskable.STALE
    EASY = Unaskable.EASY
    BROAD = Unaskable.BROAD
    SPLIT = "an answer is in another split"
    TEXT = "its text names an answer or an intermediate, or is that of another question"


class QueryChecker:
    """Checks queries of one graph."""

    def __init__(self, asking: Asking) -> None:
        self.grader, self.kind = asking.grader, asking.kind.name
        self.types: EntityTypes = asking.inputs.types
        self.options: StructureSection = asking.options
        self.contrived = asking.contrived

    def check(
        self,
        name: str,
        drawn: Drawn,
        is_open: Callable[[int], bool],
        is_fit: Callable[[int], bool],
    ) -> Question | str:
        """The question of a query, without id, text and split; or why it is not asked.

        Args:
            name: Its structure.
            drawn: The query.
            is_open: Whether questions are wanted whose hard answer misses so many links.
            is_fit: Whether it may have so many points, see `rulemine.kinds.contrived`.
        """
        query, options, grader = drawn.query, self.options, self.grader
        if query.text in grader.earlier.queries:
            return Reason.EARLIER
        if not grader.templates.asks(query):
            return Reason.BROAD
        anchors = np.array(sorted(drawn.anchors), np.int64)
        grades = Grades(grader.graph, query)
        if len(grades) > options.max_answers:
            return Reason.MANY
        if among(anchors, grades.entities).any():
            return Reason.ANCHOR
        if not any(map(is_open, set(grades.missing[grades.missing > 0].tolist()) or {0})):
            return Reason.FULL
        shared = self.types.shared(grades.entities.tolist())
        if not shared:
            return Reason.TYPES
        if name in ("2u", "up") and not self._alike(name, grades, drawn.anchors):
            return Reason.UNION
        if not is_fit(self.contrived.points(grades)):
            return Reason.CONTRIVED
        if (idle := grader.idle_parts.in_query(grades, self.types)) is not None:
            return idle
        evidence = full_evidence(grades)
        if len(evidence.rows) > options.max_evidence:
            return Reason.EVIDENCE
        if grader.is_stale(evidence):
            return Reason.STALE
        if among(anchors, evidence.between).any():
            return Reason.ANCHOR
        hard = grader.hard(grades)
        asked_for = preferred(hard)
        if hard and asked_for is None:
            return Reason.BARRED
        if (why := grader.unfit(query, asked_for)) is not None:
            return why
        if not is_open(asked_for.missing if asked_for else 0):
            return Reason.FULL
        further = grader.further(query, grades) or set()
        if len(grades) + len(further) > options.max_answers:
            return Reason.MANY
        if {grader.graph.kg.entities[i] for i in drawn.anchors} & further:
            return Reason.ANCHOR
        graded = Graded(grades, hard, asked_for, evidence, tuple(sorted(further)))
        block = StructureBlock(self.types.labels(shared))
        return grader.question(self.kind, graded, block)

    def _alike(self, name: str, grades: Grades, anchors: tuple[int, ...]) -> bool:
        """Whether the anchors of a union share a type, and its members do."""
        if not self.types.shared(anchors):
            return False
        if name == "2u":  # its members are the answers
            return True
        root = grades.query.parts[0] if isinstance(grades.query, Union) else grades.query
        return bool(self.types.shared(grades.members(parts_of(root)[0]).tolist()))
