"""The dialogue about a question over a property graph: as of structures, with checks of its values.

Guarantee: an accepted text has every name and every value of the query letter by letter, in every naming; no
name and no text of its rows, and no number, that the text from templates lacks; and no Cypher.
"""

import datetime
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from rulemine.cypher.questions.pattern import END, START, PatternQuery
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.questions.render import to_cypher
from rulemine.cypher.questions.templates import NAMING, RETURNS
from rulemine.cypher.rows import row_of
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kg.property_graph.schema import Schema
from rulemine.kinds.cypher.words.names import number_text
from rulemine.phrasing.glosses import Glosses
from rulemine.phrasing.templates import Templates
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question
from rulemine.text.mentions import find_mentions_of_all
from rulemine.text.normalization import fold, mentions, places
from rulemine.text.template import escape
from rulemine.verbalizer.checks import Checker, TextProblem, check_text
from rulemine.verbalizer.inputs import QuestionInput
from rulemine.verbalizer.judged import JudgedInput, JudgedVerbalizer, shown_questions
from rulemine.verbalizer.prompts import PLACEHOLDERS, Placeholders, Prompts, read_sections
from rulemine.verbalizer.wrappings import unwrapped

__all__ = [
    "CypherInput",
    "CypherVerbalizer",
    "check_cypher_text",
    "load_cypher_prompts",
    "make_cypher_inputs",
]


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


_PROMPTS = "kinds/cypher/words/prompts.toml"
_ABOUT = ("asked", "cypher", "pattern", "fixed", "bounds", "names", "schema")
_PLACEHOLDERS: Placeholders = {
    "names": dict.fromkeys(NAMINGS, ()),
    "cypher_question": {
        "system": (),
        "user": (*_ABOUT, "language", "earlier"),
        "schema": ("row",),
        "earlier": ("text", "reason"),
    },
    "cypher_audit": {"system": (), "user": (*_ABOUT, "question"), "schema": ("row",)},
    "gloss": PLACEHOLDERS["gloss"],
}

_CYPHER = re.compile(
    r"\b(?:MATCH|RETURN|WHERE|OPTIONAL|DISTINCT|UNWIND|ORDER BY|LIMIT|IS NOT NULL|COUNT)\b"
    r"|\b(?:n|[mr][01])\.\w|\b[mr][01]\b|\bcount\("
)
_NUMBER = re.compile(r"(?<![\w.,])-?\d+(?:[.,:-]\d+)*(?:e-?\d+)?")
_QUOTES = "“”\"'‘’«»„"
_CAMEL = re.compile(r"[^\W\d_][\d_]|[a-z][A-Z]")


def load_cypher_prompts(source: str) -> Prompts:
    """Loads and checks a prompt file for questions over a property graph.

    Arguments and errors are those of `rulemine.verbalizer.prompts.load_prompts`.
    """
    tables, text = read_sections(source, _PROMPTS, _PLACEHOLDERS)
    return Prompts(text, tables, tables["names"], packaged=_PROMPTS)


class CypherVerbalizer(JudgedVerbalizer):
    """Holds dialogues about questions of the kind ``cypher``."""

    def _check(self, text: str, item: QuestionInput) -> str | TextProblem:
        if not isinstance(item, CypherInput):
            raise TypeError(f"{type(item).__name__}; a CypherInput was expected")
        return check_cypher_text(text, item, self._chosen.language, self._checker)


def check_cypher_text(
    text: str, item: CypherInput, language: str, checker: Checker | None = None
) -> str | TextProblem:
    """Checks a model's text of a question over a property graph.

    Args:
        text: The text, in the naming of the input.
        item: The question.
        language: The required language, by its English name.
        checker: As of `rulemine.verbalizer.checks.check_text`.

    Returns:
        The text with placeholders, or the first problem; as `rulemine.verbalizer.checks.check_text`.
    """
    hidden = dict[str, str]()
    names = [topic.name_in(item.naming) for topic in item.topics]
    text = unwrapped(text.strip(), [*names, *item.bounds])
    for value in item.bounds:
        at = next(_where(text, value, item), None)
        if at is None:
            return TextProblem("value_missing", f"“{value}”")
        if _NUMBER.fullmatch(value):
            continue
        # Texts may have any signs and words; what is checked has a word of its own instead.
        word = next(word for n in range(len(text) + 1) if (word := f"zvalue{'x' * n}q") not in text)
        text = f"{text[:at]}{word}{text[at + len(value) :]}"
        hidden[word] = value
    pattern = check_text(text, item, language, checker, [*item.bounds, *hidden])
    if isinstance(pattern, TextProblem):
        return pattern
    if (problem := next(_problems(pattern, item, hidden), None)) is not None:
        return problem
    for word, value in hidden.items():
        pattern = pattern.replace(word, escape(value))
    return pattern


def _where(text: str, value: str, item: CypherInput) -> Iterator[int]:
    """Where a text has a value letter by letter outside of names; in quotes first."""
    names = [topic.name_in(item.naming) for topic in item.topics]
    named = [span for span, _ in find_mentions_of_all(text, names)]
    if _NUMBER.fullmatch(value):
        found = [match.start() for match in _NUMBER.finditer(text) if match[0] == value]
    else:
        found = list(places(text, value))
    for quoted in (True, False):
        for at in found:
            end = at + len(value)
            around = text[at - 1 : at], text[end : end + 1]
            if all(sign and sign in _QUOTES for sign in around) == quoted and (
                quoted or not any(low < end and at < high for low, high in named)
            ):
                yield at


def _problems(pattern: str, item: CypherInput, hidden: dict[str, str]) -> Iterator[TextProblem]:
    """What else is wrong with a text, given as a pattern in which texts that are values are hidden."""
    words = re.sub(r"\{topic\d*\}", " ", pattern)
    for word in hidden:
        words = words.replace(word, " ")
    if found := _CYPHER.search(words):
        yield TextProblem("triple_syntax", f"“{found[0]}”")
    for name in item.question.block.properties:
        own = name.partition(".")[2]
        if _CAMEL.search(own) and mentions(words, own):
            yield TextProblem("relation_id", f"“{own}”")
    template = item.question.patterns[0]
    allowed = {*_NUMBER.findall(re.sub(r"\{topic\d*\}", " ", template)), *item.bounds}
    for number in _NUMBER.findall(words):
        if number not in allowed:
            yield TextProblem("value_added", f"“{number}”")
    folded = fold(words)
    for cell in item.cells:
        if mentions(folded, fold(cell)):
            yield TextProblem("answer_named", f"“{cell}”")
