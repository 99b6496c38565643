"""What texts name: every topic entity, in every naming no answer, and nothing between topics and answers.

A release can be renamed, so texts are looked at in every naming. A name counts where it is a word of its
own: two neighboring letters, digits or combining marks belong to one word, except in scripts written without
spaces and in Korean, which attaches particles to names.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import Any, NamedTuple

from rulemine.verify.contents import NAMINGS, Contents, Record
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.forms import links_in

__all__ = [
    "Cut", "check_telling", "check_texts", "cut_of", "find_leaks", "in_namings", "occurrences",
    "placeholders",
]  # fmt: skip

# Thai to Tibetan, Myanmar, Khmer, kana, Han with its extensions; Hangul.
_GLUED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]"
)
"""Letters next to which a word may end."""

_MARKS = 0xF0000
"""The first of many characters for private use, which stand for names in a text that is being cut."""

_PART = re.compile(r"(\{\{|\}\}|\{\w+\}|[{}])")


def occurrences(text: str, name: str) -> list[tuple[int, int]]:
    """Finds where a text has a name, not empty, as a word of its own: starts and ends, which may overlap."""
    spots, low = [], text.find(name)
    while low >= 0:
        spots.append((low, low + len(name)))
        low = text.find(name, low + 1)
    edges = {at: text[at - 1 : at + 1] for at in {*chain(*spots)} if 0 < at < len(text)}
    return [spot for spot in spots if not any(_is_joined(edges.get(at, " ")) for at in spot)]


def _is_joined(pair: str) -> bool:
    # Letters, digits, and the marks that combine with them.
    inside = all(c == "_" or unicodedata.category(c)[0] in "LNM" for c in pair)
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
    ordered = sorted(topics, key=lambda one: known[one]["private"] if one in known else one)
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
    row, contents = here.row, here.contents
    topics, known = [*row["anchors"], *named], contents.entities
    answer = row["hard_answer"]
    here.expect(answer not in row["anchors"], "text hides the answers", answer, "no topic entity")
    hidden = [
        known[e] for e in (*row["answers"], *row["intermediates"]) if e in known and e not in topics
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
    known = contents.entities
    for naming in NAMINGS if known.keys() >= {*cut.topics} else ():
        whole, starts = cut.named({topic: known[topic][naming] for topic in cut.topics})
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
    hidden = [known[one] for one in answers if one in known and one not in topics]
    for naming in NAMINGS if hidden else ():
        for whole in (known[topic][naming] for topic in telling):
            if told := find_leaks(whole, (), [one[naming] for one in hidden]):
                contents.wrong(at, "names tell no answer", whole, f"a name without {told}")
