"""What an audit looks at: the questions of a release, its graphs, and what their queries give.

Where a set has no test split, all its questions are asked; where it has no graph without some triples, its
only graph is what systems are given. `AuditedSet.lacks` says what a figure needs that the set does not have.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from rulemine.cypher.questions.evaluator import evaluate
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.rows import ResultTable, row_text
from rulemine.errors import QueryError
from rulemine.evaluation.cypher.runners import InMemoryRunner
from rulemine.evaluation.statistics.bootstrap import Ints
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.registry import kind_named
from rulemine.query.batch import Batch
from rulemine.query.links import expanded
from rulemine.query.parser import parse
from rulemine.query.tree import Projection
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.text.normalization import QUESTION_MARKS, fold_loosely

__all__ = ["AuditedSet", "Given", "canonical_query", "normalized_text"]

Given = dict[str, frozenset[str] | None]
"""Id of a question → what a query gives; None: there is none that can be run here."""


class AuditedSet:
    """A question set that is audited.

    Attributes:
        release: The release.
        questions: All its questions, by id.
        mines: Whether rules are mined where the release has none.
        has_rows: Whether answers are rows of a property graph rather than entities.
        has_rules: Whether the release says which rules its proofs are of.
        states_answers: Whether the set states answers, not only queries.
        asked: Which questions systems are scored on: those of test, or all where there is no test split.
        training: The training questions.
        earlier: The training and validation questions.
        clusters: The cluster of each question: those on the same topics, shape (n,).
        complete: The complete graph; None: there is none, or there are several.
        given: The graph that systems are given.
        incomplete: The graph without what is removed; None: nothing is.
        left: Its triples.
        removed: What it lacks.
    """

    def __init__(self, release: Release, mines: bool = True) -> None:
        self.release, self.mines = release, mines
        self.questions: Sequence[Question] = release.questions()
        self.has_rows = release.answers == "rows"
        self.has_rules = "rules.jsonl" in release.manifest["files"]
        self.states_answers = any(q.answers for q in self.questions)
        self.training = [q for q in self.questions if q.split == "train"]
        self.earlier = [q for q in self.questions if q.split in ("train", "validation")]
        test = [q.split == "test" for q in self.questions]
        self.asked = test if any(test) else [True] * len(test)
        topics = [tuple(sorted(q.anchors)) or ("", q.id) for q in self.questions]
        numbers = {some: number for number, some in enumerate(dict.fromkeys(topics))}
        self.clusters: Ints = np.array([numbers[some] for some in topics], np.int64)
        complete = release.kg("complete") if "complete" in release.graphs else None
        less = release.kg("incomplete") if "incomplete" in release.graphs else complete
        self.complete = complete
        lacking = complete is not None and less is not None and len(less) < len(complete)
        self.incomplete = less if lacking else None
        self.given = complete if self.incomplete is None else self.incomplete
        stated, self.left = (
            set(kg.labeled()) if kg is not None and lacking else set[Triple]()
            for kg in (complete, less)
        )
        self.removed = RemovedFacts(stated - self.left)

    @cached_property
    def declarations(self) -> Declarations:
        """Which relations state the same facts."""
        return self.release.templates().declarations

    def graph_of(self, question: Question) -> str:
        """The graph that a question is about, where the set has several; else ""."""
        return self.release.graph_of(question)[0]

    def states(self, question: Question) -> bool:
        """Whether a question states its answers; rows may be those of its Cypher, whatever they are."""
        return self.states_answers and (bool(question.answers) or not self.has_rows)

    def lacks(self, needs: Iterable[str]) -> str:
        """The first that the set does not have of what a figure needs, as a key of ``needs``; "": it has all.

        Args:
            needs: What it needs.
        """
        has: dict[str, Callable[[], object]] = {
            "entities": lambda: not self.has_rows,
            "answers": lambda: self.states_answers,
            "graph": lambda: self.complete is not None or self.release.named_graphs,
            "runs": lambda: any(rows is not None for rows in self.on_complete.values()),
            "looks up": lambda: any(rows is not None for rows in self.on_given.values()),
            "ends": lambda: any(rows is not None for rows in self.other_way.values()),
            "declared": lambda: self.declarations.readings,
            "test": lambda: any(q.split == "test" for q in self.questions),
            "earlier": lambda: self.earlier,
            "training": lambda: self.training,
            "hard": lambda: any(q.hard for q in self.questions),
            "removed": lambda: self.removed.all,
            "certificates": self.release.removals,
            "witnesses": lambda: any(row.witness for q in self.questions for row in q.hard),
            "rules": lambda: self.mines or (self.has_rules and self.release.rules()),
        }
        return next((need for need in needs if not has[need]()), "")

    @cached_property
    def on_complete(self) -> Given:
        """What the query of each question gives on the complete graph."""
        if self.has_rows:
            return self._rows("complete")
        found = self._answers(self.complete, lambda q: q.query)
        for q in self.questions:
            # SPARQL that is no query over links was run when its set was imported.
            run = kind_named(q.kind).published(q).executed
            if found[q.id] is None and run is not None:
                found[q.id] = frozenset(run)
        return found

    @cached_property
    def on_given(self) -> Given:
        """What it gives on the graph that systems are given."""
        return (
            self._rows("incomplete")
            if self.has_rows
            else self._answers(self.given, lambda q: q.query)
        )

    @cached_property
    def other_way(self) -> Given:
        """What the query gives that asks for the other end of its last relation, where it has one."""
        return self._answers(self.complete, _other_way)

    @cached_property
    def by_synonyms(self) -> Given:
        """What each query gives if a fact also counts where a declared synonym states it."""
        return self._answers(
            self.complete, lambda q: q.query and expanded(parse(q.query), self.declarations).text
        )

    def _answers(self, kg: KnowledgeGraph | None, form: Callable[[Question], str]) -> Given:
        """What each query, rewritten by `form`, gives on a graph; unknown relations have no triples there."""
        found: Given = dict.fromkeys(q.id for q in self.questions)
        queries = {q.id: query for q in self.questions if (query := form(q))}
        if kg is not None:
            batch = Batch(queries.values())
            for id_, rows in zip(queries, batch.answers(batch.over(kg)), strict=True):
                found[id_] = frozenset(kg.entities[i] for i in rows)
        return found

    def _rows(self, which: str) -> Given:
        found: Given = dict.fromkeys(q.id for q in self.questions)
        by_graph: dict[str | None, list[Question]] = {}
        for q in self.questions:
            by_graph.setdefault(self.release.graph_of(q)[1], []).append(q)
        for file, some in by_graph.items():
            if file is not None or self.release.has_property_graph:
                graph = self.release.property_graph(file or which)
                runner = InMemoryRunner(graph)
                found |= {q.id: _rows_of(graph, runner, q) for q in some}
        return found


def normalized_text(question: Question) -> str:
    """A text in one spelling: case, typography, white space and the mark at its end do not matter."""
    return fold_loosely(question.question).strip().rstrip(f"{QUESTION_MARKS}. ")


def canonical_query(question: Question) -> str:
    """A query in one spelling; that of the source with single blanks where no other is known; or ""."""
    text = question.query or kind_named(question.kind).published(question).query
    try:
        return parse(text).text if text.startswith("(") else " ".join(text.split())
    except QueryError:  # an expression of others
        return " ".join(text.split())


def _other_way(question: Question) -> str:
    """The query that asks for the other end of its last relation; "" where there is none or several."""
    query = parse(question.query) if question.query else None
    if not isinstance(query, Projection):
        return ""
    return Projection(query.relation, not query.inverse, query.of).text


def _rows_of(graph: PropertyGraph, runner: InMemoryRunner, q: Question) -> frozenset[str] | None:
    """The rows of a query, a pattern or Cypher; None: it cannot be run in memory."""
    if q.query.startswith("{"):
        rows = evaluate(graph, query_of(q.query))
        tied = frozenset(map(row_text, rows.tied))  # any of them is right
        return tied.intersection(q.answers) or frozenset(map(row_text, rows.rows))
    found = runner.rows(q.query) if q.query else None
    return frozenset(map(row_text, found.rows)) if isinstance(found, ResultTable) else None
