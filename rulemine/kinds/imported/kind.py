"""The kinds of questions that others published: about triples, and in Cypher about property graphs."""

import json
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, ClassVar

from rulemine.cypher.questions.templates import RETURN_GROUPS, return_group
from rulemine.kinds.group import Group
from rulemine.kinds.kind import Amounts, Kind, Queries, Results, Splits, pairs
from rulemine.registry import imported

__all__ = ["CYPHER", "KIND"]

_FORM = Group("structure", "structure", lambda q, _: q.structure or "not known")
"""Structures of queries, where there are any."""


class ImportedQueries(Queries):
    """What is known of the query of the source."""

    built = False

    def source(self, question: Any) -> str:
        """Its SPARQL, or what else the source has."""
        return str(question.block.source_query)

    def executed(self, question: Any) -> Any:
        """When its set was imported."""
        return question.block.executed

    def listed(self, question: Any) -> Sequence[str]:
        """With the repetitions of the source."""
        return question.block.listed or tuple(question.answers)


class ImportedSplits(Splits):
    """What questions share."""

    def ties(self, questions: Sequence[Any]) -> Iterator[list[Hashable]]:
        """What all questions are tied by; without hard answers, the topic entities with all answers."""
        for q in questions:
            asked = q.answers if q.hard_answer is None else [q.hard_answer]
            yield [*q.removed, *pairs(q.anchors, asked)]


class ImportedKind(Kind):
    """Questions about triples, with the texts and answers of their source."""

    name = "imported"
    block = imported("rulemine.kinds.imported.block:ImportedBlock")
    answers = imported("rulemine.kinds.imported.block:ImportedAnswers")
    files = imported("rulemine.kinds.imported.block:FILES")
    page = imported("rulemine.kinds.imported.page:PAGE")
    results: ClassVar[Results] = Results(
        groups=(Group("type", "type in the source", lambda q, _: str(q.block.type)),),
        by=_FORM,
    )
    queries: ClassVar[Queries] = ImportedQueries()
    splits: ClassVar[Splits] = ImportedSplits()
    limits = Amounts("")


def _match(fields: str) -> str:
    """The category of the MATCH template, where the source has templates."""
    return str(json.loads(fields).get("match_category", ""))


class ImportedCypherQueries(Queries):
    """What is known of the Cypher of the source."""

    built = False

    def graph(self, question: Any) -> str:
        """The graph that the source names."""
        return str(question.block.graph)


class ImportedCypherSplits(Splits):
    """What questions share."""

    def ties(self, questions: Sequence[Any]) -> Iterator[list[Hashable]]:
        """The Cypher: questions that were put into other words stay together."""
        return ([question.block.graph, question.block.cypher] for question in questions)


class ImportedCypherKind(ImportedKind):
    """Questions in Cypher, which ask property graphs for rows."""

    name = "imported_cypher"
    block = imported("rulemine.kinds.imported.block:ImportedCypherBlock")
    answers = imported("rulemine.kinds.imported.block:ImportedRows")
    results = Results(
        groups=(
            Group("graph", "graph", lambda q, _: str(q.block.graph)),
            Group("match", "MATCH template in the source", lambda q, _: _match(q.block.fields)),
            Group(
                "return",
                "RETURN, basic questions",
                lambda q, _: return_group(q.block.type),
                RETURN_GROUPS,
            ),
        ),
        by=_FORM,
    )
    queries = ImportedCypherQueries()
    splits = ImportedCypherSplits()


KIND = ImportedKind()
CYPHER = ImportedCypherKind()
