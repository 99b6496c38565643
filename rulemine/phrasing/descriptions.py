"""Descriptions: what an end of a relation is, as a noun with a relative clause.

    actor/actors | who acted in [the film {topic}]          film/films | in which {topic} acted

Left of ``|`` is the noun, right of it the clause. ``a/b`` is a word in the singular and in the plural, ``-``
stands for none: "is/are a/- member/members of". A clause that begins with *that* or *who* is about the end as
its subject; any other has *which*, *whom* or *whose*. Brackets enclose all that goes when the topic entity is
itself described: "acted in a film that …".
``{{ }} // || [[ ]]`` stand for a single character each.

A second ``|`` may follow, and a name by the topic entity: "… | director of [the film {topic}]".

Guarantee: every relation has descriptions of both ends. Where none are written they are read off the
statement and the questions; what cannot be read that way names the relation.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from rulemine.phrasing.lexicon import PREPOSITIONS, VERBS, plural, singular
from rulemine.text.articles import type_words
from rulemine.text.template import escape, template_problem

__all__ = [
    "Description",
    "Form",
    "derive_descriptions",
    "description_problem",
    "literal",
    "read_description",
    "wordings",
]

_PART = re.compile(
    r"\{topic\}|\{\{|\}\}|//|\|\||\[\[|\]\]|(?P<one>[\w'’-]+)/(?P<many>[\w'’-]+)(?P<gap> ?)|[][|/]"
)
_SUBJECT = ("who", "that")
_RELATIVE = re.compile(r"\b(?:which|whom|whose)\b")
_SIGNS = re.compile(r"[][/|]")
_OF_TOPIC = re.compile(r"(?:What|Who) (is|are) (the [^{}]+ of (?:the [^{}]+ )?\{topic\})\?")
_FOR_WHICH = re.compile(r"For which ([a-z][a-z ]*?) (?:is|are) ")
_PEOPLE = re.compile(r"(?:Who|Whom|Whose|\w+ whom)\b")
_A_NOUN = re.compile(r"^(is/are|was/were) (an?) ((?:[a-z-]+ )*)([a-z-]+) (of|in|for) ")
_BE = {"is": "are", "was": "were", "has": "have", "does": "do"}
_NO_VERB = frozenset({"and", "or", "than", "who", "that", "which"})


class Form(NamedTuple):
    """A clause in one number, cut at the topic entity.

    Attributes:
        before: The text before the bracket, from the relative word on.
        left: The text in the bracket before the name.
        right: The text in the bracket after the name.
        after: The text after the bracket.
    """

    before: str
    left: str
    right: str
    after: str


class Description(NamedTuple):
    """A description, read.

    Attributes:
        noun: The noun in the singular and the plural.
        who: Whether it names people, as far as the clause shows.
        subject: Whether what is described is the subject of the clause.
        forms: The clause in the singular and the plural.
        name: The name without its article, in the singular, cut at the topic entity.
    """

    noun: tuple[str, str]
    who: bool
    subject: bool
    forms: tuple[Form, Form]
    name: tuple[str, str] | None = None


@lru_cache(maxsize=1 << 12)
def read_description(text: str) -> Description:
    """Reads a description.

    Raises:
        ValueError: It is not one; says why.

    Example:
        >>> read_description("film/films | that was/were directed by {topic}").forms[1].before
        'that were directed by '
    """
    text, named = _split(text)
    places = [found[0] for found in _PART.finditer(text)]
    marks = "".join(p.strip("{}")[0] for p in places if p in ("{topic}", "[", "]", "|"))
    if marks.count("|") != 1:
        raise ValueError(f"has {marks.count('|')} single |; expected one, as in: noun | clause")
    if "/" in places:
        raise ValueError("has a single /; write singular/plural, or it twice for a literal /")
    if marks not in ("|t", "|[t]"):
        raise ValueError("expected {topic} right of |, with one pair of brackets around it or none")
    (noun, *form), (nouns, *forms) = (_cut(text, number) for number in ("one", "many"))
    first, clause = form[0].split(" ", 1)[0], form[0].strip()
    if not noun:
        raise ValueError("has no noun left of |")
    if clause in _SUBJECT:
        raise ValueError(f"has {{topic}} as the subject after {clause!r}; write which or whom")
    relative = _RELATIVE.search(clause)
    if first not in _SUBJECT and not relative:
        raise ValueError(f"has a clause that begins with {first!r}; expected who, that or which")
    if first == "which":  # a film that A directed
        form[0], forms[0] = (f"that{before[5:]}" for before in (form[0], forms[0]))
    who = first == "who" or (relative is not None and relative[0] == "whom")
    both = Form(*form), Form(*forms)
    return Description((noun, nouns), who, first in _SUBJECT, both, _name(named, both[0]))


def _split(text: str) -> tuple[str, str]:
    """Noun and clause, and what follows a second |."""
    bars = [found for found in _PART.finditer(text) if found[0] == "|"]
    if len(bars) != 2 or "{topic}" not in text[: bars[1].start()]:
        return text, ""
    return text[: bars[1].start()], text[bars[1].end() :]


def _name(text: str, form: Form) -> tuple[str, str] | None:
    """The name, cut at the topic entity; its brackets are those of the clause."""
    if not text:
        return None
    _, before, left, right, after = _cut(f"|{text}", "one")
    if text.count("{topic}") != 1 or (left, right) != (form.left, form.right) or not before:
        raise ValueError(
            f"has the name {text.strip()!r}; expected a noun and {{topic}} in the brackets of the clause"
        )
    return before, after


def _cut(text: str, number: str) -> tuple[str, str, str, str, str]:
    """Noun, text before the bracket, in it on both sides of the name, and after it, in one number."""
    pieces = [""] * 5
    at = end = 0
    for found in _PART.finditer(text):
        pieces[at] += text[end : found.start()]
        end = found.end()
        if found["one"]:
            pieces[at] += "" if found[number] == "-" else found[number] + found["gap"]
        elif found[0] == "{topic}":
            at = 3 if at == 2 else 4
        elif len(found[0]) == 2:
            pieces[at] += found[0][0]
        else:
            at = {"|": 1, "[": 2, "]": 4}[found[0]]
    pieces[at] += text[end:]
    noun, before, left, right, after = pieces
    return noun.strip(), before.lstrip(), left, right, after.rstrip()


def wordings(text: str) -> tuple[str, ...]:
    """What no other relation may say: a description and, if it has one, its name; of none, nothing."""
    return tuple(part for part in (text, _split(text)[1].strip()) if part)


def description_problem(text: str) -> str | None:
    """The problem of a description, for the message about it; None if there is none."""
    if problem := template_problem(_split(text)[0], ("topic",)):
        return problem
    try:
        read_description(text)
    except ValueError as error:
        return f"{text!r} {error}"
    return None


def derive_descriptions(
    relation: str, statement: str, ask_subject: str, ask_object: str, *, linked: bool = False
) -> tuple[str, str]:
    """Derives the descriptions of the subjects and the objects of a relation from its templates.

    Args:
        relation: The relation.
        statement: Its statement, a template; so the others.
        ask_subject: Its question for the subjects.
        ask_object: Its question for the objects.
        linked: Whether to name the relation instead of reading the templates.

    Example:
        >>> derive_descriptions("r", "{subject} eats {object}", "What eats {topic}?", "…")[0]
        'something/things | that eats/eat {topic}'
    """
    name = f"the relation {literal(f'“{escape(relation)}”')}"
    by_name = (f"from {{}} {name} leads to {{topic}}", f"to {{}} {name} leads from {{topic}}")
    ends, both = ("{subject}", "{object}"), []
    asks = (ask_subject, ask_object)
    for end, other, ask, link in zip(ends, ends[::-1], asks, by_name, strict=True):
        who = _PEOPLE.match(ask) is not None
        noun = "someone/people" if who else "something/things"
        if found := _FOR_WHICH.match(ask):
            noun = f"{literal(found[1])}/{plural(found[1].rsplit(' ', 1)[-1])}"
        clause = None if linked else _clause(statement, end, other, ask, who)
        kind = type_words(_halves(statement, end)[0]).split(" ", 1)[-1].rstrip()
        if clause and kind and not who:
            noun = f"{literal(kind)}/{plural(kind.rsplit(' ', 1)[-1])}"
        clause = clause or link.replace("{}", _relative(who, subject=False), 1)
        both.append(f"{noun} | {clause}")
    return both[0], both[1]


def _clause(statement: str, end: str, other: str, ask: str, who: bool) -> str | None:
    """The relative clause that says of an end what the statement says; None if it cannot be made."""
    before, after = _halves(statement, end)
    typed = type_words(before)
    if re.search(r",| both ", statement) or f"{other}'" in statement or f"{end}'" in statement:
        return None
    if found := _OF_TOPIC.fullmatch(ask):
        among = "is/are" if found[1] == "is" else "is/are among"
        return _bracketed(f"{_relative(who, subject=True)} {among} {literal(found[2])}", "{topic}")
    if before == typed and (first := after.split()[0]) not in _NO_VERB and other != first:
        return _bracketed(
            f"{_relative(who, subject=True)} {_agreeing(literal(after.strip()))}", other
        )
    before = before.removesuffix(typed)
    if found := re.fullmatch(r"the ([^{}]+) of ", before):
        return _bracketed(f"whose {literal(found[1] + after)}", other)
    if not after and (
        found := re.fullmatch(rf"(.*{other}) (is|was) (one of )?the ([^{{}}]+) of ", before)
    ):
        verb = "include" if found[3] else found[2]
        return _bracketed(f"whose {literal(found[4])} {verb} {found[1]}", other)
    return _gap(before.rstrip(), after, other, who)


def _halves(text: str, end: str) -> list[str]:
    """A template, cut at a placeholder; braces are doubled where they are none."""
    return re.split(rf"(?<!\{{){re.escape(end)}", text, maxsplit=1)


def _gap(before: str, after: str, other: str, who: bool) -> str | None:
    """The clause about what the other end does, with a gap in place of the end described."""
    last = before.rsplit(" ", 1)[-1]
    follows = after.split(" ")[1] if after.startswith(" ") else after
    if other not in before or last in _NO_VERB or last == other:
        return None
    if follows and (follows not in PREPOSITIONS or last in PREPOSITIONS):
        return None
    return _bracketed(f"{_relative(who, subject=False)} {literal(before + after)}", other)


def _relative(who: bool, *, subject: bool) -> str:
    if subject:
        return "who" if who else "that"
    return "whom" if who else "which"


def _agreeing(clause: str) -> str:
    """A clause with its verb, which is in the singular, in both numbers; adverbs may come first."""
    words = clause.split(" ")
    at = 1 if words[0].endswith("ly") and len(words) > 1 else 0
    verb = words[at]
    regular = singular(verb) if re.fullmatch(r"[a-z]+[a-rt-z]s", verb) else ""
    if many := _BE.get(verb) or VERBS.get(verb) or regular:
        words[at] = f"{verb}/{many}"
    text = " ".join(words).replace("is/are one of the ", "is/are among the ")
    return _A_NOUN.sub(
        lambda a: f"{a[1]} {a[2]}/- {a[3]}{a[4]}/{plural(a[4])} {a[5]} ",
        text.replace("is/are or was ", "is/are or was/were "),
    )


def _bracketed(clause: str, end: str) -> str:
    """A clause with the topic entity in place of an end, and brackets around its determiner."""
    before, after = _halves(clause, end)
    left = type_words(before)
    return before.removesuffix(left) + (f"[{left}{{topic}}]" if left else "{topic}") + after


def literal(text: str) -> str:
    """Text as a description has it."""
    return _SIGNS.sub(lambda found: found[0] * 2, text)
