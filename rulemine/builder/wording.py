"""Wording derived from the name of a relation, for relations that nobody wrote phrases for.

The name is split into words (camelCase, snake_case, hyphens, URIs, Freebase paths) and read by the
first of a few patterns that fits: a verb (``treats``, ``works_at``), a passive or an adjective
(``isLocatedIn``, ``influenced_by``), a role that ends in *of* (``Part_of``), something had
(``hasChild``), a property (``place_of_birth``, Freebase).

Guarantee: never the wrong end. In ``x aunt y`` x may be the aunt or have the aunt; a bare noun says
which only where the source has a convention (Freebase, DBpedia and schema.org: the object plays the
role) or the noun has its own *of* (``place of birth``). Every other name is quoted in wording that is
true of both readings: “What is x linked to by “aunt”?”.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote

from rulemine.builder.lexicon import (
    ACTIVE_PAST,
    ADJECTIVES,
    INDEFINITE_PEOPLE,
    KIN,
    LEMMAS,
    LONE_PLURALS,
    PARTICIPLES,
    PEOPLE,
    PEOPLE_DO,
    PREPOSITIONS,
    PROPERTY_NOUNS,
    SHORT_WORDS,
    STATES,
    UNIQUE_ROLES,
    VERBS,
    article,
    is_plural,
)

__all__ = ["Wording", "derive", "escape", "words_of"]


class Wording(NamedTuple):
    """Templates of a relation; braces that are not placeholders are doubled.

    Attributes:
        statement: The triple as a clause, with ``{subject}`` and ``{object}``.
        ask_subject: A question for the subjects, with ``{topic}`` for the object.
        ask_object: A question for the objects, with ``{topic}`` for the subject.
    """

    statement: str
    ask_subject: str
    ask_object: str


_FREEBASE = re.compile(r"(/[A-Za-z0-9_]+){2,}(\.(/[A-Za-z0-9_]+){2,})*")
_PROPERTY_HOMES = (
    "http://dbpedia.org/",
    "https://dbpedia.org/",
    "http://schema.org/",
    "https://schema.org/",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dbo:",
    "dbp:",
    "rdf:",
    "schema:",
)
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# The hyphen of a prefix belongs to its word: "co-occurs" is one.
_SEPARATOR = re.compile(r"[\s_.,;:+/]+|(?<!\bco)(?<!\bnon)(?<!\bself)-+", re.IGNORECASE)


def escape(text: str) -> str:
    """A text with its braces doubled, so that a template holds it literally."""
    return text.replace("{", "{{").replace("}", "}}")


def words_of(relation: str) -> list[str]:
    """The words of a relation name, in lower case except acronyms; of a URI, those of its last part.

    Example:
        >>> words_of("isLocatedIn"), words_of("http://dbpedia.org/ontology/birthPlace")
        (['is', 'located', 'in'], ['birth', 'place'])
    """
    name = _local(relation)
    shouting = name.isupper()
    words = [w for part in _SEPARATOR.split(name) for w in _BOUNDARY.split(part) if w]
    return [w if w.isupper() and len(w) > 1 and not shouting else w.lower() for w in words]


def _local(relation: str) -> str:
    """The last part of a URI or of a prefixed name; any other name as it is."""
    name = relation.removeprefix("<").removesuffix(">") if "://" in relation else relation
    if "://" in name:
        return unquote(re.split(r"[/#]", name.rstrip("/#"))[-1])
    found = re.fullmatch(r"[A-Za-z][\w.-]*:([^\s:/]+)", name)
    return found[1] if found else name


def _shown(relation: str) -> str:
    """What is quoted of a name: its words, or the name itself where splitting would maim a code."""
    words = words_of(relation)
    readable = all(w.isalpha() and (len(w) > 2 or w in SHORT_WORDS) for w in words)
    return " ".join(words) if words and readable else relation


def derive(relation: str, *, typed: bool = False) -> Wording:
    """Wording out of the name of a relation.

    Args:
        relation: The label.
        typed: Name the type of the topic where the name tells it (Freebase paths), to keep apart
            relations that would read the same.

    Returns:
        The first reading that fits; see the module docstring.

    Example:
        >>> derive("Treats").ask_object, derive("/people/person/place_of_birth").ask_object
        ('What does {topic} treat?', 'What is the place of birth of {topic}?')
    """
    if _FREEBASE.fullmatch(relation):
        return _freebase(relation, typed)
    words = [escape(w) for w in words_of(relation)]
    if not words or not any(c.isalpha() for c in words[0]):
        return _linked(relation)
    found = _clause(words)
    if found is None and _is_property(relation, words):
        found = _property(" ".join(words))
    return found or _linked(_shown(relation))


def _is_property(relation: str, words: list[str]) -> bool:
    if relation.removeprefix("<").startswith(_PROPERTY_HOMES):
        return True
    return "of" in words[1:-1] and words[0] in PROPERTY_NOUNS


def _linked(name: str) -> Wording:
    quoted = f"“{escape(name)}”"
    return Wording(
        f"{{subject}} is linked to {{object}} by {quoted}",
        f"What is linked to {{topic}} by {quoted}?",
        f"What is {{topic}} linked to by {quoted}?",
    )


def _property(noun: str) -> Wording:
    be, who = _be(noun), _who(noun)
    among = f"has {{topic}} {_as(noun)}"
    return Wording(
        f"{{subject}} has {{object}} {_as(noun)}",
        f"What {among}?",
        f"{who} {be} the {noun} of {{topic}}?",
    )


def _head(noun: str) -> str:
    """The word that carries the number: “awards” of “awards won” and of “awards of merit”."""
    words = noun.split(" of ")[0].split(" with ")[0].split(" ")
    while len(words) > 1 and (words[-1] in PREPOSITIONS or _is_past(words[-1])):
        words.pop()
    return words[-1]


def _be(noun: str) -> str:
    return "are" if is_plural(_head(noun)) else "is"


def _who(noun: str) -> str:
    return "Who" if _head(noun) in PEOPLE else "What"


def _as(noun: str) -> str:
    return f"among the {noun}" if is_plural(_head(noun)) else f"as {noun}"


def _clause(words: list[str]) -> Wording | None:
    """The reading as a clause *subject words object*, or None when the words are a bare noun."""
    first, rest = words[0], words[1:]
    if words in (["isa"], ["is", "a"], ["is", "an"]):
        return _being("is", "a kind of", "What")
    if first in ("is", "are", "was", "were") and rest and rest[-1] in PREPOSITIONS:
        return _being(first, _complement(rest), _doer(rest))
    if first == "has" and rest:
        return _having(rest)
    if first.endswith("ly") and rest and rest[0] in VERBS and _closed(rest[1:]):
        return _doing(f"{first} {rest[0]}", f"{first} {VERBS[rest[0]]}", rest[1:])
    if first in VERBS and (rest or first not in LONE_PLURALS) and _closed(rest):
        return _doing(first, VERBS[first], rest)
    if words[-1] not in PREPOSITIONS:
        if len(words) == 1 and _is_past(first) and first not in STATES:
            return _did(words)
        return None
    if first in ACTIVE_PAST and rest:
        return _did(words)
    if first in LEMMAS and rest and rest[-1] != "of":
        return _doing(LEMMAS[first], first, rest)
    if len(words) == 1:
        return None
    if words[-1] == "by" and not _is_past(words[-2]):
        return _made_by(" ".join(words[:-1]))
    if is_plural(words[-2]):
        return None
    return _being("is", _complement(words), _doer(words))


def _closed(rest: list[str]) -> bool:
    return not rest or rest[-1] in PREPOSITIONS


def _is_past(word: str) -> bool:
    return word in PARTICIPLES or word in ACTIVE_PAST or (word.endswith("ed") and len(word) > 4)


def _complement(words: list[str]) -> str:
    """What follows *is*: “located in”, “part of”, “a result of”, “the capital of”."""
    text = " ".join(words)
    if len(words) < 2 or words[0] in ("part", "a", "an", "the"):
        return text
    core = words[-2]
    if _is_past(core) or core in ADJECTIVES or core.endswith("ly") or is_plural(core):
        return text
    if words[-1] == "of" and _head(" ".join(words[:-1])) in UNIQUE_ROLES:
        return f"the {text}"
    return f"{article(words[0])} {text}"


def _doer(words: list[str]) -> str:
    roles = {words[0], words[-2] if len(words) > 1 else ""}
    return "Who" if roles & (PEOPLE_DO | INDEFINITE_PEOPLE) else "What"


def _being(be: str, complement: str, who: str) -> Wording:
    return Wording(
        f"{{subject}} {be} {complement} {{object}}",
        f"{who} {be} {complement} {{topic}}?",
        f"{'Who' if KIN & set(complement.split()) else 'What'} {be} {{topic}} {complement}?",
    )


def _having(rest: list[str]) -> Wording | None:
    noun = " ".join(rest)
    if rest[-1] in PREPOSITIONS:
        noun = noun if is_plural(rest[-2] if len(rest) > 1 else "") else f"{article(noun)} {noun}"
        return Wording(
            f"{{subject}} has {noun} {{object}}",
            f"What has {noun} {{topic}}?",
            f"What does {{topic}} have {noun}?",
        )
    if _is_past(rest[0]) or rest[0] == "been":
        return None
    return Wording(
        f"{{subject}} has {{object}} {_as(noun)}",
        f"What has {{topic}} {_as(noun)}?",
        f"{_who(noun)} does {{topic}} have {_as(noun)}?",
    )


def _doing(verb: str, lemma: str, rest: list[str]) -> Wording:
    if len(rest) > 1 and rest[-1] == "of":
        rest = ["the", *rest]
    tail = "".join(f" {word}" for word in rest)
    who = "Who" if verb in PEOPLE_DO and rest else "What"
    return Wording(
        f"{{subject}} {verb}{tail} {{object}}",
        f"{who} {verb}{tail} {{topic}}?",
        f"What does {{topic}} {lemma}{tail}?",
    )


def _did(words: list[str]) -> Wording:
    text = " ".join(words)
    who = "Who" if words[0] in PEOPLE_DO else "What"
    return Wording(
        f"{{subject}} {text} {{object}}",
        f"{who} {text} {{topic}}?",
        f"What is it that {{topic}} {text}?",
    )


def _made_by(noun: str) -> Wording:
    return Wording(
        f"{{subject}} has {article(noun)} {noun} by {{object}}",
        f"What has {article(noun)} {noun} by {{topic}}?",
        f"By whom is the {noun} of {{topic}}?",
    )


def _freebase(relation: str, typed: bool) -> Wording:
    """Freebase: ``/domain/type/property``, where the object is the subject's property.

    Two of them, joined by a full stop, have an unnamed node between them.
    """
    parts = [part.strip("/").split("/") for part in relation.split(".")]
    kind = _text(parts[0][-2]) if len(parts[0]) > 1 else "entity"
    outer, inner = _text(parts[0][-1]), _text(parts[-1][-1])
    topic = f"the {kind} {{topic}}" if typed else "{topic}"
    if len(parts) == 1 or _same(outer, inner):
        inner = outer if inner.split()[-1] in PREPOSITIONS else inner
        head = _head(inner)
        if is_plural(head) and (head not in VERBS or head in LONE_PLURALS):
            return _value(inner, kind, topic)
        clause = _clause(inner.split())
        if clause is not None:
            return _with_topic(clause, topic) if typed else clause
        return _value(inner, kind, topic)
    if inner in VERBS:
        clause = _doing(inner, VERBS[inner], [])
        return _with_topic(clause, topic) if typed else clause
    if outer.split()[-1] in PREPOSITIONS:
        return Wording(
            f"{{subject}} is {outer} the {inner} {{object}}",
            f"What is {outer} the {inner} {{topic}}?",
            f"Which {inner} is {topic} {outer}?",
        )
    if inner.split()[-1] in PREPOSITIONS:
        be = _be(outer)
        return Wording(
            f"the {outer} of {{subject}} {be} {inner} {{object}}",
            f"For which {kind} {be} the {outer} {inner} {{topic}}?",
            f"What {be} the {outer} of {topic} {inner}?",
        )
    return _value(f"{inner} of the {outer}", kind, topic)


def _value(noun: str, kind: str, topic: str) -> Wording:
    be = _be(noun)
    # An organization has children and parents too.
    who = "What" if _head(noun) in KIN and kind not in ("person", "celebrity") else _who(noun)
    of = f"one of the {noun}" if be == "are" else f"the {noun}"
    return Wording(
        f"{{object}} is {of} of {{subject}}",
        f"For which {kind} is {{topic}} {of}?",
        f"{who} {be} the {noun} of {topic}?",
    )


def _with_topic(wording: Wording, topic: str) -> Wording:
    return wording._replace(ask_object=wording.ask_object.replace("{topic}", topic))


def _text(part: str) -> str:
    # Freebase writes "(s)" as "_s": /people/person/spouse_s.
    return " ".join(words_of(part.removesuffix("_s"))) or part


def _same(outer: str, inner: str) -> bool:
    return outer in (inner, f"{inner}s") or outer.endswith((f" {inner}", f" {inner}s"))
