"""The dialogue about a question over a property graph: as of structures, with checks of its values.

Guarantee: an accepted text has every name of the query letter by letter, in every naming, and every value in
a way that says the same; no name and no text of its rows, and no number, that the text from templates lacks;
and no Cypher.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.cypher.questions.pattern import END, START, PatternQuery
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.questions.render import to_cypher
from rulemine.cypher.questions.templates import NAMING, RETURNS
from rulemine.cypher.rows import row_of
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.kinds.cypher.words.names import value_text
from rulemine.phrasing.glosses import Glosses
from rulemine.phrasing.templates import Templates
from rulemine.release.question_set import QuestionSet
from rulemine.text.mentions import Span, find_mentions, find_mentions_of_all
from rulemine.text.normalization import fold, mentions, places
from rulemine.text.template import escape
from rulemine.verbalizer.checks import Checker, QuestionInput, check_text
from rulemine.verbalizer.inputs import shown_questions
from rulemine.verbalizer.replies import TextProblem, unwrapped

__all__ = ["make_cypher_inputs"]


@dataclass(frozen=True, slots=True)
class CypherInput(QuestionInput):
    """A question over a property graph to verbalize.

    Its topics are the nodes that are fixed; hidden are the nodes in its rows, but those that its text names
    anyway.

    Attributes:
        query: The query, in the naming of the prompts.
        cells: The texts in its rows that are no names and that its text does not have.
        bounds: The values that a text must have, as it must have them: years, dates, numbers, texts.
        schema: What its query uses of the schema, a line each.
    """

    prefix: ClassVar[str] = "cypher_"
    always_judged: ClassVar[bool] = True

    query: str
    cells: tuple[str, ...]
    bounds: tuple[str, ...]
    schema: tuple[str, ...]

    def shown(self) -> dict[str, Any]:
        """See `QuestionInput`; lists are JSON."""
        block = self.question.block
        return {
            "cypher": to_cypher(query_of(self.query)),
            "pattern": f"{block.match}; returned: {RETURNS[block.returns].words}",
            "fixed": json.dumps(self.names, ensure_ascii=False),
            "bounds": json.dumps(self.bounds, ensure_ascii=False),
            "schema": [{"row": row} for row in self.schema],
        }

    def check(self, text: str, language: str, checker: Checker) -> str | TextProblem:
        """As of any question; and the values have to be there, and nothing of the query or its rows."""
        text, hidden = unwrapped(text.strip(), [*self.names, *self.bounds]), dict[str, str]()
        for value in self.bounds:
            if (span := _place(text, value, self.names)) is None:
                return TextProblem("value_missing", f"“{value}”")
            said = text[slice(*span)]
            if not _NUMBER.fullmatch(said):
                mark = _HIDDEN + "q" * len(hidden)
                text, hidden[mark] = f"{text[: span[0]]}{mark}{text[span[1] :]}", said
        pattern = check_text(text, self, language, checker, [*self.bounds, *hidden])
        if isinstance(pattern, TextProblem):
            return pattern
        values = re.compile(f"{_HIDDEN}q*")
        problem = next(_problems(values.sub(" ", pattern), self), None)
        return problem or values.sub(lambda mark: escape(hidden[mark[0]]), pattern)


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
    shown = shown_questions(asked, templates, naming)
    for question, (own, topics) in zip(asked.questions, shown, strict=True):
        query = query_of(question.query)
        text, rows = fold(question.patterns[0]), [row_of(row) for row in question.answers]
        named, time = question.block.returns in NAMING, query.match.time
        values = [*[time] * isinstance(time, int), query.result.bound]
        nodes = dict.fromkeys(names[row[0]] for row in rows if named)
        cells = (cell if isinstance(cell, list) else [cell] for row in rows for cell in row[named:])
        texts = dict.fromkeys(value for cell in cells for value in cell if isinstance(value, str))
        untold = [row for row in nodes if row not in topics and not mentions(text, fold(row.text))]
        made.append(
            CypherInput(
                question,
                naming,
                topics,
                (("answer_named", tuple(untold)),),
                own.question,
                own.query,
                cells=tuple(
                    value for value in texts if value.strip() and not mentions(text, fold(value))
                ),
                bounds=tuple(
                    value_text(value)
                    for value in values
                    if value is not None and not isinstance(value, bool)
                ),
                schema=tuple(_described(query, schema, glosses)),
            )
        )
    return made


def _described(query: PatternQuery, schema: Schema, glosses: Glosses) -> Iterator[str]:
    """What a query uses of a schema: nodes, relations with their ends, properties."""
    match, result = query.match, query.result
    yield from (
        f"{variable}: {node.type}{_about(schema.entity(node.type))}"
        for variable, node in match.named.items()
    )
    for edge in match.edges:
        ends = match.named[edge.subject].type, match.named[edge.object].type
        relation = schema.relation(ends[0], edge.relation, ends[1])
        known = {row.name for row in relation.properties} if relation else set()
        held = "; it begins and ends" * ({START, END} <= known)
        said = f"{glosses[edge.relation].state(edge.subject, edge.object)}{held}{_about(relation)}"
        way = f"from {edge.subject} ({ends[0]}) to {edge.object} ({ends[1]})"
        yield f"{edge.variable}: {edge.relation}, {way}: {said}"
    yield from (
        f"n.{row.name}: {row.datatype}{f' in {row.unit}' * bool(row.unit)}{_about(row)}"
        for row in schema.entity(match.nodes[0].type).properties
        if row.name in (result.key, result.property)
    )


def _about(row: EntityType | RelationType | Property | None) -> str:
    return f" ({row.description})" if row and row.description else ""


_CYPHER = re.compile(
    r"\b(?:MATCH|RETURN|WHERE|OPTIONAL|DISTINCT|UNWIND|ORDER BY|LIMIT|IS NOT NULL|COUNT)\b"
    r"|\b(?:n|[mr][01])\.\w|\b[mr][01]\b|\bcount\("
)
_NUMBER = re.compile(r"(?<![\w.,])-?\d+(?:[.,:-]\d+)*(?:e-?\d+)?")
_QUOTES = "“”\"'‘’«»„"
_TOPIC = re.compile(r"\{topic\d*\}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(\d\d)")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_HIDDEN = "zvaluezq"
"""Stands for a value that is no number while a model's text is checked: it may have any signs."""

_CAMEL = re.compile(r"[^\W\d_][\d_]|[a-z][A-Z]")


def _place(text: str, value: str, names: Sequence[str]) -> Span | None:
    """Where a text has a value: in quotes as it is, or else outside of names, in any way of saying the same.

    Numbers have separators of thousands or none, dates the name of the month, in English; the capitals,
    accents and quotes of a text may differ.
    """
    if quoted := re.search(f"(?<=[{_QUOTES}]){re.escape(value)}(?=[{_QUOTES}])", text):
        return quoted.span()
    named, own = find_mentions_of_all(text, names), _THOUSANDS.sub("", value)
    found = [one.span() for one in _NUMBER.finditer(text) if _THOUSANDS.sub("", one[0]) == own]
    if not _NUMBER.fullmatch(value):
        found = [
            *((at, at + len(value)) for at in places(text, value)),
            *find_mentions(text, value),
        ]
    elif date := _DATE.fullmatch(value):
        year, month, day = date[1], _MONTHS[int(date[2]) - 1], rf"0?{int(date[3])}(?:st|nd|rd|th)?"
        said = rf"\b(?:{day} (?:of )?{month},? {year}|{month} {day},? {year})\b"
        found += [some.span() for some in re.finditer(said, text, re.IGNORECASE)]
    return next((s for s in found if not any(a < s[1] and s[0] < b for (a, b), _ in named)), None)


def _problems(pattern: str, item: CypherInput) -> Iterator[TextProblem]:
    """What else is wrong with a text, given as a pattern without the value that is a text."""
    words, template = (_TOPIC.sub(" ", text) for text in (pattern, item.question.patterns[0]))
    if found := _CYPHER.search(words):
        yield TextProblem("triple_syntax", f"“{found[0]}”")
    for own in (name.partition(".")[2] for name in item.question.block.properties):
        if _CAMEL.search(own) and mentions(words, own):
            yield TextProblem("relation_id", f"“{own}”")
    allowed = {_THOUSANDS.sub("", one) for one in (*_NUMBER.findall(template), *item.bounds)}
    added = (one for one in _NUMBER.findall(words) if _THOUSANDS.sub("", one) not in allowed)
    yield from (TextProblem("value_added", f"“{number}”") for number in added)
    told = (cell for cell in item.cells if mentions(fold(words), fold(cell)))
    yield from (TextProblem("answer_named", f"“{cell}”") for cell in told)
