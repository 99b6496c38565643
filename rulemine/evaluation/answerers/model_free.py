"""Systems without a model that answer the questions of a release: what a score can be measured against.

``lookup``     the answers of the query on the graph
``neighbors``  every entity at most `hops` edges from a topic entity, whatever their relation and direction
``reasoner``   the answers of the query on the graph with all that one application of a rule of the release
               derives from it; on the incomplete graph it hits every hard answer, because the certificate
               of every removed triple is still there
``prior``      the `k` commonest answers of the training questions about the same ends of relations, the
               commonest first: no graph at all
``random``     one entity, drawn uniformly from those of the graph

Guarantees: the answers to a question depend on nothing but the question, the graph, the rules, the
declarations, the training questions and the seed (not on the split or on other questions).
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.answerers.registry import OpenQuestion
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.query.batch import Batch
from rulemine.query.parser import parse
from rulemine.release.guessing import asked_ends, commonest_answers
from rulemine.release.records import Question
from rulemine.rules.forward import derive
from rulemine.rules.rule import Rule
from rulemine.seeds import stream

__all__ = ["Lookup", "Neighbors", "Prior", "RandomEntity", "Reasoner"]

FOLDS = 10
"""Parts of the training questions, by topic entity; the questions of one are guessed from the others."""


class Lookup:
    """See the module."""

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The stated answers to each question."""
        batch = Batch(q.query for q in questions)
        return batch.answers(batch.over(kg))


class Neighbors:
    """See the module.

    Args:
        hops: How many edges away, ≥ 1. A topic entity itself counts only when it has an edge to itself, or
            is near another one.
    """

    def __init__(self, hops: int = 1) -> None:
        self._hops = hops

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The neighbors of the topic entities of each question."""
        ends = kg.triples[:, [0, 2]].astype(np.int64)
        ends = np.concatenate((ends, ends[:, ::-1]))
        ends = ends[np.argsort(ends[:, 0], kind="stable")]
        starts = np.searchsorted(ends[:, 0], np.arange(len(kg.entities) + 1))
        near: dict[int, set[int]] = {}

        def around(entity: int) -> set[int]:
            if entity not in near:
                near[entity] = set(ends[starts[entity] : starts[entity + 1], 1].tolist())
            return near[entity]

        reached: dict[str, set[int]] = {}
        for topic in {anchor: None for q in questions for anchor in q.anchors}:
            at = kg.entity_ids.get(topic)
            seen: set[int] = set() if at is None else set(around(at))
            edge = seen - {at}
            for _ in range(1, self._hops):
                if not edge:
                    break
                edge = {e for entity in sorted(edge) for e in around(entity)} - seen - {at}
                seen |= edge
            reached[topic] = seen
        return [set().union(*(reached[anchor] for anchor in q.anchors)) for q in questions]


class Reasoner:
    """See the module.

    Args:
        rules: Applied once each, not to what other rules derive.
        progress: Called with the rules applied and those to apply.
    """

    def __init__(
        self, rules: Sequence[Rule], progress: Callable[[int, int], None] | None = None
    ) -> None:
        self._rules = rules
        self._progress = progress

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The stated and the derived answers to each question."""
        batch = Batch(q.query for q in questions)
        kg = batch.over(kg)
        index = Index(kg)
        # Only what the queries come across is derived: first from their anchors, then from what those
        # lead to, which what is derived before adds to.
        for height in range(1, batch.height + 1):
            starts = batch.starts(kg, height)
            found = [np.empty((0, 3), np.int32)]
            for done, rule in enumerate(self._rules, start=1):
                found += [
                    _derived(index, rule, starts[rule.head.relation, direction], direction)
                    for direction in DIRECTIONS
                    if (rule.head.relation, direction) in starts
                ]
                if self._progress:
                    steps = len(self._rules)
                    self._progress((height - 1) * steps + done, batch.height * steps)
            kg = kg.including(np.concatenate(found))
        return batch.answers(kg)


def _derived(
    index: Index, rule: Rule, topics: Collection[int], direction: str
) -> npt.NDArray[np.int32]:
    """The triples that a rule derives for topic entities at the end that is not asked for."""
    at = np.array(sorted(topics), np.int64)
    origin, ends = derive(index, rule, at, direction)
    relation = np.full(len(ends), index.kg.relation_ids[rule.head.relation])
    columns = at[origin], relation, ends
    return np.column_stack(columns if direction == "object" else columns[::-1]).astype(np.int32)


class Prior:
    """See the module.

    What is asked for are the ends of the relations that lead to the answer: of a chain the last one, of
    intersections and unions those of all parts. Ends that no training question asks for get the commonest
    answers of all training questions. A training question is guessed without its own answers: the training
    questions are dealt into `FOLDS` parts by their first topic entity in `order`, and each part is guessed
    from the others.

    Args:
        train: The training questions; all their answers count.
        declarations: Which relations state the same facts, and so are counted together.
        order: Entity → its place among equally common ones, see `rulemine.release.guessing`.
        k: How many guesses are made, ≥ 1.
    """

    def __init__(
        self,
        train: Sequence[Question],
        declarations: Declarations,
        order: Mapping[str, int],
        k: int = 1,
    ) -> None:
        self._train = train
        self._declarations = declarations
        self._order = order
        self._k = k

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[list[str]]:
        """The guesses for each question, by name; the graph is not looked at."""
        trained = {q.id for q in self._train}
        parts: dict[int | None, list[int]] = {}
        for number, q in enumerate(questions):
            parts.setdefault(self._fold(q.anchors) if q.id in trained else None, []).append(number)
        found: list[list[str]] = [[] for _ in questions]
        for part, numbers in parts.items():
            counted = [q for q in self._train if part is None or self._fold(q.anchors) != part]
            guesses = commonest_answers(counted, self._declarations, self._order)
            overall = Counter(answer for q in counted for answer in q.answers)
            anything = sorted(overall, key=lambda a: (-overall[a], self._order.get(a, 0), a))
            for number in numbers:
                key = asked_ends(parse(questions[number].query), self._declarations)
                found[number] = guesses.get(key, anything)[: self._k]
        return found

    def _fold(self, topics: Sequence[str]) -> int:
        return min(self._order.get(topic, 0) for topic in topics) % FOLDS


class RandomEntity:
    """See the module.

    Args:
        seed: The draw for a question depends on this and the id of the question.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """One entity for each question."""
        n = len(kg.entities)
        return [{stream(self._seed, "random answer", q.id).below(n)} for q in questions]
