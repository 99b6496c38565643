"""What may be removed from a graph: its facts, the priors of their answers, and the pairs they join."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.facts import CORE_PRIOR, Declarations, blocks_of_facts, facts_of, oriented, priors
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Rows
from rulemine.recipe.earlier import NOTHING, Earlier

__all__ = ["Setting"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Setting:
    """A graph with what selection needs to know of each of its triples; made by `Setting.of`.

    Attributes:
        kg: The complete graph.
        facts: Numbers of rows, shape (triples,): see `rulemine.kg.facts.facts_of`.
        prior: float64, shape (triples, 2): see `rulemine.kg.facts.priors`.
        directions: bool, shape (triples, 2): whether the prior allows to ask for the subject, and for
            the object.
        removable: bool, shape (triples,): whether the fact may be removed: the prior allows to ask about
            it, it joins two entities, and none of its relations is excluded. The same for all its
            statements.
        pairs: int32, shape (triples,): a number for the two entities that it joins, in either order.
        questions: int32, shape (triples, 2): a number for the question that asks for the subject, and for
            the object, the same for all triples that share it; −1 where it may not be asked, is not asked
            again, or has too many answers.
        restated: Whether a fact may be removed although another one that stays joins its two entities.
    """

    kg: KnowledgeGraph
    facts: Rows
    prior: npt.NDArray[np.float64]
    directions: Bools
    removable: Bools
    pairs: npt.NDArray[np.int32]
    questions: npt.NDArray[np.int32]
    restated: bool = True

    @classmethod
    def of(
        cls,
        kg: KnowledgeGraph,
        declarations: Declarations | None = None,
        *,
        excluded: Collection[str] = (),
        max_prior: float = 1.0,
        max_answers: int = 0,
        earlier: Earlier = NOTHING,
        restated: bool = True,
    ) -> "Setting":
        """The setting of a selection.

        Args:
            kg: The complete graph.
            declarations: Which relations state the same facts.
            excluded: Relations whose triples are never removed.
            max_prior: Highest prior at which an answer is asked for.
            max_answers: Most answers of a question; 0: no limit.
            earlier: What is not asked again: what it asks for stays in the graph, so that other facts are
                removed in its place.
            restated: See `Setting`.
        """
        declared = declarations or Declarations()
        facts, prior = facts_of(kg, declared), priors(kg, declared)
        directions = prior <= max_prior
        out = np.array([relation in excluded for relation in kg.relations], bool)
        subject, obj = kg.triples[:, 0], kg.triples[:, 2]
        fit = directions.any(axis=1) & (subject != obj) & ~out[kg.triples[:, 1]]
        fit &= ~earlier.links(kg, declared)
        all_fit = np.ones(len(kg), bool)
        all_fit[facts[~fit]] = False
        joined = np.minimum(subject, obj).astype(np.int64)
        joined *= max(1, len(kg.entities))
        joined += np.maximum(subject, obj)
        pairs = np.unique(joined, return_inverse=True)[1].astype(np.int32)
        del joined
        questions, few = _questions(kg, declared, max_answers or len(kg))
        for side, end in enumerate(DIRECTIONS):
            asked = questions[:, side][earlier.rows(kg, end)]
            few &= ~np.isin(questions, asked) if len(asked) else True
        return cls(
            kg,
            facts,
            prior,
            directions,
            all_fit[facts],
            pairs,
            np.where(directions & few, questions, np.int32(-1)),
            restated,
        )

    def askable(self) -> Bools:
        """Whether there is a question about each triple, shape (triples,)."""
        askable: Bools = np.logical_or(self.questions[:, 0] >= 0, self.questions[:, 1] >= 0)
        return askable

    def alone(self) -> Bools:
        """Whether no other fact joins the two entities of each triple, shape (triples,)."""
        facts = np.flatnonzero(self.facts == np.arange(len(self.kg)))
        alone: Bools = np.bincount(self.pairs[facts])[self.pairs] == 1
        return alone

    def cleared(self, removed: Ints) -> Bools:
        """Whether nothing between the two entities of each triple stays where some are removed.

        Args:
            removed: Rows of ``kg.triples``.

        Returns:
            Shape (triples,).
        """
        stays, there = np.ones(len(self.kg), bool), np.zeros(self.pairs.max(initial=-1) + 1, bool)
        stays[removed] = False
        there[self.pairs[stays]] = True
        return ~there[self.pairs]

    def units(self, head: Ints, removed: Ints) -> Ints:
        """The unit of each head, see `rulemine.removal.selection.RemovalPlan`.

        What clears a pair of entities goes at one level, or it would be in the core too late.

        Args:
            head: Rows of ``kg.triples``.
            removed: All removed rows.
        """
        alone = len(self.kg) + self.facts[head].astype(np.int64)
        return np.where(self.cleared(removed)[head], self.pairs[head], alone)

    def guarded(self) -> Bools:
        """Whether the prior of each triple is that of the core in all its directions, shape (triples,)."""
        low = (self.prior <= CORE_PRIOR) | ~self.directions
        guarded: Bools = np.logical_and(low.all(axis=1), self.directions.any(axis=1))
        return guarded


def _questions(
    kg: KnowledgeGraph, declarations: Declarations, most: int
) -> tuple[npt.NDArray[np.int32], Bools]:
    """The question for each end of each triple, numbered, and whether it has at most so many answers."""
    n = max(1, len(kg.entities))
    readings = [declarations[r] for r in kg.relations]
    reversed_ = np.array([reading.reversed for reading in readings], bool)
    symmetric = np.array([reading.symmetric for reading in readings], bool)
    questions, few = np.empty((len(kg), 2), np.int32), np.empty((len(kg), 2), bool)
    before = 0
    for rows in blocks_of_facts(kg, declarations):
        relation = oriented(kg, declarations, rows)[0]
        turned, both = (by_relation[kg.triples[rows, 1]] for by_relation in (reversed_, symmetric))
        ends = kg.triples[rows][:, [0, 2]].astype(np.int64)
        asked = np.column_stack((turned, ~turned)) | both[:, None]
        keys = (relation[:, None] * 2 + asked) * n + ends[:, ::-1]
        number = np.unique(keys, return_inverse=True)[1].reshape(-1)
        answers = np.bincount(distinct(number * n + ends.reshape(-1)) // n)
        few[rows] = (answers <= most)[number].reshape(-1, 2)
        questions[rows] = (number + before).reshape(-1, 2)
        before += len(answers)
    return questions, few
