"""The dialogue about a question over a property graph: as of structures, with checks of its values.

Guarantee: an accepted text has every name and every value of the query letter by letter, in every naming; no
name and no text of its rows, and no number, that the text from templates lacks; and no Cypher.
"""

import re
from collections.abc import Iterator

from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.cypher.words.inputs import CypherInput
from rulemine.text.mentions import find_mentions_of_all
from rulemine.text.normalization import fold, mentions, places
from rulemine.text.template import escape
from rulemine.verbalizer.checks import Checker, TextProblem, check_text
from rulemine.verbalizer.inputs import QuestionInput
from rulemine.verbalizer.judged import JudgedVerbalizer
from rulemine.verbalizer.prompts import PLACEHOLDERS, Placeholders, Prompts, read_sections
from rulemine.verbalizer.wrappings import unwrapped

__all__ = ["CypherVerbalizer", "check_cypher_text", "load_cypher_prompts"]

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
