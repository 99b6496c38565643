"""Texts: by the template of the relation, or by a pattern from a language model.

Checks that the templates of a relation ask for the end that its statement says, as far as their words tell;
that a text from a template is the template of ``relations.tsv`` for the end asked for, with the name
of the topic entity; that a model's text and each of its paraphrases is its pattern with that name, and that
they all differ; and that wordings are those that the options allow.
"""

import re
from collections.abc import Callable
from typing import Any

from rulemine.verify.contents import Contents, Located
from rulemine.verify.mentions import occurrences
from rulemine.verify.names import RELATIONS, Names
from rulemine.verify.report import Findings, shown

__all__ = ["Pieces", "check_templates", "check_wording", "pieces_of", "texts_of"]

Pieces = tuple[str, ...]
"""A text cut at the name of its topic entity: the name joins the pieces to the text."""

LEAST_WORDS = 3
"""By so many words around the name, exchanged templates must fit a statement better to be a problem: of 243
packaged ones none does, and of 243 exchanged ones 189 do."""

_PART = re.compile(r"\{\{|\}\}|\{topic\}|[{}]")

_WORD = re.compile(r"\{\w+\}|[\w']+")


def pieces_of(template: str) -> Pieces | None:
    """Cuts a template at ``{topic}`` and undoubles its braces; None if it has a single brace."""
    pieces, last = [""], 0
    for found in _PART.finditer(template):
        pieces[-1] += template[last : found.start()]
        last = found.end()
        if found[0] == "{topic}":
            pieces.append("")
        elif len(found[0]) == 2:
            pieces[-1] += found[0][0]
        else:
            return None
    pieces[-1] += template[last:]
    return tuple(pieces)


def texts_of(row: dict[str, Any]) -> list[tuple[str, Pieces]]:
    """The texts of a question, each with its pieces: those of its pattern if that fits.

    Otherwise a text is cut where it first names the topic entity: "in", but not inside "linked".
    """
    topic, patterns = row["anchors"][0], row["patterns"]
    found = []
    for place, text in enumerate((row["question"], *row["paraphrases"])):
        pieces = pieces_of(patterns[place]) if place < len(patterns) else None
        if pieces is None or topic.join(pieces) != text:
            spots = occurrences(text, topic)
            low, high = spots[0] if spots else (len(text), len(text))
            pieces = (text[:low], text[high:])
        found.append((text, pieces))
    return found


def check_templates(names: Names, findings: Findings) -> None:
    """Checks that the two templates of a relation are not exchanged.

    A question repeats words of the statement, those around the end that it names: with "{subject} is the aunt
    of {object}", a question for the subject has "of {topic}", and one for the object "{topic} the aunt".
    """
    for relation, row in names.relations.items():
        ask = row["ask_subject"], row["ask_object"]
        fits = [
            sum(_alike(row["statement"], end, text) for end, text in zip(ends, ask, strict=True))
            for ends in (("{object}", "{subject}"), ("{subject}", "{object}"))
        ]
        if fits[1] - fits[0] >= LEAST_WORDS and row["symmetric"] != "yes":
            line, found = names.relation_lines[relation], f"{shown(ask)} for subject, object"
            expected = f"the other way round: {shown(row['statement'])}"
            findings.add(RELATIONS, line, "template asks for its end", found, expected)


def _alike(statement: str, end: str, text: str) -> int:
    """How many words around a placeholder are those around the name in a question."""
    n = 0
    for one, other in zip(_around(statement, end), _around(text, "{topic}"), strict=True):
        same = (a == b for a, b in zip(one, other, strict=False))
        n += next((i for i, fits in enumerate(same) if not fits), min(len(one), len(other)))
    return n


def _around(text: str, place: str) -> tuple[list[str], list[str]]:
    """The words before a placeholder, the nearest first, and those after it."""
    before, _, after = text.lower().partition(place)
    return _WORD.findall(before)[::-1], _WORD.findall(after)


def check_wording(here: Located, contents: Contents, findings: Findings) -> None:
    """Checks the origin of the texts of one question."""
    names, articles = contents.names, contents.folder.manifest["naming"] == "text"
    by_model = contents.folder.option("verbalizer", "name") == "openai"

    def add(invariant: str, found: str, expected: str) -> None:
        findings.add(here.file, here.line, invariant, found, expected)

    row, topic = here.row, here.row["anchors"][0]
    wording = row["wording"]
    allowed = ("model", "fallback") if by_model else ("template",)
    if wording not in allowed:
        expected = f"{' or '.join(allowed)} (manifest, config.verbalizer.name)"
        add("wording", shown(wording), expected)
    if wording == "model":
        _check_patterns(row, topic, add)
        return
    if extra := [key for key in ("paraphrases", "patterns") if row[key]]:
        add("wording", f"{' and '.join(extra)} of wording {wording}", "none")
    relation, end = row["rules"]["relation"], row["rules"]["direction"]
    template = names.relations.get(relation)
    if template is None:
        return
    column = f"ask_{end}s" if len(row["answers"]) > 1 else f"ask_{end}"
    pieces = pieces_of(template[column])
    if pieces is None or len(pieces) < 2:
        found, line = shown(template[column]), names.relation_lines[relation]
        expected = "a text with {topic}, other braces doubled"
        findings.add(RELATIONS, line, "template", found, expected)
    elif row["question"] not in _possible(topic, pieces, articles):
        expected = f"{shown(topic.join(pieces))}, {column} of {RELATIONS}"
        add("text is the template", shown(row["question"]), expected)


def _possible(topic: str, pieces: Pieces, articles: bool) -> list[str]:
    """The texts of a template: with the name of the topic entity, and with its article."""
    names = [topic]
    if articles and not pieces[0].lower().endswith("the "):
        names.append(f"the {topic}" if pieces[0] else f"The {topic}")
    return [name.join(pieces) for name in names]


def _check_patterns(row: dict[str, Any], topic: str, add: Callable[[str, str, str], None]) -> None:
    texts, patterns = [row["question"], *row["paraphrases"]], row["patterns"]
    if len(patterns) != len(texts):
        add("patterns", f"{len(patterns)}", f"{len(texts)}: of the question and each paraphrase")
    for text, pattern in zip(texts, patterns, strict=False):
        pieces = pieces_of(pattern)
        if pieces is None or len(pieces) < 2:
            add("patterns", shown(pattern), "a text with {topic}, other braces doubled")
        elif topic.join(pieces) != text:
            add("text is its pattern", shown(text), shown(topic.join(pieces)))
    if len({" ".join(text.casefold().split()) for text in texts}) != len(texts):
        add("paraphrases", "equal texts", "distinct ones")
