"""Verbalization inputs of questions over property graphs: what prompts and checks need to know about each."""

import datetime
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from rulemine.cypher.questions.pattern import END, START, PatternQuery
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.questions.render import to_cypher
from rulemine.cypher.questions.templates import NAMING, RETURNS
from rulemine.cypher.rows import row_of
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.property_graph.schema import Schema
from rulemine.kinds.cypher.words.properties import number_text
from rulemine.phrasing.glosses import Glosses
from rulemine.phrasing.templates import Templates
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question
from rulemine.text.normalization import fold, mentions
from rulemine.verbalizer.judged import JudgedInput, shown_questions

__all__ = ["CypherInput", "make_cypher_inputs"]


@dataclass(frozen=True, slots=True)
class CypherInput(JudgedInput):
    """A question over a property graph to verbalize, see `rulemine.verbalizer.judged.JudgedInput`.

    Its topics are the nodes that are fixed; its answers are the nodes in its rows, but those that its text
    names anyway.

    Attributes:
        cells: The texts in its rows that are no names and that its text does not have.
        bounds: The values that a text must have, as it must have them: years, dates, numbers, texts.
        schema: What its query uses of the schema, a line each.
    """

    prefix: ClassVar[str] = "cypher_"

    cells: tuple[str, ...]
    bounds: tuple[str, ...]
    schema: tuple[str, ...]

    def values(self) -> dict[str, str]:
        """See `QuestionInput`; lists are JSON."""
        block = self.question.block
        words = f"{block.match}; returned: {RETURNS[block.returns].words}"
        return {
            "asked": self.asked,
            "cypher": to_cypher(query_of(self.shown.query)),
            "pattern": words,
            "fixed": json.dumps(
                [row.name_in(self.naming) for row in self.topics], ensure_ascii=False
            ),
            "bounds": json.dumps(self.bounds, ensure_ascii=False),
        }

    def blocks(self) -> dict[str, list[dict[str, str]]]:
        """See `QuestionInput`."""
        return {"schema": [{"row": row} for row in self.schema]}


def make_cypher_inputs(
    asked: QuestionSet, schema: Schema, glosses: Glosses, templates: Templates, naming: str
) -> list[CypherInput]:
    """Makes the verbalization inputs of all questions.

    Args:
        asked: The questions, with source labels, and the names of all entities.
        schema: The schema of the graph.
        glosses: The relation descriptions.
        templates: The templates of all relations.
        naming: How prompts name entities, see `rulemine.kg.entity_names.NAMINGS`.

    Returns:
        One input per question, in the order of ``asked.questions``.
    """
    names = {row.entity: row for row in asked.names}
    made = []
    for known in shown_questions(asked, templates, naming):
        question, topics = known["question"], known["topics"]
        query = query_of(question.query)
        text = fold(question.patterns[0])
        answers, cells = _in_rows(question, names)
        made.append(
            CypherInput(
                **known,
                answers=tuple(
                    row
                    for row in answers
                    if row not in topics and not mentions(text, fold(row.text))
                ),
                cells=tuple(cell for cell in cells if not mentions(text, fold(cell))),
                bounds=_bounds(query),
                schema=tuple(_described(query, schema, glosses)),
            )
        )
    return made


def _in_rows(
    question: Question, names: Mapping[str, EntityNames]
) -> tuple[list[EntityNames], list[str]]:
    """The nodes in the rows, and the texts that are no names; each once, in the order of the rows."""
    nodes, texts = dict[EntityNames, None](), dict[str, None]()
    for row in map(row_of, question.answers):
        for at, cell in enumerate(row):
            if at == 0 and question.block.returns in NAMING:
                nodes[names[cell]] = None
                continue
            for value in cell if isinstance(cell, list) else [cell]:
                if isinstance(value, str) and value.strip():
                    texts[value] = None
    return list(nodes), list(texts)


def _bounds(query: PatternQuery) -> tuple[str, ...]:
    """The values of a question as a text has them; a truth value is said by what is asked."""
    found = [str(query.match.time)] if isinstance(query.match.time, int) else []
    bound = query.result.bound
    if bound is not None and not isinstance(bound, bool):
        found.append(bound.isoformat() if isinstance(bound, datetime.date) else bound)  # type: ignore[arg-type]
    return tuple(value if isinstance(value, str) else number_text(value) for value in found)


def _described(query: PatternQuery, schema: Schema, glosses: Glosses) -> Iterator[str]:
    """What a query uses of a schema: nodes, relations with their ends, properties."""
    match, result = query.match, query.result
    for variable, node in match.named.items():
        yield f"{variable}: {node.type}{_about(schema.entity(node.type).description)}"
    for edge in match.edges:
        ends = match.named[edge.subject].type, match.named[edge.object].type
        relation = schema.relation(ends[0], edge.relation, ends[1])
        known = {row.name for row in relation.properties} if relation else set()
        held = "; it begins and ends" if {START, END} <= known else ""
        statement = glosses[edge.relation].state(edge.subject, edge.object)
        about = _about(relation.description if relation else "")
        way = f"from {edge.subject} ({ends[0]}) to {edge.object} ({ends[1]})"
        yield f"{edge.variable}: {edge.relation}, {way}: {statement}{held}{about}"
    own = {row.name: row for row in schema.entity(match.nodes[0].type).properties}
    for name in dict.fromkeys(filter(None, (result.key, result.property))):
        row = own[name]
        unit = f" in {row.unit}" if row.unit else ""
        yield f"n.{name}: {row.datatype}{unit}{_about(row.description)}"


def _about(description: str) -> str:
    return f" ({description})" if description else ""
