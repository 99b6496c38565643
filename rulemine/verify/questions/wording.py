"""Texts: by the template of the relation, or by a pattern from a language model.

Checks that the templates of a relation ask for the end that its statement says, as far as their words show
it; of which relations there is one answer, and that texts from templates are in the singular for these alone;
that a model's text and each of its paraphrases is its pattern with that name, and that they all differ; and
that wordings are those that the options allow.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from rulemine.verify.contents import Contents
from rulemine.verify.names import RELATIONS, Names
from rulemine.verify.questions.asked import Asked, Checked
from rulemine.verify.questions.forms import LINK
from rulemine.verify.questions.mentions import occurrences
from rulemine.verify.questions.queries import ENDS, Query
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import DIRECTIONS

__all__ = [
    "Cut",
    "check_composed",
    "check_origin",
    "check_single",
    "check_templates",
    "check_wording",
    "cut_of",
    "placeholders",
    "texts_of",
]

LEAST_WORDS = 3
"""By so many words around the name, exchanged templates must fit a statement better to be a problem: of 243
packaged ones none does, and of 243 exchanged ones 189 do."""

SINGLE = 95
"""Least percentage of topic entities with one answer where that is asked for in the singular."""

_NAMED = {"both": {*DIRECTIONS}, "none": set[str]()}
"""Words for the ends of relations, beside the ends themselves."""

_PAIR = re.compile(r"(\S+)/(\S+)")

_PART = re.compile(r"\{\{|\}\}|\{\w+\}|[{}]")

_WORD = re.compile(r"\{\w+\}|[\w']+")


class Cut(NamedTuple):
    """A text cut at the names of topic entities.

    Attributes:
        pieces: What is around the names; one more than there are names.
        topics: The topic entities that are named, in the order of the text.
    """

    pieces: tuple[str, ...]
    topics: tuple[str, ...]

    def text(self, names: Mapping[str, str] = MappingProxyType({})) -> str:
        """The text, with other names of the topic entities."""
        named = (names.get(topic, topic) for topic in self.topics)
        return "".join(
            part for pair in zip(self.pieces, (*named, ""), strict=True) for part in pair
        )

    def starts(self, topic: str, names: Mapping[str, str]) -> Iterator[int]:
        """Yields where a topic entity is named."""
        end = 0
        for piece, name in zip(self.pieces, self.topics, strict=False):
            end += len(piece)
            if name == topic:
                yield end
            end += len(names[name])


def cut_of(template: str, topics: Mapping[str, str]) -> Cut | None:
    """Cuts a template at its placeholders and undoubles its braces.

    Args:
        template: The template.
        topics: Placeholder → topic entity.

    Returns:
        None if it has a single brace, or does not name every topic entity.
    """
    pieces, named, last = [""], list[str](), 0
    for found in _PART.finditer(template):
        pieces[-1] += template[last : found.start()]
        last = found.end()
        if found[0] in topics:
            pieces.append("")
            named.append(topics[found[0]])
        elif found[0] in ("{{", "}}"):
            pieces[-1] += found[0][0]
        else:
            return None
    pieces[-1] += template[last:]
    return Cut(tuple(pieces), tuple(named)) if {*named} == {*topics.values()} else None


def texts_of(row: dict[str, Any], contents: Contents, named: Sequence[str] = ()) -> list[Cut]:
    """The texts of a question: cut as its pattern if that fits.

    Otherwise a text is cut where it first names each topic entity, and what else it names: "in", but not
    inside "linked".
    """
    topics, patterns = placeholders(row, contents), row["patterns"]
    found = []
    for place, text in enumerate((row["question"], *row["paraphrases"])):
        cut = cut_of(patterns[place], topics) if place < len(patterns) else None
        fits = cut is not None and cut.text() == text
        found.append(cut if cut and fits else _cut_where_named(text, [*row["anchors"], *named]))
    return found


def placeholders(row: dict[str, Any], contents: Contents) -> dict[str, str]:
    """Placeholder → topic entity; of several, by private id."""
    known, topics = contents.names.entities, row["anchors"]
    if len(topics) == 1:
        return {"{topic}": topics[0]}
    ordered = sorted(topics, key=lambda topic: known[topic].spelled[0] if topic in known else topic)
    return {f"{{topic{number}}}": topic for number, topic in enumerate(ordered, start=1)}


def _cut_where_named(text: str, named: Sequence[str]) -> Cut:
    spots: list[tuple[int, int, str]] = []
    for topic in sorted(named, key=len, reverse=True):  # a name may be inside a longer one
        free = (
            (low, high, topic)
            for low, high in occurrences(text, topic)
            if all(high <= start or end <= low for start, end, _ in spots)
        )
        spots += islice(free, 1)
    spots.sort()
    ends = [0, *(high for _, high, _ in spots)]
    starts = [*(low for low, _, _ in spots), len(text)]
    pieces = tuple(text[end:start] for end, start in zip(ends, starts, strict=True))
    return Cut(pieces, tuple(topic for _, _, topic in spots))


def check_single(contents: Contents, findings: Findings) -> None:
    """Checks of which relations there is one answer: most topic entities of the complete KG have one."""
    for relation, row in contents.names.relations.items():
        single = set()
        for end in DIRECTIONS:
            answers = contents.priors.answers_each(relation, end)
            if 100 * np.count_nonzero(answers == 1) >= SINGLE * len(answers) > 0:
                single.add(end)
        if _NAMED.get(row["single"], {row["single"]}) != single:
            line, ends = contents.names.relation_lines[relation], " and ".join(sorted(single))
            expected = f"{ends or 'none'}: what {SINGLE} % of the topic entities have one of"
            findings.add(RELATIONS, line, "single", shown(row["single"]), expected)


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


def check_wording(here: Checked) -> None:
    """Checks who may have written the texts of one question, and a model's against their patterns."""
    row = here.row
    check_origin(here)
    if row["wording"] == "model":
        list(check_patterns(here))
    elif extra := [key for key in ("paraphrases", "patterns") if row[key]]:
        here.add("wording", f"{' and '.join(extra)} of wording {row['wording']}", "none")


def check_origin(here: Checked) -> None:
    """Checks who may have written the text of one question."""
    by_model = here.contents.folder.option("verbalizer", "name") == "openai"
    allowed = ("model", "fallback") if by_model else ("template",)
    if here.row["wording"] not in allowed:
        expected = f"{' or '.join(allowed)} (manifest, config.verbalizer.name)"
        here.add("wording", shown(here.row["wording"]), expected)


def check_patterns(here: Checked) -> Iterator[Cut]:
    """Checks that each text of one question is its pattern; yields those that are, cut.

    Names may have an article in a text that no model wrote.
    """
    row, topics = here.row, placeholders(here.row, here.contents)
    texts, patterns = [row["question"], *row["paraphrases"]], row["patterns"]
    if len(patterns) != len(texts):
        here.add(
            "patterns", f"{len(patterns)}", f"{len(texts)}: of the question and each paraphrase"
        )
    article = "" if row["wording"] == "model" else "(?:[Tt]he )?"
    for text, pattern in zip(texts, patterns, strict=False):
        cut = cut_of(pattern, topics)
        if cut is None:
            expected = f"a text with {', '.join(topics) or 'no name'}, other braces doubled"
            here.add("patterns", shown(pattern), expected)
            continue
        if not _is(text, cut, article):
            here.add("text is its pattern", shown(text), shown(cut.text()))
        else:
            yield cut
    if len({" ".join(text.casefold().split()) for text in texts}) != len(texts):
        here.add("paraphrases", "equal texts", "distinct ones")


def _is(text: str, cut: Cut, article: str) -> bool:
    """Whether a text is a template; `article`: what may be before a name, a pattern."""
    named = (*(f"{article}{re.escape(topic)}" for topic in cut.topics), "")
    parts = zip(map(re.escape, cut.pieces), named, strict=True)
    return re.fullmatch("".join(part for pair in parts for part in pair), text) is not None


def check_composed(here: Asked) -> None:
    """Checks that a text from templates is in the singular or the plural as its relations are.

    A text over one link is the template of its relation; in others the noun after *which* shows it.
    """
    row, relations = here.row, here.contents.names.relations
    if row["wording"] == "model":
        return
    text, (one, nouns) = row["question"], _asked(here.links, relations)
    if here.form.shape == "(1)":
        topics, named = placeholders(row, here.contents), here.contents.folder.manifest["naming"]
        articles = ("(?:The )?", "(?:the )?") if named == "text" else ("", "")
        templates = [
            relations[way.name][f"ask_{ENDS[way.word]}{'s' * (not one)}"]
            for way in here.links.parts
            if way.name in relations.keys() & row["relations"]
        ]
        cuts = [cut for template in templates if (cut := cut_of(template, topics))]
        if templates and not any(_is(text, cut, articles[cut.pieces[0] != ""]) for cut in cuts):
            here.add("text is the template", shown(text), f"{shown(templates)} ({RELATIONS})")
    elif asked := re.search(r"(?:^|\. )(?:\w+ )?[Ww]hich (.+)", text):
        right, wrong = (
            any(re.match(rf"{re.escape(_PAIR.sub(form, noun))}\b", asked[1]) for noun in nouns)
            for form in ((r"\1", r"\2") if one else (r"\2", r"\1"))
        )
        if wrong and not right:
            expected = f"a noun in the {'singular' if one else 'plural'} ({RELATIONS}, single)"
            here.add("number", shown(text), expected)


def _asked(links: Query, relations: Mapping[str, Mapping[str, str]]) -> tuple[bool, list[str]]:
    """Whether a query is asked in the singular, and what its last relations call what it gives."""
    if links.word == LINK:
        ends = [(ENDS[way.word], relations.get(way.name, {})) for way in links.parts]
        one = ends[0][1].get("single") in ("both", ends[0][0])
        nouns = [row.get(f"describe_{end}", "").split(" | ")[0] for end, row in ends]
        return one and _asked(links.parts[0].parts[0], relations)[0], nouns
    given = links.parts[:1] if links.word == "minus" else links.parts
    found = [_asked(part, relations) for part in given]
    one = any(one for one, _ in found) and links.word in ("and", "minus")
    return one or not links.word, [noun for _, nouns in found for noun in nouns]
