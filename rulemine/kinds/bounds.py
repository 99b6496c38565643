"""What no more than so many questions may have in common.

Two entities are asked for from one end within a split: where an answer of one question is the topic of
another that asks the same the other way, names in questions tell what is missing. No rule proves more than 2
% of the core of test, or five questions where that is more; in graphs of 50 relations or more no relation is
in the bodies of the rules of more than 30 % of it. No two questions have the same answers and two constants
in common: that is one question asked twice. A kind has bounds of its own, see
`rulemine.kinds.building.BuildingKind.bounds`.
"""

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.records import Question
from rulemine.rules.rule import Rule

__all__ = [
    "MANY_RELATIONS",
    "MIRRORED",
    "NEAR_DUPLICATE",
    "RELATION",
    "RULE",
    "Bound",
    "Bounds",
    "Of",
    "near",
    "of_proofs",
]

MANY_RELATIONS = 50
"""In a graph with fewer relations any of them is in many questions and proofs."""

MIRRORED = "another question asks for the same fact from its other end"
RULE = "its rule proves too many of the core of test"
RELATION = "its proof needs a relation that too many of the core of test need"
NEAR_DUPLICATE = "another question has its answers and two of its constants"


class Bound(NamedTuple):
    """Something of a question that is counted.

    Attributes:
        reason: Why a question is not asked that would have more of it than may be.
        thing: What is counted.
        most: How many questions may have it, this one included.
        other: What is compared with `most` in place of `thing`, e.g. the same fact asked for from its other
            end; None: `thing`.
    """

    reason: str
    thing: Hashable
    most: int
    other: Hashable = None


Of = Callable[[Question, str], Iterable[Bound]]
"""From a question and its split to what is counted of it."""


class Bounds:
    """Counts what questions have.

    Args:
        of: What is counted, each by a function.
    """

    def __init__(self, *of: Of) -> None:
        self._of = of
        self._times: Counter[Hashable] = Counter()

    def objection(self, split: str, *questions: Question) -> str | None:
        """Why some questions cannot be in a split together; None: they can."""
        found = [*self._bounds(split, questions)]
        own = Counter(bound.thing for bound in found)
        for reason, thing, most, other in found:
            counted = thing if other is None else other
            if self._times[counted] + own[counted] > most:
                return reason
        return None

    def add(self, split: str, *questions: Question) -> None:
        """Puts questions into a split."""
        self._times.update(bound.thing for bound in self._bounds(split, questions))

    def _bounds(self, split: str, questions: Sequence[Question]) -> Iterator[Bound]:
        return (b for q in questions for of in self._of for b in of(q, split))


def near(question: Question, constants: Iterable[str]) -> Iterator[Bound]:
    """Near duplicates: no other question has the same answers and the same two constants.

    Args:
        question: The question, which has a bound for each two of its constants.
        constants: Its anchors, or over a property graph, its named nodes and values.
    """
    answers = frozenset(question.answers)
    for pair in combinations(sorted({*constants}), 2):
        yield Bound(NEAR_DUPLICATE, (answers, pair), 1)


def of_proofs(
    kg: KnowledgeGraph,
    rules: Iterable[Rule],
    facts: RemovedFacts,
    size: int,
    texts: Mapping[str, str],
) -> Of:
    """Bounds of what validation and test ask for, and of what proves it.

    Args:
        kg: The graph.
        rules: The rules that prove what is removed.
        facts: The removed facts.
        size: How many questions of the core test has, which says how many may have a rule or a relation.
        texts: Entity → its name in a row, where that is a property.
    """
    bounded = len(kg.relations) >= MANY_RELATIONS
    bodies = {rule.id: {atom.relation for atom in rule.body if bounded} for rule in rules}

    def of(question: Question, split: str) -> Iterator[Bound]:
        answers = "\0".join(("", *question.hard_answers, ""))  # entities, or rows of JSON with some
        # It may name both ends of a removed fact that it does not need, as it asks by another relation.
        named = facts.between((anchor, str(question.hard_answer)) for anchor in question.anchors)
        for fact in facts.needed_by(question) | named if split != "train" else ():
            for end, other in permutations(fact):
                if f"\0{end}\0" in answers or any(
                    json.dumps(name, ensure_ascii=False) in answers
                    for name in (end, texts.get(end, end))
                ):
                    yield Bound(MIRRORED, (split, fact, end), 0, (split, fact, other))
        if split == "test" and question.core:
            for rule in {*question.rules}:
                yield Bound(RULE, rule, max(5, size // 50))
            for one in {one for rule in question.rules for one in bodies[rule]}:
                yield Bound(RELATION, (one,), max(1, 3 * size // 10))

    return of
