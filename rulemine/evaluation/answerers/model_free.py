"""Systems without a model that answer the questions of a release: what a score can be measured against.

``lookup``      the entities that the graph links to the topic by the relation asked, in its direction
``neighbors``  every entity at most `hops` edges from the topic, whatever their relation and direction
``reasoner``    what ``lookup`` finds, and every head that one application of a rule of the release
                derives; on the incomplete graph it hits every hard answer, because the certificate of
                each question is still there
``random``      one entity, drawn uniformly from those of the graph

Guarantees: the answers to a question depend on nothing but the question, the graph, the rules and the
seed (not on the split or on other questions), and are sorted.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.answerers.registry import OpenQuestion
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.answers import AnswerIndex
from rulemine.rules.forward import derive
from rulemine.rules.rule import Rule
from rulemine.seeds import stream

__all__ = ["Lookup", "Neighbors", "RandomEntity", "Reasoner"]

Ints = npt.NDArray[np.int64]


class Lookup:
    """See the module."""

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The stated answers to each question."""
        return _stated(AnswerIndex(kg), questions)


class Neighbors:
    """See the module.

    Args:
        hops: How many edges away, ≥ 1. The topic itself counts only when it has an edge to itself.
    """

    def __init__(self, hops: int = 1) -> None:
        self._hops = hops

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The neighbors of each topic."""
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
        for topic in {q.topic: None for q in questions}:
            at = kg.entity_ids.get(topic)
            seen: set[int] = set() if at is None else set(around(at))
            edge = seen - {at}
            for _ in range(1, self._hops):
                if not edge:
                    break
                edge = {e for entity in sorted(edge) for e in around(entity)} - seen - {at}
                seen |= edge
            reached[topic] = seen
        return [reached[q.topic] for q in questions]


class Reasoner:
    """See the module.

    Args:
        rules: Applied once each, not to what other rules derive.
        progress: Called with the rules applied and all rules.
    """

    def __init__(
        self, rules: Sequence[Rule], progress: Callable[[int, int], None] | None = None
    ) -> None:
        self._rules = rules
        self._progress = progress

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The stated and the derived answers to each question."""
        graph = AnswerIndex(kg)
        found = _stated(graph, questions)
        asked: dict[tuple[str, str], dict[int, list[int]]] = {}
        for number, q in enumerate(questions):
            if q.topic in kg.entity_ids:
                same = asked.setdefault((q.relation, q.direction), {})
                same.setdefault(kg.entity_ids[q.topic], []).append(number)
        for done, rule in enumerate(self._rules, start=1):
            for direction in ("object", "subject"):
                by_topic = asked.get((rule.head.relation, direction))
                if by_topic:
                    topics = list(by_topic)
                    ends = derive(graph.index, rule, np.array(topics, np.int64), direction)
                    for at, entity in zip(*(column.tolist() for column in ends), strict=True):
                        for number in by_topic[topics[at]]:
                            found[number].add(entity)
            if self._progress:
                self._progress(done, len(self._rules))
        return found


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


def _stated(graph: AnswerIndex, questions: Sequence[OpenQuestion]) -> list[set[int]]:
    """The answers to each question that the graph states."""
    found = graph.find_labeled(
        [q.topic for q in questions],
        [q.relation for q in questions],
        [q.direction for q in questions],
    )
    ends = graph.kg.triples[:, [0, 2]]
    return [
        set(ends[found.of(i), int(q.direction == "object")].tolist())
        for i, q in enumerate(questions)
    ]
