"""The kinds of questions that others published: about triples, and in Cypher about property graphs."""

import json
import re
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, ClassVar

from rulemine.cypher.questions.templates import RETURN_GROUPS, return_group
from rulemine.kinds.group import STRUCTURE, Group
from rulemine.kinds.kind import Amounts, Kind, Published, pairs
from rulemine.registry import imported

__all__ = ["CYPHER", "KIND"]

_RUN = re.compile(r"(?<!\S)(\d+)\+(\d+)(?!\S)")
"""See `rulemine.kinds.imported.block.ImportedBlock.fields`."""

_FORM = STRUCTURE._replace(label=lambda q, _: q.structure or "not known")
"""Structures of queries, where there are any."""


class ImportedKind(Kind):
    """Questions about triples, with the texts and answers of their source."""

    name = "imported"
    block = imported("rulemine.kinds.imported.block:ImportedBlock")
    answers = imported("rulemine.kinds.imported.block:ImportedAnswers")
    files = imported("rulemine.kinds.imported.block:FILES")
    page = imported("rulemine.kinds.imported.page:PAGE")
    groups: ClassVar[Sequence[Group]] = (
        _FORM,
        Group("type", "type in the source", lambda q, _: str(q.block.type)),
    )
    limits = Amounts("")

    def ties(self, questions: Sequence[Any]) -> Iterator[list[Hashable]]:
        """What all questions are tied by; without hard answers, the topic entities with all answers."""
        for q in questions:
            asked = q.answers if q.hard_answer is None else [q.hard_answer]
            yield [*q.removed, *pairs(q.anchors, asked)]

    def published(self, question: Any) -> Published:
        """The query, its results when the set was imported, the answers with their repetitions, the graph."""
        block = question.block
        # A source may have a field of that name, with something else.
        runs = _RUN.findall(str(json.loads(block.fields).get("graph")))
        rows = [
            row for start, more in runs for row in range(int(start), int(start) + 1 + int(more))
        ]
        return Published(block.source_query, block.executed, block.listed, rows=rows)


def _match(fields: str) -> str:
    """The category of the MATCH template, where the source has templates."""
    return str(json.loads(fields).get("match_category", ""))


class ImportedCypherKind(ImportedKind):
    """Questions in Cypher, which ask property graphs for rows."""

    name = "imported_cypher"
    block = imported("rulemine.kinds.imported.block:ImportedCypherBlock")
    answers = imported("rulemine.kinds.imported.block:ImportedRows")
    groups = (
        _FORM,
        Group("graph", "graph", lambda q, _: str(q.block.graph)),
        Group("match", "MATCH template in the source", lambda q, _: _match(q.block.fields)),
        Group(
            "return",
            "RETURN, basic questions",
            lambda q, _: return_group(q.block.type),
            RETURN_GROUPS,
        ),
    )

    def ties(self, questions: Sequence[Any]) -> Iterator[list[Hashable]]:
        """The Cypher: questions that were put into other words stay together."""
        return ([question.block.graph, question.block.cypher] for question in questions)

    def published(self, question: Any) -> Published:
        """The graph that the source names; its Cypher is that of the block."""
        return Published(graph=question.block.graph)


KIND = ImportedKind()
CYPHER = ImportedCypherKind()
