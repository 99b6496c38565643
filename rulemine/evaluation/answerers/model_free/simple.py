"""Systems without a model that answer the questions of a release: what a score can be measured against.

``lookup``     the answers of the query on the graph
``neighbors``  every entity at most `hops` edges from a topic entity, whatever their relation and direction
``reasoner``   the answers of the query on the graph with all that one application of a rule of the release
               derives from it; on the incomplete graph it hits every hard answer, because the certificate
               of every removed triple is still there; of a property graph, the rows of the gold query
``prior``      the `k` commonest answers of the training questions about the same ends of relations, the
               commonest first: no graph at all
``nearest``    the entity of the right type that has most in common with the topic entity
``random``     one entity, drawn uniformly from those of the graph
``gold-cypher``  of a property graph: the gold query itself, what understanding every question gets, and no
               more; on an incomplete graph its rows lack what can only be inferred

Guarantees: the answers to a question depend on nothing but the question, the graph, the rules, the
declarations, the training questions and the seed (not on the split or on other questions).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rulemine.arrays import distinct
from rulemine.config import Section, option
from rulemine.cypher.questions.evaluator import evaluate
from rulemine.cypher.questions.pattern import PatternQuery
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.questions.render import to_cypher
from rulemine.cypher.rows import row_of
from rulemine.errors import ConfigError, QueryError
from rulemine.evaluation.answerers.model_free.links import answers_with
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.kg.graph import Triple
from rulemine.kg.index import Incidence, Index
from rulemine.kg.property_graph.graph import GraphEdge, PropertyGraph
from rulemine.kg.property_graph.values import Value
from rulemine.query.batch import Batch
from rulemine.release.guessing import guesser, nearest
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks
from rulemine.seeds import stream

__all__ = [
    "GoldCypher",
    "Lookup",
    "Nearest",
    "NeighborAnswers",
    "Prior",
    "RandomEntity",
    "Reasoner",
    "completed",
]


@dataclass(frozen=True)
class Lookup(Section):
    """The answers of the query on the graph."""

    needs: ClassVar = ("query",)
    spreads: ClassVar = True

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The stated answers to each question."""
        batch = Batch(q.query for q in questions)
        return batch.answers(batch.over(given.kg))


@dataclass(frozen=True)
class NeighborAnswers(Section):
    """Every entity near a topic entity, whatever lies between.

    Attributes:
        hops: How many edges away at most. A topic entity itself counts only when it has an edge to itself, or
            is near another one.
    """

    hops: int = option(1, least=1)

    spreads: ClassVar = True

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[set[int]]:
        """The neighbors of the topic entities of each question."""
        every, ids = Incidence(given.kg), given.kg.entity_ids
        reached: dict[str, set[int]] = {}
        for topic in {anchor for q in questions for anchor in q.anchors}:
            start = np.array([ids[name] for name in (topic,) if name in ids], np.int64)
            seen = distinct(every.others[every.at(start)])
            edge, left = np.setdiff1d(seen, start), self.hops
            while edge.size and (left := left - 1):
                edge = np.setdiff1d(every.others[every.at(edge)], np.union1d(seen, start))
                seen = np.union1d(seen, edge)
            reached[topic] = set(seen.tolist())
        return [set().union(*(reached[anchor] for anchor in q.anchors)) for q in questions]


@dataclass(frozen=True)
class Reasoner(Section):
    """The answers of the query on the graph with what the rules of the release derive from it.

    The rules are applied once each, not to what other rules derive. An oracle: the rules are those that
    decided what was removed.

    Attributes:
        confidence: The least PCA confidence of a rule that is applied.
    """

    needs: ClassVar = ("query", "rules")
    answers: ClassVar = ("entities", "rows")
    spreads: ClassVar = True

    confidence: float = option(0.0, least=0, most=1)

    def __call__(
        self, given: Context, questions: Sequence[OpenQuestion]
    ) -> list[set[int]] | list[Answered]:
        """The stated and the derived answers to each question; of a property graph, the rows."""
        rules = [
            rule
            for rule in given.rules
            if (rule.measures.pca_confidence if rule.measures else 0.0) >= self.confidence
        ]
        if given.graph is not None:
            queries = [query_of(q.query) for q in questions]
            asked = {relation for query in queries for relation in query.match.relations}
            graph = completed(given.graph, _derived(given, rules, asked))
            return [Answered(rows=_rows(graph, query)) for query in queries]
        batch = Batch(q.query for q in questions)
        kg = batch.over(given.kg)
        walks = Walks(Index(kg), rules)  # of what the graph states, not of what is derived before
        return answers_with(batch, kg, walks.triples, given.progress)


def _rows(graph: PropertyGraph, query: PatternQuery) -> Sequence[Sequence[Value | None]]:
    try:
        return evaluate(graph, query).rows
    except ConfigError:  # a difference of more than 64 bits, which no database has
        return ()


def _derived(given: Context, rules: Sequence[Rule], relations: Collection[str]) -> Iterator[Triple]:
    """What one application of the rules says of some relations, what is stated included."""
    names, everyone = given.kg.entities, np.arange(len(given.kg.entities))
    walks = Walks(Index(given.kg), rules)
    heads = sorted({rule.head.relation for rule in rules if rule.head.relation in relations})
    for done, relation in enumerate(heads, start=1):
        for _, topic, answer, _ in walks.derive(OpenEnds(relation, "object", everyone)):
            for s, o in np.unique(np.column_stack((topic, answer)), axis=0).tolist():
                yield names[s], relation, names[o]
        if given.progress is not None:
            given.progress(done, len(heads))


def completed(graph: PropertyGraph, triples: Iterable[Triple]) -> PropertyGraph:
    """A property graph with more edges.

    Args:
        graph: The graph.
        triples: The edges, which have no properties. What is stated, leads from a node to itself, or is no
            relation of the schema, is left out.
    """
    stated = {(edge.subject, edge.type, edge.object) for edge in graph.edges}
    edges = [
        GraphEdge(f"inferred {number}", r, s, o)
        for number, (s, r, o) in enumerate(sorted(set(triples) - stated), start=1)
        if s != o and graph.schema.relation(graph.node(s).type, r, graph.node(o).type)
    ]
    return PropertyGraph(graph.schema, graph.nodes, [*graph.edges, *edges])


@dataclass(frozen=True)
class Prior(Section):
    """The commonest answers of the training questions about the same ends of relations.

    What is asked for are the ends of the relations that lead to the answer: of a chain the last one, of
    intersections and unions those of all parts. Ends that no training question asks for get the commonest
    answers of all training questions. Of a property graph: the commonest rows of the training questions with
    the same templates and relations, if there are any.

    Attributes:
        k: How many guesses are made.
    """

    needs: ClassVar = ("query", "train")
    answers: ClassVar = ("entities", "rows")
    spreads: ClassVar = True

    k: int = option(1, least=1)

    def __call__(
        self, given: Context, questions: Sequence[OpenQuestion]
    ) -> list[list[str]] | list[Answered]:
        """The guesses for each question, by name, or as rows; the graph is not looked at."""
        found: list[list[str]] = [[] for _ in questions]
        for part in given.parts(questions):
            training = (q for q in part.train if q.split == "train")
            guesses = guesser(training, given.declarations, given.order)
            for number in part.numbers:
                found[number] = list(guesses(questions[number].query)[: self.k])
        if given.graph is None:
            return found
        rows = [list(map(row_of, guesses)) for guesses in found]
        # All rows of a result are as wide as the first.
        return [Answered(rows=[r for r in some if len(r) == len(some[0])]) for some in rows]


@dataclass(frozen=True)
class Nearest(Section):
    """The entity of the right type that has most in common with the topic, see `rulemine.release.guessing`.

    It is given questions over several links, too, though their answers are farther away than that.
    """

    needs: ClassVar = ("query",)
    spreads: ClassVar = True

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Sequence[str]]:
        """One entity for each question, or none."""
        names, found = given.kg.entities, Lookup()(given, questions)
        asked = (
            (q.query, q.anchors, [names[i] for i in stated])
            for q, stated in zip(questions, found, strict=True)
        )
        return nearest(given.kg, asked, given.declarations, given.order)


@dataclass(frozen=True)
class RandomEntity(Section):
    """One entity, drawn uniformly; the draw depends on the seed and the id of the question.

    It is the same entity in every naming.
    """

    spreads: ClassVar = True

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[set[str]]:
        """One entity for each question."""
        names = list(given.places)
        if not names:
            return [set() for _ in questions]
        drawn = [stream(given.seed, "random answer", q.id).below(len(names)) for q in questions]
        return [{names[i]} for i in drawn]


@dataclass(frozen=True)
class GoldCypher(Section):
    """The gold query of each question, an oracle."""

    needs: ClassVar = ("query",)
    answers: ClassVar = ("rows",)
    spreads: ClassVar = True

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The queries; the graph is not looked at."""
        return [Answered(cypher=_cypher(q.query)) for q in questions]


def _cypher(query: str) -> str:
    """The Cypher of a pattern; of questions that others published, the query is Cypher."""
    try:
        return to_cypher(query_of(query))
    except QueryError:
        return query
