"""The kinds of questions that others published: about triples, and in Cypher about property graphs."""

import json
from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rulemine.cypher.questions.templates import RETURN_GROUPS, return_group
from rulemine.kinds.group import Group
from rulemine.kinds.kind import Kind, pairs
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kinds.kind import ReleaseFile
    from rulemine.phrasing.templates import Templates

__all__ = ["CYPHER", "KIND"]


TYPE = Group("type", "type in the source", lambda q, _: str(q.block.type))


class ImportedKind(Kind):
    """Questions about triples, with the texts and answers of their source."""

    name = "imported"
    built = False
    tools: ClassVar[Sequence[tuple[str, str]]] = (
        ("imported parts", "rulemine.kinds.imported.making"),
    )
    block = imported("rulemine.kinds.imported.block:ImportedBlock")
    answers = imported("rulemine.kinds.imported.answers:ImportedAnswers")
    page = imported("rulemine.kinds.imported.page:PAGE")
    view = imported("rulemine.kinds.imported.show:imported_view")
    groups: ClassVar[Sequence[Group]] = (TYPE,)
    baselines: ClassVar[Sequence[str]] = ("lookup", "neighbors", "neighbors:hops=2", "random")

    @property
    def files(self) -> "Sequence[ReleaseFile]":
        """The triples that the incomplete graph lacks, without certificates."""
        from rulemine.kinds.kind import ReleaseFile
        from rulemine.release.records import MISSING, Missing

        return (ReleaseFile(MISSING, Missing, ("triple",), "the missing triples"),)

    @property
    def form(self) -> Group:
        """Structures of queries, else the type that the source gives, else nothing."""
        return Group("structure", "structure", lambda q, _: q.structure or "not known")

    def unknown(self, parts: Any) -> Collection[str]:
        """What needs certificates; without a graph, or an incomplete one, also what these show."""
        from rulemine.kinds.imported.figures import unknown_figures

        return unknown_figures(parts)

    def text(self, question: Any, templates: "Templates", *, articles: bool) -> str:
        """The text of the source."""
        return str(question.question)

    def gold(self, question: Any) -> Any:
        """As the release has it; the query of the source is kept word for word."""
        return super().gold(question) if question.query else question

    def listed(self, question: Any) -> Sequence[str]:
        """With the repetitions of the source."""
        return question.block.listed or tuple(question.answers)

    def ties(self, questions: Sequence[Any]) -> Iterator[list[Hashable]]:
        """What all questions are tied by; without hard answers, the topic entities with all answers."""
        for q in questions:
            asked = q.answers if q.hard_answer is None else [q.hard_answer]
            yield [*q.removed, *pairs(q.anchors, asked)]

    def source_query(self, question: Any) -> str:
        """Its SPARQL, or what else the source has."""
        return str(question.block.source_query)

    def executed(self, question: Any) -> Collection[str] | None:
        """When its set was imported."""
        found: Collection[str] | None = question.block.executed
        return found


def _match(fields: str) -> str:
    """The category of the MATCH template, where the source has templates."""
    return str(json.loads(fields).get("match_category", ""))


class ImportedCypherKind(ImportedKind):
    """Questions in Cypher, which ask property graphs for rows."""

    name = "imported_cypher"
    tools = ()
    removes = False
    block = imported("rulemine.kinds.imported.block:ImportedCypherBlock")
    answers = imported("rulemine.kinds.imported.answers:ImportedRows")
    groups = (
        Group("graph", "graph", lambda q, _: str(q.block.graph)),
        Group("match", "MATCH template in the source", lambda q, _: _match(q.block.fields)),
        Group(
            "return",
            "RETURN, basic questions",
            lambda q, _: return_group(q.block.type),
            RETURN_GROUPS,
        ),
    )
    baselines = ("gold-cypher",)
    baseline_scores = ("ex", *Kind.baseline_scores[:-1])

    def gold(self, question: Any) -> Any:
        """As the release has it."""
        return question

    def source_query(self, question: Any) -> str:
        """None: `query` is the Cypher."""
        return ""

    def executed(self, question: Any) -> None:
        """It was not."""
        return

    def listed(self, question: Any) -> Sequence[str]:
        """Each row once."""
        return tuple(question.answers)

    def graph_of(self, question: Any) -> str:
        """The graph that the source names."""
        return str(question.block.graph)

    def cypher_templates(self, question: Any) -> tuple[str, str, str]:
        """As far as the source says them; it has no MATCH template of our name."""
        return _match(question.block.fields), "", str(question.block.type)

    def ties(self, questions: Sequence[Any]) -> Iterator[list[Hashable]]:
        """The Cypher: questions that were put into other words stay together."""
        return ([question.block.graph, question.block.cypher] for question in questions)


KIND = ImportedKind()
CYPHER = ImportedCypherKind()
