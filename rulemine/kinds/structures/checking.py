"""Decides whether a query is asked, cheapest checks first, and makes the question of one that is.

Guarantees for every question: as many answers as allowed, which share a type; every branch is needed, at any
depth, so none contains another, and no step of a chain leads to all there is; no anchor is an answer or an
intermediate; few triples of full evidence; of a union, the anchors share a type and so do the members; the
hard answer's removed triples are all used in a direction in which they may be asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rulemine.arrays import among
from rulemine.kg.entity_types import EntityTypes
from rulemine.kinds.asking import Asking
from rulemine.kinds.checks import Unaskable, refusal
from rulemine.kinds.graded import Graded
from rulemine.kinds.locks import LockReason
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE
from rulemine.kinds.structures.block import StructureBlock
from rulemine.kinds.structures.drawing import Drawn
from rulemine.kinds.structures.edges import REMEMBERED
from rulemine.kinds.structures.options import StructureSection
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
    CONTRIVED = "it is more contrived than others"
    NEEDLESS = Unaskable.NEEDLESS
    CHAIN = Unaskable.CHAIN
    GIVES = LockReason.GIVES
    FACTS = LockReason.MANY
    ENOUGH = LockReason.ENOUGH
    CORE = "places are kept for questions of the core"
    NEAR = NEAR_DUPLICATE
    EVIDENCE = Unaskable.EVIDENCE
    STALE = Unaskable.STALE
    BROAD = Unaskable.BROAD
    TEXT = "its text names an answer or an intermediate, or is that of another question"


@dataclass(slots=True)
class _Known:
    """What is known of a query that may be drawn again; None: nothing yet, a text: why it is not asked.

    Attributes:
        missing: How many links its hard answers miss.
        points: Its points.
        asked: How many links the hard answer to ask for misses.
        made: Its question.
    """

    missing: tuple[int, ...] | str | None = None
    points: int | str | None = None
    asked: int | str | None = None
    made: Question | str | None = None


class QueryChecker:
    """Checks queries of one graph."""

    def __init__(self, asking: Asking) -> None:
        self.grader, self.kind = asking.grader, asking.kind.name
        self.types: EntityTypes = asking.inputs.types
        self.options: StructureSection = asking.options
        self.contrived = asking.contrived
        self._known = lru_cache(REMEMBERED)(lambda _name, _text: _Known())

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
        query = drawn.query
        known, made = self._known(name, query.text), list[Grades]()

        def grades() -> Grades:  # only if something is not known yet
            if not made:
                made.append(Grades(self.grader.graph, query))
            return made[0]

        if known.missing is None:
            known.missing = self._missing(grades, drawn)
        if isinstance(known.missing, str):
            return known.missing
        if not any(map(is_open, known.missing)):
            return Reason.FULL
        if known.points is None:
            known.points = self._points(name, grades(), drawn)
        if isinstance(known.points, str):
            return known.points
        if not is_fit(known.points):
            return Reason.CONTRIVED
        if isinstance(known.asked, str):
            return known.asked
        if known.asked is not None and not is_open(known.asked):
            return Reason.FULL
        if known.made is not None:
            return known.made
        found = self._graded(grades(), drawn)
        if isinstance(found, str):
            known.asked = found
            return found
        known.asked = found.asked_for.missing if found.asked_for else 0
        if not is_open(known.asked):
            return Reason.FULL
        known.made = self._question(found, drawn)
        return known.made

    def _missing(self, grades: Callable[[], Grades], drawn: Drawn) -> tuple[int, ...] | str:
        """How many links its hard answers miss, 0 without any; or why it is not asked."""
        if drawn.query.text in self.grader.earlier.queries:
            return Reason.EARLIER
        if not self.grader.templates.asks(drawn.query):
            return Reason.BROAD
        found = grades()
        if len(found) > self.options.max_answers:
            return Reason.MANY
        if among(_anchors(drawn), found.entities).any():
            return Reason.ANCHOR
        return tuple(set(found.missing[found.missing > 0].tolist())) or (0,)

    def _points(self, name: str, grades: Grades, drawn: Drawn) -> int | str:
        """Its points, see `rulemine.kinds.contrived`; or why it is not asked."""
        if not self.types.shared(grades.entities.tolist()):
            return Reason.TYPES
        if name in ("2u", "up") and not self._alike(name, grades, drawn.anchors):
            return Reason.UNION
        return self.contrived.points(grades)

    def _graded(self, grades: Grades, drawn: Drawn) -> Graded | str:
        """The query, graded; or why it is not asked."""
        most = self.options.max_answers, self.options.max_evidence
        found = Graded(self.grader, grades.query, *most, grades)
        if (why := refusal(found)) is not None:
            return why
        return Reason.ANCHOR if among(_anchors(drawn), found.evidence.between).any() else found

    def _question(self, graded: Graded, drawn: Drawn) -> Question | str:
        """The question of a query."""
        shared = self.types.shared(graded.grades.entities.tolist())
        return graded.question(self.kind, StructureBlock(self.types.labels(shared)))

    def _alike(self, name: str, grades: Grades, anchors: tuple[int, ...]) -> bool:
        """Whether the anchors of a union share a type, and its members do."""
        if not self.types.shared(anchors):
            return False
        if name == "2u":  # its members are the answers
            return True
        root = grades.query.parts[0] if isinstance(grades.query, Union) else grades.query
        return bool(self.types.shared(grades.members(parts_of(root)[0]).tolist()))


def _anchors(drawn: Drawn) -> npt.NDArray[np.int64]:
    return np.array(sorted(drawn.anchors), np.int64)
