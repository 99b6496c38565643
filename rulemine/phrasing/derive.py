"""Templates derived from the names of relations that have no written ones.

The name is split into words (camelCase, snake_case, hyphens, URIs, Freebase paths) and read by the
first pattern that fits: a Freebase path (``/people/person/children``), a verb (``treats``, ``works_at``,
``plays for team``), a passive or an adjective (``isLocatedIn``, ``influenced_by``), a role that ends in *of*
(``Part_of``), a possession (``hasChild``), a noun (``birthPlace``, ``country of origin``).

In ``x sibling y`` the object plays the role of the noun, as in Wikidata, DBpedia, schema.org and Freebase,
unless the graph shows that the subject does. A noun of a family (``aunt``) stands in
public data sets both ways: where nothing says which, it is quoted in a template that is true of
both readings, as is a name without words: “To what does the relation “aunt” lead from x?”.
"""

import re

from rulemine.phrasing.descriptions import derive_descriptions
from rulemine.phrasing.ends import NOTHING_KNOWN, End, Ends
from rulemine.phrasing.grammar import DerivedTemplates, being, clause, doing, head_of, is_past
from rulemine.phrasing.lexicon import (
    ACTIVE_PAST,
    ADJECTIVES,
    AGENTS,
    FAMILY,
    KIN,
    LONE_PLURALS,
    PARTICIPLES,
    PEOPLE,
    PREPOSITIONS,
    SHORT_WORDS,
    STATES,
    TYPES,
    UNIQUE_ROLES,
    VERBS,
    is_plural,
    singular,
)
from rulemine.phrasing.relation_names import object_has_role, phrase_of, readable_name, words_of
from rulemine.phrasing.roles import RoleNoun, quoted, read_noun, role
from rulemine.text.articles import type_words
from rulemine.text.template import escape

__all__ = ["derive", "reading"]

_FREEBASE = re.compile(r"(/[A-Za-z0-9_]+){2,}(\.(/[A-Za-z0-9_]+){2,})*")

_DOTTED = re.compile(r"[a-z]\w*(\.[a-z]\w*){2}(\.\.[a-z]\w*(\.[a-z]\w*){2})*")
"""The same as in the dumps: people.person.children."""


def read_freebase(relation: str, typed: bool) -> DerivedTemplates | None:
    """Derives templates from a Freebase path; None if the name is not one.

    ``/domain/type/property`` is a property of the subject, which is of the type; the object has or is the
    property's value. Two such paths joined by a full stop have an unnamed node between them.

    Args:
        relation: The name.
        typed: Whether questions for the objects name the type of the topic entity.
    """
    path = relation if relation.startswith("/") or relation.count("/") < 2 else f"/{relation}"
    if _DOTTED.fullmatch(relation):
        path = "/" + relation.replace("..", "./").replace(".", "/").replace("//", "./")
    if not _FREEBASE.fullmatch(path):
        return None
    relation = path
    parts = [part.strip("/").split("/") for part in relation.split(".")]
    kind = _text(parts[0][-2]) if len(parts[0]) > 1 else "entity"
    outer, inner = _text(parts[0][-1]), _text(parts[-1][-1])
    topic = f"the {kind} {{topic}}" if typed else "{topic}"
    if len(parts) == 1 or _same(outer, inner):
        inner = outer if inner.split()[-1] in PREPOSITIONS else inner
        head = head_of(inner)
        if is_plural(head) and (head not in VERBS or head in LONE_PLURALS):
            return _value(inner, kind, topic)
        found = clause(inner.split())
        if found is not None:
            return _with_topic(found, topic) if typed else found
        return _value(inner, kind, topic)
    if inner in VERBS:
        found = doing(inner, VERBS[inner], [])
        return _with_topic(found, topic) if typed else found
    if outer.split()[-1] in PREPOSITIONS:
        asked = f"What is {outer} the {inner} {{topic}}?", f"Which {inner} is {topic} {outer}?"
        return DerivedTemplates(f"{{subject}} is {outer} the {inner} {{object}}", *asked, *asked)
    if inner.split()[-1] in PREPOSITIONS:
        be = "are" if is_plural(head_of(outer)) else "is"
        asked = (
            f"For which {kind} {be} the {outer} {inner} {{topic}}?",
            f"What {be} the {outer} of {topic} {inner}?",
        )
        stated = f"the {outer} of {{subject}} {be} {inner} {{object}}"
        return DerivedTemplates(stated, *asked, *asked)
    return _value(f"{inner} of the {outer}", kind, topic)


def _value(noun: str, kind: str, topic: str) -> DerivedTemplates:
    found, end = read_noun(noun.split()), End()
    if found.head in KIN and kind not in ("person", "celebrity"):
        end = End(people=0.0)  # an organization has children and parents too
    has = End(people=1.0) if kind == "person" else End(noun=kind)
    made = role(found, Ends(has, end))
    return _with_topic(made, topic)


def _with_topic(templates: DerivedTemplates, topic: str) -> DerivedTemplates:
    return templates._replace(
        ask_object=templates.ask_object.replace("{topic}", topic),
        ask_objects=templates.ask_objects.replace("{topic}", topic),
    )


def _text(part: str) -> str:
    # Freebase writes "(s)" as "_s": /people/person/spouse_s.
    return " ".join(words_of(part.removesuffix("_s"))) or part


def _same(outer: str, inner: str) -> bool:
    return outer in (inner, f"{inner}s") or outer.endswith((f" {inner}", f" {inner}s"))


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*,?")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f'’,-]+")

_LONE = {
    "associated": "with", "affiliated": "with", "aligned": "with", "divorced": "from", "based": "in",
    "located": "in", "born": "in", "different": "from", "dependent": "on", "responsible": "for",
    "capable": "of", "active": "in", "famous": "for", "interested": "in", "near": "", "north": "of",
    "south": "of", "east": "of", "west": "of", "northeast": "of", "northwest": "of", "southeast": "of",
    "southwest": "of", "downstream": "of", "upstream": "of",
}  # fmt: skip
"""Words in -ed for states, and adjectives, with the preposition that they take; the others take *to*."""

_RUN_TOGETHER = 12
_TOO_LONG = 18
"""From so many letters on one word is several run together, the first unless it ends like an English noun."""

_SUFFIXES = (
    "tion", "sion", "ity", "or", "er", "ment", "ness", "ist", "ive", "ian", "ship", "hood", "ance", "ence",
    "logy", "ism", "ics", "tions", "ors", "ers", "ments", "ists", "ants", "ant", "graphy", "ters",
)  # fmt: skip

_MEMBERS = frozenset({
    "member", "part", "citizen", "resident", "employee", "student", "alumnus", "subsidiary", "branch",
    "type", "kind", "subclass", "instance", "native", "inhabitant", "veteran", "graduate", "component",
    "variant",
})  # fmt: skip
"""Nouns that with *of* and another noun say what the subject is: "member of political party"."""


def derive(
    relation: str, *, typed: bool = False, ends: Ends = NOTHING_KNOWN, role_of: str = ""
) -> DerivedTemplates:
    """Derives templates from the name of a relation.

    Args:
        relation: The name.
        typed: Whether to name the type of the topic entity if the relation does (Freebase paths), which
            distinguishes relations that would read the same.
        ends: What is known of the ends.
        role_of: Which end plays the role that a noun names: ``subject`` or ``object``; "": not known.

    Returns:
        The first reading that fits; see the module docstring.

    Example:
        >>> derive("Treats").ask_object, derive("/people/person/place_of_birth").ask_object
        ('What does {topic} treat?', 'What is the place of birth of {topic}?')
    """
    if (found := read_freebase(relation, typed)) is not None:
        return found
    words = _words(relation)
    name = " ".join(words)
    if not words or not all(map(_is_word, words)) or (len(words) == 1 and _is_run_together(name)):
        return quoted(readable_name(relation), ends)
    words = [escape(word) for word in words]
    found = _clause(words, ends)
    if found is not None:
        return found.described(*_descriptions(name, found, ends))
    if words[0] == "has" and len(words) > 1 and not is_past(words[1]) and words[1] != "been":
        noun = read_noun(words[1:])
        had = f"{{subject}} has {{object}} as {noun.one}"
        return role(noun, ends)._replace(statement=had)
    noun = read_noun(words)
    family = noun.head in FAMILY and not noun.after
    if object_has_role(relation):
        role_of = "object"
    if family and not role_of:
        people = Ends(*(end._replace(people=1.0) for end in ends))
        return quoted(readable_name(relation), people)
    return role(noun, ends, turned=role_of == "subject")


def reading(name: str) -> tuple[RoleNoun | None, str]:
    """The noun that a name is, or of a clause the noun that it has for its object.

    Example:
        >>> reading("country of origin")[0].head, reading("works for company")
        ('country', (None, 'company'))
    """
    words = _words(name)
    if not words or not all(map(_is_word, words)):
        return None, ""
    words = [escape(word) for word in words]
    if found := _clause(words, NOTHING_KNOWN):
        return None, type_words(found.statement.split("{object}")[0]).removeprefix("the ").strip()
    return read_noun(words[1:] if words[0] == "has" and len(words) > 1 else words), ""


def _words(name: str) -> list[str]:
    words = phrase_of(name)
    return _parted(words[0]) if len(words) == 1 else words


def _parted(word: str) -> list[str]:
    """The words of a name that has no mark between them, as NELL writes; the word itself where it is one.

    Example:
        >>> _parted("athleteplaysforteam"), _parted("locatedin"), _parted("nationality")
        (['athlete', 'plays', 'for', 'team'], ['located', 'in'], ['nationality'])
    """
    acts = VERBS.keys() | PARTICIPLES | ACTIVE_PAST | _MEMBERS | UNIQUE_ROLES
    known = TYPES | acts | PREPOSITIONS
    best: list[list[str] | None] = [[]]
    for end in range(1, len(word) + 1):
        parts = [
            [*before, word[start:end]]
            for start in range(end)
            if word[start:end] in known and (before := best[start]) is not None
        ]
        best.append(min(parts, key=len, default=None))
    found = best[-1] or []
    clause_of_two = len(found) == 2 and found[0] in acts and found[1] in PREPOSITIONS
    typed = len(found) > 2 and {found[0], found[-1]} <= TYPES
    return found if clause_of_two or typed else [word]


def _is_run_together(word: str) -> bool:
    """Whether a long word is probably several."""
    short = len(word) < _RUN_TOGETHER or (len(word) < _TOO_LONG and word.endswith(_SUFFIXES))
    return not short and "-" not in word


def _is_word(word: str) -> bool:
    """Whether a word can stand in an English sentence; else it is a code, or of another script."""
    if not (_WORD.fullmatch(word) and _LATIN.fullmatch(word)):
        return False
    return len(word) > 2 or word in SHORT_WORDS or word.isupper()


def _clause(words: list[str], ends: Ends) -> DerivedTemplates | None:
    """Reads the words as a clause, which may name the types of its ends; None if they are a noun."""
    first, last = words[0], words[-1]
    if words[0] in PREPOSITIONS and len(words) == 1:
        return being(first, ends)
    if len(words) == 1 and (first in STATES or first in ADJECTIVES) and first not in _NOUNS:
        link = _LONE.get(first, "to")
        return being(f"{first} {link}".rstrip(), ends)
    if len(words) > 1 and first in TYPES and last in TYPES:
        typed = Ends(_named(ends.subject, first), _named(ends.object, last))
        if found := clause(words[1:-1] or ["associated", "with"], typed):
            return _with_kind(found, last)
    if last == "of" and len(words) > 1 and is_plural(words[-2]) and words[-2] not in VERBS:
        words = [*words[:-2], singular(words[-2]), last]
    if found := clause(words, ends):
        return found
    at = next((i for i in range(len(words) - 1, 0, -1) if words[i - 1] in PREPOSITIONS), 0)
    noun = words[at + 1 :] if at and words[at] == "the" else words[at:]
    if at == 1 and noun:  # "in language"
        return _with_kind(being(first, _ends_in(ends, noun)), " ".join(noun))
    acts = first in VERBS or is_past(first) or first in ("is", "was") or _plays(words, ends)
    if at and noun and acts and (found := clause(words[:at], _ends_in(ends, noun))):
        return _with_kind(found, " ".join(noun))
    plain = (first in VERBS and first not in LONE_PLURALS) or first in ACTIVE_PAST
    if first == "has" and len(words) > 2 and is_past(words[1]) and not at and not is_past(last):
        return _has_done(words[1], words[2:], ends)
    if len(words) > 1 and plain and not at and not is_past(last):
        noun = [*words[1:-1], singular(last) if is_plural(last) else last]
        if found := clause(words[:1], _ends_in(ends, noun)):
            return _with_kind(found, " ".join(noun))
    return None


def _has_done(done: str, noun: list[str], ends: Ends) -> DerivedTemplates:
    """The templates of "has won prize"."""
    kind = " ".join([*noun[:-1], singular(noun[-1]) if is_plural(noun[-1]) else noun[-1]])
    subject, object_ = _ends_in(ends, [kind])
    usual = "Who" if done == "won" else "What"
    have = "have" if subject.noun else "has"
    asks = f"{object_.who()} has {{topic}} {done}?", f"{object_.whos()} has {{topic}} {done}?"
    found = DerivedTemplates(
        f"{{subject}} has {done} {{object}}",
        f"{subject.who(usual)} has {done} {{topic}}?",
        asks[0],
        f"{subject.whos(usual)} {have} {done} {{topic}}?",
        asks[1],
    )
    return _with_kind(found, kind)


_NOUNS = frozenset({"speed", "need", "breed", "seed", "friends", "subject", "due"})
"""Words of `STATES` and `ADJECTIVES` that are nouns where they stand alone."""


def _plays(words: list[str], ends: Ends) -> bool:
    """Whether the subject is what a noun with *of* and the type of the object says: "winner of contest"."""
    first, last = words[0], words[-1]
    if words[1:2] != ["of"] or words[:3] in (
        ["head", "of", "state"],
        ["director", "of", "photography"],
    ):
        return False
    if first in _MEMBERS:
        return True
    of_people = (ends.object.people or 0.0) > (ends.subject.people or 0.0)
    agent = first in PEOPLE | AGENTS or first.endswith(("er", "or"))
    return agent and last in TYPES and not of_people


def _named(end: End, noun: str) -> End:
    return end._replace(noun=end.noun or noun)


def _ends_in(ends: Ends, noun: list[str]) -> Ends:
    """The ends, if the name ends in a noun for the object."""
    return ends._replace(object=ends.object._replace(noun=" ".join(noun)))


def _with_kind(found: DerivedTemplates, kind: str) -> DerivedTemplates:
    """Templates that say what the object is: "plays the instrument {object}"."""
    before, after = found.statement.split("{object}")
    topic = f"the {kind} {{topic}}"
    return found._replace(
        statement=f"{before}the {kind} {{object}}{after}",
        ask_subject=found.ask_subject.replace("{topic}", topic),
        ask_subjects=found.ask_subjects.replace("{topic}", topic),
    )


def _descriptions(name: str, found: DerivedTemplates, ends: Ends) -> tuple[str, str]:
    """The descriptions of the ends of a clause, with the nouns that are known for them."""
    asks = (found.ask_subject, found.ask_object)
    both = derive_descriptions(name, found.statement, *asks)
    made = []
    for end, text, ask in zip(ends, both, asks, strict=True):
        noun, _, said = text.partition(" | ")
        if noun == "something/things" and ask.startswith("Where "):
            made.append(f"place/places | {said}")
            continue
        if noun in ("someone/people", "something/things") and (end.noun or end.people is not None):
            noun = end.called()
            who = noun == "person/people"
            first, _, rest = said.partition(" ")
            words = {"that": "who", "which": "whom"} if who else {"who": "that", "whom": "which"}
            said = f"{words.get(first, first)} {rest}"
        made.append(f"{noun} | {said}")
    return made[0], made[1]
