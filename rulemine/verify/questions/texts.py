"""Texts: what they name, in every naming, and what they are made from.

Each names every topic entity, no answer, and nothing between topics and answers. A release can be renamed, so
texts are looked at in every naming. A name counts where it is a word of its own: two neighboring letters,
digits or combining marks belong to one word, except in scripts written without spaces and in Korean, which
attaches particles to names. A model's text and each of its paraphrases is its pattern with the names, and
they all differ; texts from templates are in the singular for relations alone of which there is one answer.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import chain, product, zip_longest
from typing import Any, NamedTuple

from rulemine.verify.contents import NAMINGS, Contents, Record
from rulemine.verify.questions.asked import Asked, links_in
from rulemine.verify.questions.queries import LINK, Query

__all__ = [
    "Cut", "check_composed", "check_origin", "check_patterns", "check_telling", "check_texts",
    "cut_of", "find_leaks", "in_namings", "occurrences", "placeholders",
]  # fmt: skip

# Thai to Tibetan, Myanmar, Khmer, kana, Han with its extensions; Hangul.
_GLUED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]"
)
"""Letters next to which a word may end."""

_MARKS = 0xF0000
"""The first of many characters for private use, which stand for names in a text that is being cut."""

_PAIR = re.compile(r"(\S+)/(\S+)")
_PART = re.compile(r"(\{\{|\}\}|\{\w+\}|[{}])")

_ARTICLE = "(?:[Tt]he )?"
"""What may be before a name where no model wrote the text."""


def occurrences(text: str, name: str) -> list[tuple[int, int]]:
    """Finds where a text has a name, not empty, as a word of its own: starts and ends, which may overlap."""
    spots, low = [], text.find(name)
    while low >= 0:
        end = low + len(name)
        if not _is_joined(text[max(low, 1) - 1 : low + 1]) and not _is_joined(
            text[end - 1 : end + 1]
        ):
            spots.append((low, end))
        low = text.find(name, low + 1)
    return spots


@lru_cache(1 << 12)
def _is_joined(pair: str) -> bool:
    # Letters, digits, and the marks that combine with them.
    inside = len(pair) == 2 and all(c == "_" or unicodedata.category(c)[0] in "LNM" for c in pair)
    return inside and not _GLUED.search(pair)


def find_leaks(text: str, topics: Iterable[str], hidden: Iterable[str]) -> list[str]:
    """Finds the names that a text has, in any case, outside the names of the topic entities.

    Args:
        text: The text.
        topics: The names of the topic entities: "Anna Lind" does not name Anna.
        hidden: The names of answers and of what else a text must not name.
    """
    text = text.casefold()
    some = [name for name in hidden if name.casefold() in text]
    own = [spot for topic in topics if some for spot in occurrences(text, topic.casefold())]
    return [
        name
        for name in some
        if any(
            not any(start <= low and high <= end for start, end in own)
            for low, high in occurrences(text, name.casefold())
        )
    ]


class Cut(NamedTuple):
    """A text cut at the names of topic entities.

    Attributes:
        pieces: What is around the names; one more than there are names.
        topics: The topic entities that are named, in the order of the text.
    """

    pieces: tuple[str, ...]
    topics: tuple[str, ...]

    def named(self, names: Mapping[str, str]) -> tuple[str, list[tuple[str, int]]]:
        """The text with these names of the topic entities, and each name with where it starts."""
        text, starts = self.pieces[0], []
        for topic, piece in zip(self.topics, self.pieces[1:], strict=True):
            starts.append((names[topic], len(text)))
            text += names[topic] + piece
        return text, starts

    @property
    def text(self) -> str:
        """The text as it was cut."""
        return self.named(dict(zip(self.topics, self.topics, strict=True)))[0]


def cut_of(template: str, topics: Mapping[str, str]) -> Cut | None:
    """Cuts a template at its placeholders and undoubles its braces.

    Args:
        template: The template.
        topics: Placeholder → topic entity.

    Returns:
        None if it has a single brace, or does not name every topic entity.
    """
    pieces, named = [""], list[str]()
    for number, part in enumerate(_PART.split(template)):
        if part in topics:
            pieces.append("")
            named.append(topics[part])
        elif number % 2 and part not in ("{{", "}}"):
            return None
        else:
            pieces[-1] += part[0] if number % 2 else part
    return Cut(tuple(pieces), tuple(named)) if {*named} == {*topics.values()} else None


def placeholders(contents: Contents, row: dict[str, Any]) -> dict[str, str]:
    """Placeholder → topic entity; of several, by private id."""
    topics, known = row["anchors"], contents.entities
    ordered = sorted(topics, key=lambda one: known.get(one, one))  # lines begin with that
    names = ["{topic}"] if len(topics) == 1 else [f"{{topic{n + 1}}}" for n in range(len(topics))]
    return dict(zip(names, ordered, strict=True))


def _cut_where_named(text: str, named: Sequence[str]) -> Cut:
    """Cuts a text where it first names each of some entities: "in", but not inside "linked"."""
    ordered = sorted(named, key=len, reverse=True)  # a name may be inside a longer one
    for number, name in enumerate(ordered):
        for low, high in occurrences(text, name)[:1]:
            text = text[:low] + chr(_MARKS + number) + text[high:]
    pieces = re.split(f"([{chr(_MARKS)}-{chr(_MARKS + len(ordered))}])", text)
    topics = (ordered[ord(mark) - _MARKS] for mark in pieces[1::2])
    return Cut(tuple(pieces[::2]), tuple(topics))


def check_texts(here: Asked, named: Sequence[str] = ()) -> None:
    """Checks the texts of one question.

    Args:
        here: The question.
        named: What its texts name beside its topic entities, an answer too: the choices that they offer.
    """
    row, contents, answer = here.row, here.contents, here.row["hard_answer"]
    topics, known = [*row["anchors"], *named], contents.entities
    here.expect(answer not in row["anchors"], "text hides the answers", answer, "no topic entity")
    hidden = [
        contents.names(e)
        for e in (*row["answers"], *row["intermediates"])
        if e in known and e not in topics
    ]
    places = placeholders(contents, row)
    for number, text in enumerate((row["question"], *row["paraphrases"])):
        cut = cut_of(row["patterns"][number], places) if number < len(row["patterns"]) else None
        if cut is None or cut.text != text:
            cut = _cut_where_named(text, topics)
        lost = {*topics} - {*cut.topics}
        here.expect(not lost, "text names the topic", text, f"{lost} as whole words")
        for naming, whole, names in in_namings(contents, here.at, cut):
            leaks = find_leaks(whole, names, [one[naming] for one in hidden])
            here.expect(
                not leaks, "text hides the answers", whole, f"nothing of {leaks} ({naming})"
            )
    links = [(link.parts[0].name, link.ways) for link in links_in(here.links)]
    joined = {
        e: {name for of, ways in links if of == e for name, _ in ways} for e in row["anchors"]
    }
    check_telling(contents, here.at, joined, row["answers"])


def in_namings(contents: Contents, at: Record, cut: Cut) -> Iterator[tuple[str, str, list[str]]]:
    """Yields each naming with a text in it, and the names of its topic entities.

    Checks that each of them is a word of its own there.
    """
    named = contents.entities.keys() >= {*cut.topics}
    names = {topic: contents.names(topic) for topic in cut.topics if named}
    for naming in NAMINGS if named else ():
        whole, starts = cut.named({topic: names[topic][naming] for topic in cut.topics})
        for name, start in starts:
            if (start, start + len(name)) not in occurrences(whole, name):
                contents.wrong(at, "text names the topic", whole, f"{name} as a whole word")
        yield naming, whole, [name for name, _ in starts]


def check_telling(
    contents: Contents, at: Record, topics: Mapping[str, Set[str]], answers: Iterable[str]
) -> None:
    """Checks that no name of a topic entity gives an answer away; names of places may, between places.

    Args:
        contents: The release.
        at: The question.
        topics: Topic entity → the relations that join it to others.
        answers: The entities that are asked for.
    """
    known, relations = contents.entities, contents.relations
    places = {
        name
        for name in {*chain(*topics.values())} & relations.keys()
        if relations[name]["place"] == "yes"
    }
    telling = [one for one, by in topics.items() if one in known and not (by and by <= places)]
    hidden = [contents.names(one) for one in answers if one in known and one not in topics]
    for names, naming in product(map(contents.names, telling), NAMINGS):
        if told := find_leaks(names[naming], (), [one[naming] for one in hidden]):
            contents.wrong(at, "names tell no answer", names[naming], f"a name without {told}")


def check_origin(contents: Contents, at: Record) -> None:
    """Checks who may have written the text of one question."""
    by_model = contents.option("verbalizer", "name") == "openai"
    allowed = ("model", "fallback") if by_model else ("template",)
    if at.row["wording"] not in allowed:
        contents.wrong(
            at, "wording", at.row["wording"], f"one of {allowed} (config.verbalizer.name)"
        )


def check_patterns(contents: Contents, at: Record) -> Iterator[Cut]:
    """Checks that each text of one question is its pattern; yields those that are, cut.

    Names may have an article in a text that no model wrote.
    """
    row, topics = at.row, placeholders(contents, at.row)
    texts, patterns = [row["question"], *row["paraphrases"]], row["patterns"]
    article = "" if row["wording"] == "model" else _ARTICLE
    for text, pattern in zip_longest(texts, patterns):
        cut = cut_of(pattern, topics) if text and pattern else None
        if cut is None:
            contents.wrong(at, "patterns", pattern, f"{[*topics]} in it, other braces doubled")
        elif not _is(text, cut, article):
            contents.wrong(at, "text is its pattern", text, cut.text)
        else:
            yield cut
    if len({" ".join(text.casefold().split()) for text in texts}) != len(texts):
        contents.wrong(at, "paraphrases", texts, "distinct ones")


def _is(text: str, cut: Cut, article: str) -> bool:
    """Whether a text is a template; `article`: what may be before a name, a pattern."""
    pairs = zip(cut.pieces, cut.topics, strict=False)
    pattern = "".join(f"{re.escape(piece)}{article}{re.escape(topic)}" for piece, topic in pairs)
    whole = pattern + re.escape(cut.pieces[-1])
    return text == cut.text or bool(article and re.fullmatch(whole, text))


def check_composed(here: Asked) -> None:
    """Checks the text of one question that is made of templates, in the singular or the plural as they are.

    A text over one link is its relation's template, or a model's; in others the noun after *which* shows it.
    """
    row, relations, contents = here.row, here.contents.relations, here.contents
    text, (one, nouns) = row["question"], _asked(here.links, relations)
    if here.form["shape"] == "(1)":
        topics = placeholders(contents, row)
        article = _ARTICLE if contents.release.naming == "text" else ""
        columns = [(name, f"ask_{end}{'s' * (not one)}") for name, end in here.links.ways]
        templates = [
            relations[name][column] for name, column in columns if name in row["relations"]
        ]
        cuts = [cut for template in templates if (cut := cut_of(template, topics))]
        fits = bool(row["patterns"]) or any(_is(text, cut, article) for cut in cuts)
        here.expect(fits or not templates, "text is the template", text, templates)
    elif one is not None and (asked := re.search(r"^(?:\w+ )?[Ww]hich (.+)", text)):
        right, wrong = (
            any(re.match(rf"{re.escape(_PAIR.sub(form, noun))}\b", asked[1]) for noun in nouns)
            for form in ((r"\1", r"\2") if one else (r"\2", r"\1"))
        )
        number = "singular" if one else "plural"
        here.expect(right or not wrong, "number", text, f"a noun in the {number}")


def _asked(
    links: Query, relations: Mapping[str, Mapping[str, str]]
) -> tuple[bool | None, list[str]]:
    """Whether a query is asked in the singular, and what its last relations call what it gives.

    None: it may be in either number. The last relation leads to one entity, an earlier one may lead to
    several; where this topic has only one of these, the question is in the singular.
    """
    if links.word == LINK:
        one = relations[links.ways[0][0]]["single"] in ("both", links.ways[0][1])
        nouns = [relations[r][f"describe_{end}"].split(" | ")[0] for r, end in links.ways]
        return one and (_asked(links.parts[0], relations)[0] or None), nouns
    given = links.parts[:1] if links.word == "minus" else links.parts
    found = [_asked(part, relations) for part in given]
    one = any(one for one, _ in found) and links.word in ("and", "minus")
    return one or not links.word, [noun for _, nouns in found for noun in nouns]
