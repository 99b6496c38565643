"""Near duplicates: questions with the same answers and two or more constants in common.

Constants are anchors; over a property graph, named nodes and values that the query names. What such pairs
join is one question asked several times. One of each such group stays: of the core first, then the one of
fewest atoms, then the first by query.
"""

from itertools import combinations

from rulemine.cypher.questions.pattern_text import query_of
from rulemine.kg.facts import Declarations
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of
from rulemine.release.records import Question

__all__ = ["NEAR_DUPLICATE", "NearDuplicates", "constants_of"]

NEAR_DUPLICATE = "another question has its answers and two of its constants"
"""Why a question is not asked."""


def constants_of(question: Question) -> tuple[str, ...]:
    """The constants of a question, sorted, each once."""
    if question.kind != "cypher":
        return question.anchors
    query = query_of(question.query)
    nodes = {f"{node.type} {node.id or node.name}" for node in query.match.nodes if node.fixed}
    others = (query.match.time, query.result.bound)
    return tuple(sorted(nodes | {f"= {value}" for value in others if value is not None}))


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

    def add(self, question: Question) -> None:
        """Takes a question into account; no two may have the same query."""
        root = question.query
        self._leader[root], self._best[root] = root, question
        answers = frozenset(question.answers)
        for pair in combinations(constants_of(question), 2):
            other = self._owner.setdefault((answers, *pair), question)
            one, two = self._root(other.query), self._root(root)
            if one != two:
                self._leader[two] = one
                self._best[one] = min(self._best[one], self._best.pop(two), key=self._rank)

    def stays(self, question: Question) -> bool:
        """Whether a question that was added is the one of its group that stays."""
        return self._best[self._root(question.query)].query == question.query

    def _root(self, query: str) -> str:
        while self._leader[query] != query:
            query = self._leader[query]
        return query

    def _rank(self, question: Question) -> tuple[bool, int, str]:
        if question.kind == "cypher":
            atoms = len(question.relations)
        else:
            atoms = structure_of(parse(question.query), self._declarations).atoms
        return not question.core, atoms, question.query
