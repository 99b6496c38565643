"""What queries of others give on the graphs, beside the answers that their source states."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from rulemine.errors import QueryError
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.graded import asked_by
from rulemine.kinds.imported.running import SourceRunner
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence import full_evidence
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.grading import Grades
from rulemine.query.links import parts_of
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph, levels_of
from rulemine.query.tree import Count, Projection, Query
from rulemine.release.records import HardAnswer

__all__ = ["Executed", "QueryGrader"]


class Executed(NamedTuple):
    """What a query gives.

    Attributes:
        fields: Of a question: those that follow from its query, and ``evidence``, ``full_evidence``,
            ``relations``, ``intermediates``, ``spurious`` of the stated answers that it gives; none of SPARQL
            that is no query over links.
        answers: All of its answers on the complete graph, sorted.
        stated: Those of the stated answers that the incomplete graph gives.
        hard: Those that only the complete graph gives, by answer; of SPARQL that is no query over links
            without a derivation, so missing one triple at the least.
    """

    fields: dict[str, Any]
    answers: tuple[str, ...]
    stated: tuple[str, ...]
    hard: dict[str, HardAnswer]


class QueryGrader:
    """Executes queries on a graph and on what is left of it.

    Args:
        kg: The complete graph.
        missing: What the incomplete graph lacks, with levels.
        templates: What is declared of its relations.
        runner: Runs SPARQL that is no query over links.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        missing: Mapping[Triple, int],
        templates: Templates,
        runner: SourceRunner,
    ) -> None:
        self._kg, self._missing, self._templates = kg, missing, templates
        self._runner = runner

    @cached_property
    def _graph(self) -> QueryGraph:
        return QueryGraph(self._kg, levels_of(self._kg, self._missing))

    def execute(
        self,
        query: str,
        sparql: str,
        answers: tuple[str, ...],
        hard: tuple[str, ...] | None,
        lacks: str = "",
    ) -> Executed | str:
        """Executes a query.

        Args:
            query: Its text, as of `rulemine.query.parser`; or "".
            sparql: It in SPARQL, read strictly where there is no `query`.
            answers: The stated answers.
            hard: Those that the source says are hard; None: it does not say.
            lacks: What the SPARQL has that no query over links has; "": its reader did not look.

        Returns:
            What it gives; or why it cannot be executed, in a sentence.
        """
        try:
            if lacks and not query:
                raise QueryError(f"it is no query over links: {lacks}.")
            tree = parse(query) if query else tree_of_sparql(sparql)
            if isinstance(tree, Count):
                raise QueryError("it asks for a number.")
            grades = Grades(self._graph, tree)
        except QueryError as problem:
            why = " ".join(str(problem).split())
            return why if query or not sparql else self._run(sparql, answers, why)
        return self._executed(tree, grades, answers, hard)

    def _run(self, sparql: str, answers: tuple[str, ...], why: str) -> Executed | str:
        """What SPARQL gives as its source has it."""
        found = self._runner.run(sparql)
        if isinstance(found, str):
            return f"{why} As written: {found}"
        whole, left = found
        given = [name for name in answers if name in whole]
        rows = {name: HardAnswer(name, 1, 100, (), False) for name in given if name not in left}
        return Executed({}, whole, tuple(name for name in given if name in left), rows)

    def _executed(
        self, query: Query, grades: Grades, answers: tuple[str, ...], hard: tuple[str, ...] | None
    ) -> Executed:
        labels = self._kg.entities
        missing = dict(zip(grades.answers, grades.missing.tolist(), strict=True))
        until = dict(zip(grades.answers, grades.stated_until.tolist(), strict=True))
        known = [name for name in answers if name in missing]
        rows = {
            name: HardAnswer(name, missing[name], until[name], self._witness(grades, name), False)
            for name in known
            if missing[name]
        }
        chosen = rows if hard is None else {name: rows[name] for name in hard if name in rows}
        first = min(chosen, key=lambda name: (rows[name].missing, name), default=None)
        kept = next(iter([first] if first else known or grades.answers), None)
        some = frozenset(known)
        entities = grades.entities[[labels[at] in some for at in grades.entities.tolist()]]
        evidence = full_evidence(grades, entities)
        asked = asked_by(query, self._templates.declarations)
        seen = {*answers, *missing, *asked["anchors"]}
        between = (labels[at] for at in evidence.between.tolist())
        fields = {
            **asked,
            "evidence": () if kept is None else self._witness(grades, kept),
            "full_evidence": tuple(self._kg.labeled(evidence.rows)),
            "relations": tuple(sorted(_relations(query))),
            "intermediates": tuple(name for name in between if name not in seen),
            "spurious": grades.spurious,
        }
        return Executed(fields, grades.answers, tuple(n for n in known if n not in rows), rows)

    def _witness(self, grades: Grades, answer: str) -> tuple[Triple, ...]:
        return tuple(self._kg.labeled(grades.witness(answer)))


def _relations(query: Query) -> set[str]:
    own = {query.relation} if isinstance(query, Projection) else set()
    return own.union(*map(_relations, parts_of(query)))
