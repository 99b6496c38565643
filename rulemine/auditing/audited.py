"""What an audit looks at: the questions of a release, its graphs, and what their queries give.

Every figure has its own questions. Where a set has no test split, all its questions are asked; where it has
no graph without some triples, its only graph is what systems are given.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property

import numpy as np

from rulemine.arrays import distinct
from rulemine.cypher.questions.evaluator import evaluate
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.rows import ResultTable, row_text
from rulemine.evaluation.cypher.runners import InMemoryRunner
from rulemine.evaluation.statistics.bootstrap import Ints
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.registry import kind_named
from rulemine.query.batch import Batch
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.reader import Release
from rulemine.release.records import Question

__all__ = ["AuditedSet", "Progress"]

Progress = Callable[[int, int], None]


class AuditedSet:
    """A question set that is audited.

    Attributes:
        release: The release.
        questions: All its questions, by id.
        has_rows: Whether answers are rows of a property graph rather than entities.
        has_reference: Whether some answers are those of a larger graph, see `Question.further`.
    """

    def __init__(self, release: Release) -> None:
        self.release = release
        self.questions: Sequence[Question] = release.questions()
        self.has_rows = release.answers == "rows"
        self.has_reference = "kg/reference.tsv.gz" in release.manifest["files"]

    @cached_property
    def declarations(self) -> Declarations:
        """Which relations state the same facts."""
        return self.release.templates().declarations

    @cached_property
    def clusters(self) -> Ints:
        """The cluster of each question: those on the same topics, shape (n,)."""
        found: dict[tuple[str, ...], int] = {}
        topics = [tuple(sorted(q.anchors)) or ("", q.id) for q in self.questions]
        return np.array([found.setdefault(some, len(found)) for some in topics], np.int64)

    @cached_property
    def asked(self) -> list[bool]:
        """Which questions systems are scored on: those of test, or all where there is no test split."""
        test = [q.split == "test" for q in self.questions]
        return test if any(test) else [True] * len(test)

    @cached_property
    def training(self) -> list[Question]:
        """The training questions."""
        return [q for q in self.questions if q.split == "train"]

    def over_asked(self, hit: Callable[[Question], bool | None]) -> list[bool | None]:
        """A score of each question that systems are scored on, None for the others."""
        pairs = zip(self.questions, self.asked, strict=True)
        return [hit(q) if asked else None for q, asked in pairs]

    @cached_property
    def complete(self) -> KnowledgeGraph | None:
        """The complete graph."""
        return self.release.kg("complete") if "complete" in self.release.graphs else None

    @cached_property
    def incomplete(self) -> KnowledgeGraph | None:
        """The graph without what is removed; None: nothing is, or there is no graph."""
        if self.complete is None or "incomplete" not in self.release.graphs:
            return None
        found = self.release.kg("incomplete")
        return found if len(found) < len(self.complete) else None

    def graph_of(self, question: Question) -> str:
        """The graph that a question is about, where the set has several; else ""."""
        return self.release.graph_of(question)[0]

    @cached_property
    def states_answers(self) -> bool:
        """Whether the set states answers, not only queries."""
        return any(q.answers for q in self.questions)

    def states(self, question: Question) -> bool:
        """Whether a question states its answers; rows may be those of its Cypher, whatever they are."""
        return self.states_answers and (bool(question.answers) or not self.has_rows)

    @property
    def has_graph(self) -> bool:
        """Whether it has a graph, or several property graphs."""
        return self.complete is not None or bool(self.release.named_graphs)

    @property
    def why_no_query(self) -> str:
        """Why no figure on what queries give can be had, a sentence."""
        return "no question has a query that runs." if self.has_graph else "the set has no graph."

    @property
    def given(self) -> KnowledgeGraph | None:
        """The graph that systems are given."""
        return self.complete if self.incomplete is None else self.incomplete

    @cached_property
    def removed(self) -> RemovedFacts:
        """What the incomplete graph lacks."""
        if self.complete is None or self.incomplete is None:
            return RemovedFacts(())
        left = set(self.incomplete.labeled())
        return RemovedFacts(t for t in self.complete.labeled() if t not in left)

    def executed(self, which: str) -> list[frozenset[str] | None]:
        """What the query of each question gives on a graph; None: it has no query that can be run here.

        Args:
            which: ``complete`` or ``incomplete``; the complete one where there is no other.
        """
        if self.has_rows:
            return self._rows("incomplete" if which == "incomplete" else "complete")
        kg = self.given if which == "incomplete" else self.complete
        if kg is None:
            return [None] * len(self.questions)
        found = self.answers_to(kg, [q.query for q in self.questions])
        if which == "incomplete":
            return found
        # SPARQL that is no query over links was run when its set was imported.
        as_written = (kind_named(q.kind).published(q).executed for q in self.questions)
        return [
            frozenset(other) if own is None and other is not None else own
            for own, other in zip(found, as_written, strict=True)
        ]

    def answers_to(self, kg: KnowledgeGraph, queries: Sequence[str]) -> list[frozenset[str] | None]:
        """What queries give on a graph, None for an empty one; what the graph lacks has no triples."""
        batch = Batch(query for query in queries if query)
        found = iter(batch.answers(batch.over(kg)))
        return [
            frozenset(kg.entities[i] for i in next(found)) if query else None for query in queries
        ]

    def _rows(self, which: str) -> list[frozenset[str] | None]:
        found: dict[str, frozenset[str] | None] = {}
        for name in dict.fromkeys(self.release.graph_of(q) for q in self.questions):
            file = name[1]
            if file is None and not self.release.has_property_graph:
                continue
            graph = self.release.property_graph(which if file is None else file)
            runner = InMemoryRunner(graph)
            own = (q for q in self.questions if self.release.graph_of(q) == name)
            found |= {q.id: _rows_of(graph, runner, q) for q in own}
        return [found.get(q.id) for q in self.questions]

    def edges(self) -> Callable[[str], Ints] | None:
        """The entities joined to one by an edge of the given graph, as ids; None: there is no graph."""
        kg = self.given
        if kg is None:
            return None
        ids, every = kg.entity_ids, Incidence(kg)

        @cache
        def around(entity: str) -> Ints:
            known = np.array([ids[entity]] if entity in ids else [], np.int64)
            return distinct(every.others[every.at(known)])

        return around


def _rows_of(graph: PropertyGraph, runner: InMemoryRunner, q: Question) -> frozenset[str] | None:
    """The rows of a query, a pattern or Cypher; None: it cannot be run in memory."""
    if q.query.startswith("{"):
        rows = evaluate(graph, query_of(q.query))
        tied = frozenset(map(row_text, rows.tied))  # any of them is right
        return tied.intersection(q.answers) or frozenset(map(row_text, rows.rows))
    found = runner.rows(q.query) if q.query else None
    return frozenset(map(row_text, found.rows)) if isinstance(found, ResultTable) else None
