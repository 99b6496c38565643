"""Systems without a model that answer the questions of a release: what a score can be measured against.

``lookup``      the entities that the graph links to the topic by a statement of what is asked, in its
                direction
``neighbors``  every entity at most `hops` edges from the topic, whatever their relation and direction
``reasoner``    what ``lookup`` finds, and every statement of what is asked that one application of a
                rule of the release derives; on the incomplete graph it hits every hard answer, because the
                certificate of each question is still there
``prior``       the `k` commonest answers of the training questions about the same relation and direction:
                no graph at all
``random``      one entity, drawn uniformly from those of the graph

Guarantees: the answers to a question depend on nothing but the question, the graph, the rules, the
declarations, the training questions and the seed (not on the split or on other questions).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.answerers.registry import OpenQuestion
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.answers import AnswerIndex
from rulemine.release.guessing import commonest_answers
from rulemine.release.records import Question
from rulemine.rules.forward import derive
from rulemine.rules.rule import Rule
from rulemine.seeds import stream

__all__ = ["Lookup", "Neighbors", "Prior", "RandomEntity", "Reasoner"]

FOLDS = 10
"""Parts of the training questions, by topic; the questions of one are guessed from the others."""

Ints = npt.NDArray[np.int64]


class Lookup:
    """See the module.

    Args:
        declarations: Which relations state the same facts.
    """

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The stated answers to each question."""
        return _stated(AnswerIndex(kg), questions, self._declarations)


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
        declarations: Which relations state the same facts.
        progress: Called with the rules applied and all rules.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        declarations: Declarations,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._rules = rules
        self._declarations = declarations
        self._progress = progress

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The stated and the derived answers to each question."""
        graph = AnswerIndex(kg)
        found = _stated(graph, questions, self._declarations)
        asked: dict[tuple[str, str], dict[int, list[int]]] = {}
        for number, q in enumerate(questions):
            if q.topic in kg.entity_ids:
                for statement in self._declarations.statements(q.relation, q.direction):
                    same = asked.setdefault(statement, {})
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


class Prior:
    """See the module.

    A relation and direction that no training question asks about gets the commonest answers of all
    training questions. A training question is guessed without its own topic: the topics are dealt into
    `FOLDS` parts, and each part is guessed from the others.

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

    def __call__(self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]) -> list[set[str]]:
        """The guesses for each question, by name; the graph is not looked at."""
        trained = {q.id for q in self._train}
        parts: dict[int | None, list[int]] = {}
        for number, q in enumerate(questions):
            parts.setdefault(self._fold(q.topic) if q.id in trained else None, []).append(number)
        found: list[set[str]] = [set() for _ in questions]
        for part, numbers in parts.items():
            counted = [q for q in self._train if part is None or self._fold(q.topic) != part]
            guesses = commonest_answers(counted, self._declarations, self._order)
            overall = Counter(answer for q in counted for answer in q.answers)
            anything = sorted(overall, key=lambda a: (-overall[a], self._order.get(a, 0), a))
            for number in numbers:
                key = self._declarations.asked(
                    questions[number].relation, questions[number].direction
                )
                found[number] = set(guesses.get(key, anything)[: self._k])
        return found

    def _fold(self, topic: str) -> int:
        return self._order.get(topic, 0) % FOLDS


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


def _stated(
    graph: AnswerIndex, questions: Sequence[OpenQuestion], declarations: Declarations
) -> list[set[int]]:
    """The answers to each question that the graph states."""
    asked = [
        (number, q.topic, *statement)
        for number, q in enumerate(questions)
        for statement in declarations.statements(q.relation, q.direction)
    ]
    found: list[set[int]] = [set() for _ in questions]
    if not asked:
        return found
    numbers, topics, relations, directions = map(list, zip(*asked, strict=True))
    rows = graph.find_labeled(topics, relations, directions)
    ends = graph.kg.triples[:, [0, 2]]
    for i, (number, direction) in enumerate(zip(numbers, directions, strict=True)):
        found[number] |= set(ends[rows.of(i), int(direction == "object")].tolist())
    return found
