"""Near duplicates: questions with the same answers and two or more constants in common.

Constants are anchors; over a property graph, named nodes and values that the query names. What such pairs
join is one question asked several times. One of each such group stays: of the core first, then the one of
fewest atoms, then the first by query.
"""

from collections.abc import Sequence
from itertools import combinations

from rulemine.kg.facts import Declarations
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of
from rulemine.release.records import Question

__all__ = ["NEAR_DUPLICATE", "NearDuplicates"]

NEAR_DUPLICATE = "another question has its answers and two of its constants"
"""Why a question is not asked."""


class NearDuplicates:
    """Groups of near duplicates, as questions come.

    Args:
        declarations: Which relations state the same facts: for numbers of atoms.
    """

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations
        self._owner: dict[tuple[object, ...], Question] = {}
        self._leader: dict[str, str] = {}
        self._best: dict[str, Question] = {}

    def constants(self, question: Question) -> Sequence[str]:
        """The constants of a question, sorted, each once."""
        return question.anchors

    def atoms(self, question: Question) -> int:
        """How many atoms its query has."""
        return structure_of(parse(question.query), self._declarations).atoms

    def add(self, question: Question) -> None:
        """Takes a question into account; no two may have the same query."""
        root = question.query
        self._leader[root], self._best[root] = root, question
        answers = frozenset(question.answers)
        for pair in combinations(self.constants(question), 2):
            other = self._owner.setdefault((answers, *pair), question)
            one, two = self._root(other.query), self._root(root)
            if one != two:
                self._leader[two] = one
                self._best[one] = min(self._best[one], self._best.pop(two), key=self._rank)

    def stays(self, question: Question) -> bool:
        """Whether a question is the one of its group that stays; one that was not added has none."""
        root = self._root(question.query)
        return root not in self._best or self._best[root].query == question.query

    def _root(self, query: str) -> str:
        while self._leader.get(query, query) != query:
            query = self._leader[query]
        return query

    def _rank(self, question: Question) -> tuple[bool, int, str]:
        return not question.core, self.atoms(question), question.query
