"""Templates derived from the names of relations that have no written ones.

The name is split into words (camelCase, snake_case, hyphens, URIs, Freebase paths) and read by the
first pattern that fits: a Freebase path (``/people/person/children``), a verb (``treats``, ``works_at``,
``plays for team``), a passive or an adjective (``isLocatedIn``, ``influenced_by``), a role that ends in *of*
(``Part_of``), a possession (``hasChild``), a noun (``birthPlace``, ``country of origin``).

In ``x sibling y`` the object plays the role of the noun, as in Wikidata, DBpedia, schema.org and Freebase,
unless the graph shows that the subject does; both questions say the same of the same end. A name that may be
read two ways is quoted in a template that is true of both, as is a name without words: “To what does the
relation “aunt” lead from x?”. Such are nouns of a family (``aunt``), which public data sets write both ways;
verbs that may be plurals (``hosts``); and nouns of which nobody can tell whose they are (``city in county``,
``population speaks``).
"""

import re
from dataclasses import replace
from typing import Any, NamedTuple

from rulemine.phrasing.descriptions import derive_descriptions, literal
from rulemine.phrasing.grammar import (
    NOTHING_KNOWN,
    End,
    Ends,
    being,
    clause,
    doing,
    head_of,
    is_past,
)
from rulemine.phrasing.lexicon import (
    ACTIVE_PAST,
    ADJECTIVES,
    ADVERBS,
    FAMILY,
    KIN,
    LEMMAS,
    LONE_BASES,
    LONE_PLURALS,
    MODALS,
    NOMINAL,
    PARTICIPLES,
    PERSONAL,
    PREPOSITIONS,
    PROPERTY_NOUNS,
    RELATIONAL,
    SHORT_WORDS,
    STATES,
    TYPES,
    UNIQUE_ROLES,
    VERBS,
    active_of,
    article,
    is_adjective,
    is_doer,
    is_known_plural,
    is_person,
    is_plural,
    plural,
    singular,
    verb_of,
)
from rulemine.phrasing.relation_names import object_has_role, phrase_of, readable_name, words_of
from rulemine.phrasing.template_file import RelationTable
from rulemine.text.template import escape

__all__ = ["RoleNoun", "derive", "exchanged", "reading", "says_no_end"]


class RoleNoun(NamedTuple):
    """A noun phrase, cut at the word that carries the number.

    Attributes:
        before: The words before it.
        head: The word in the singular.
        heads: The word in the plural.
        after: The words after it: "of origin", "received".
        link: What leads on to the other end: "of", "by"; "": the phrase ends in a preposition.
    """

    before: str
    head: str
    heads: str
    after: str
    link: str

    @property
    def of_family(self) -> bool:
        """Whether it is a relative, so that it matters which end is one."""
        return self.head in FAMILY and self.after in ("", "in law")

    @property
    def one(self) -> str:
        """The phrase in the singular."""
        return _joined(self.before, self.head, self.after)

    @property
    def many(self) -> str:
        """The phrase in the plural."""
        return _joined(_both_heads(self.before, "{1}"), self.heads, self.after)

    @property
    def both(self) -> str:
        """The phrase in both numbers, as descriptions have it."""
        before = _both_heads(self.before, "{0}/{1}")
        return _joined(before, f"{self.head}/{self.heads}", self.after)

    def asks(self) -> str:
        """The word that asks for what plays the role, where nothing is known of it but the noun."""
        of_people = (
            self.head == "member" and self.before
        )  # "cast member"; members alone may be anything
        head = self.head.removeprefix("co-")
        if head == "host":  # people and computers
            return "Who or what"
        return "Who" if of_people or is_person(head) else "What"

    def asks_owner(self) -> str:
        """The word that asks for what has it: *Who* for an occupation, a place of birth."""
        others = {*self.before.split(), *self.after.split()} - KIN
        return "Who" if {self.head, *others} & PERSONAL else "What"


def read_noun(words: list[str]) -> RoleNoun:
    """Reads a noun phrase: the word before the first preposition or participle carries the number.

    Example:
        >>> read_noun(["notable", "works"]).one, read_noun(["country", "of", "origin"]).many
        ('notable work', 'countries of origin')
    """
    bare = [word.rstrip(",") for word in words]
    ends = (
        i
        for i, word in enumerate(bare)
        if i and (word in PREPOSITIONS or (is_past(word) and _goes_on(bare, i)))
    )
    at = next(ends, len(words))
    head, after = words[at - 1], words[at:]
    one, many = (singular(head), head) if is_plural(head) else (head, plural(head))
    link = "of"
    if after and bare[-1] in PREPOSITIONS:
        link = ""
    elif after and is_past(bare[-1]) and bare[-1] not in STATES:
        link = "by"
    return RoleNoun(" ".join(words[: at - 1]), one, many, " ".join(after), link)


def _goes_on(words: list[str], at: int) -> bool:
    """Whether a participle ends a phrase, or a preposition or another participle follows it."""
    after = words[at + 1 : at + 2]
    return not after or after[0] in PREPOSITIONS or after[0] in ("or", "and") or is_past(after[0])


def role(noun: RoleNoun, ends: Ends, *, turned: bool = False) -> RelationTable:
    """Makes the templates of a noun.

    Args:
        noun: The noun.
        ends: What is known of the ends.
        turned: Whether the subject plays the role; else the object does.
    """
    if noun.head in RELATIONAL and not noun.after:
        return _relation(noun, ends)
    has, plays = (ends.object, ends.subject) if turned else ends
    if noun.head in plays.noun.split():
        plays = plays._replace(noun="")  # not "Which country is the country of origin"
    of = _joined(noun.link, "{topic}")
    of_life = noun.after.startswith("of ") or noun.before in ("birth", "death")
    usual = (noun.head in PROPERTY_NOUNS and of_life) or {noun.head, noun.before} & UNIQUE_ROLES
    the = "the" if (usual if plays.single is None else plays.single) else ""
    what, whats = plays.who(noun.asks()), plays.whos(noun.asks())
    relative = "who" if what == "Who" else "that"
    called = plays.called(noun.asks())
    if called == "something/things" and noun.head in TYPES:
        called = f"{noun.head}/{noun.heads}"
    number = f"{the} " if the else f"{article(noun.one)}/- "
    asked, described = _owner(noun, has.who(noun.asks_owner()), bool(has.noun), bool(the))
    found = RelationTable(
        f"{{object}} is {the or article(noun.one)} {noun.one} {of.format(topic='{subject}')}",
        asked[0],
        f"{what} is the {noun.one} {of}?",
        asked[-1].replace(has.who(), has.whos(), 1) if has.noun else asked[-1],
        f"{whats} are the {noun.many} {of}?",
        f"{has.called(noun.asks_owner())} | {described}",
        f"{called} | {relative} is/are {number}{noun.both} {of}",
    )
    return exchanged(found) if turned else found


def _owner(noun: RoleNoun, who: str, typed: bool, single: bool) -> tuple[tuple[str, str], str]:
    """The questions for what has the role, for one and for several, and the clause that describes it."""
    if noun.link == "by" and " " not in noun.after and (did := active_of(noun.after)):
        what = f"{did} the {_joined(noun.before, noun.head)} {{topic}}"
        return (f"{who} {what}?",) * 2, f"{'who' if who == 'Who' else 'that'} {what}"
    described = (
        f"whose {noun.one} is {{topic}}" if single else f"whose {noun.many} include {{topic}}"
    )
    if who == "Who":
        return (f"W{described[1:]}?",) * 2, described
    its = ("its", "their") if single else (article(noun.one),) * 2
    ask = f"{who} has {{topic}} as {its[0]} {noun.one}?"
    asks = f"{who} have {{topic}} as {its[1]} {noun.one}?" if typed else ask
    return (ask, asks), described


def _relation(noun: RoleNoun, ends: Ends) -> RelationTable:
    """The templates of what holds between both ends: "{subject} has a border with {object}"."""
    a = f"{article(noun.one)} {noun.one}"
    subject, object_ = ends
    return RelationTable(
        f"{{subject}} has {a} with {{object}}",
        f"{subject.who()} has {a} with {{topic}}?",
        f"{object_.who()} does {{topic}} have {a} with?",
        f"{subject.whos()} {'have' if subject.noun else 'has'} {a} with {{topic}}?",
        f"{object_.whos()} does {{topic}} have {a} with?",
        f"{subject.called()} | {'who' if subject.who() == 'Who' else 'that'} has/have {a} with {{topic}}",
        f"{object_.called()} | with {'whom' if object_.who() == 'Who' else 'which'} {{topic}} has {a}",
    )


def quoted(name: str, ends: Ends) -> RelationTable:
    """Makes templates that name a relation and are true of any."""
    said = f"the relation “{escape(name)}”"
    words = {"Who": "whom", "What": "what", "Who or what": "whom or what"}
    asked = [words.get(end.who(), end.who().lower()) for end in ends]
    several = [words.get(end.whos(), end.whos().lower()) for end in ends]
    plain = literal(said)
    which = ["whom" if end.who() == "Who" else "which" for end in ends]
    return RelationTable(
        f"{said} leads from {{subject}} to {{object}}",
        f"From {asked[0]} does {said} lead to {{topic}}?",
        f"To {asked[1]} does {said} lead from {{topic}}?",
        f"From {several[0]} does {said} lead to {{topic}}?",
        f"To {several[1]} does {said} lead from {{topic}}?",
        f"{ends.subject.called()} | from {which[0]} {plain} leads to {{topic}}",
        f"{ends.object.called()} | to {which[1]} {plain} leads from {{topic}}",
    )


def says_no_end(statement: str) -> bool:
    """Whether a statement is one of `quoted`: it is true whichever end a name is about."""
    return statement.startswith("the relation “")


def exchanged(found: RelationTable) -> RelationTable:
    """Templates that say the same with subject and object exchanged."""
    other = {"{subject}": "{object}", "{object}": "{subject}"}
    return RelationTable(
        re.sub(
            r"\{\{|\{subject\}|\{object\}", lambda end: other.get(end[0], end[0]), found.statement
        ),
        found.ask_object,
        found.ask_subject,
        found.ask_objects,
        found.ask_subjects,
        found.describe_object,
        found.describe_subject,
    )


def _both_heads(before: str, form: str) -> str:
    """The words before a head, with the other head among them in some form: "products or" materials."""
    words = before.split()
    if words[-1:] in (["or"], ["and"]) and len(words) > 1:
        words[-2] = form.format(words[-2], plural(words[-2]))
    return " ".join(words)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


_FREEBASE = re.compile(r"(/[A-Za-z0-9_]+){2,}(\.(/[A-Za-z0-9_]+){2,})*")

_DOTTED = re.compile(r"[a-z]\w*(\.[a-z]\w*){2}(\.\.[a-z]\w*(\.[a-z]\w*){2})*")
"""The same as in the dumps: people.person.children."""


def read_freebase(relation: str, typed: bool) -> RelationTable | None:
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
    parts = [part.strip("/").split("/") for part in path.split(".")]
    kind = _text(parts[0][-2]) if len(parts[0]) > 1 else "entity"
    outer, inner = _text(parts[0][-1]), _text(parts[-1][-1])
    topic = f"the {kind} {{topic}}" if typed else "{topic}"
    if len(parts) == 1 or f" {outer}".endswith((f" {inner}", f" {inner}s")):
        inner = outer if inner.split()[-1] in PREPOSITIONS else inner
        words, head = inner.split(), head_of(inner)
        noun = is_plural(head) and (head not in VERBS or head in LONE_PLURALS)
        found = clause(words) or (
            being(inner, NOTHING_KNOWN) if words[-1] in PREPOSITIONS else None
        )
        return (
            _value(inner, kind, topic) if found is None or noun else _asking(found, "object", topic)
        )
    if inner in VERBS:
        return _asking(doing(inner, VERBS[inner], []), "object", topic)
    if outer.split()[-1] in PREPOSITIONS:
        asked = f"What is {outer} the {inner} {{topic}}?", f"Which {inner} is {topic} {outer}?"
        return RelationTable(f"{{subject}} is {outer} the {inner} {{object}}", *asked, *asked)
    if inner.split()[-1] in PREPOSITIONS:
        be = "are" if is_plural(head_of(outer)) else "is"
        asked = (
            f"For which {kind} {be} the {outer} {inner} {{topic}}?",
            f"What {be} the {outer} of {topic} {inner}?",
        )
        return RelationTable(f"the {outer} of {{subject}} {be} {inner} {{object}}", *asked, *asked)
    return _value(f"{inner} of the {outer}", kind, topic)


def _value(noun: str, kind: str, topic: str) -> RelationTable:
    found = read_noun(noun.split())
    # An organization has children and parents too.
    things = found.head in KIN and kind not in ("person", "celebrity")
    has = End(people=1.0) if kind == "person" else End(noun=kind)
    return _asking(role(found, Ends(has, End(people=0.0 if things else None))), "object", topic)


def _asking(templates: RelationTable, end: str, topic: str) -> RelationTable:
    """Templates whose questions for an end call the topic entity something else."""
    keys = f"ask_{end}", f"ask_{end}s"
    texts: dict[str, Any] = {k: getattr(templates, k).replace("{topic}", topic) for k in keys}
    return replace(templates, **texts)


def _text(part: str) -> str:
    # Freebase writes "(s)" as "_s": /people/person/spouse_s.
    return " ".join(words_of(part.removesuffix("_s"))) or part


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*,?")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f'’,-]+")

_LONE = {
    "associated": "with", "affiliated": "with", "aligned": "with", "divorced": "from", "based": "in",
    "located": "in", "born": "in", "different": "from", "dependent": "on", "responsible": "for",
    "capable": "of", "active": "in", "famous": "for", "interested": "in", "near": "", "north": "of",
    "south": "of", "east": "of", "west": "of", "northeast": "of", "northwest": "of", "southeast": "of",
    "southwest": "of", "downstream": "of", "upstream": "of", "independent": "of", "distinct": "from",
    "absent": "from", "disjoint": "with", "present": "in", "valid": "in",
}  # fmt: skip
"""Words in -ed for states, and adjectives, with the preposition that they take; the others take *to*."""

_TAKES = {
    "coexists": "with", "collaborates": "with", "collaborated": "with", "communicates": "with",
    "competes": "with", "complies": "with", "conflicts": "with", "cooperates": "with", "interacts": "with",
    "interacted": "with", "adheres": "to", "belongs": "to", "belonged": "to", "conforms": "to",
    "contributes": "to", "contributed": "to", "corresponds": "to", "listens": "to", "pertains": "to",
    "refers": "to", "relates": "to", "replied": "to", "responds": "to",
    "responded": "to", "subscribes": "to", "subscribed": "to", "depends": "on", "depended": "on",
    "relies": "on", "participates": "in", "participated": "in", "resides": "in", "consists": "of",
    "descends": "from", "differs": "from", "originates": "from",
}  # fmt: skip
"""Verbs that name no other end by themselves, with the preposition that does."""

_RUN_TOGETHER = 12
_TOO_LONG = 18
"""From so many letters on one word is several run together, the first unless it ends like an English noun."""

_MEMBERS = frozenset({
    "member", "part", "citizen", "resident", "employee", "student", "alumnus", "subsidiary", "branch",
    "subclass", "instance", "native", "inhabitant", "veteran", "graduate", "component", "variant",
    "adaptation", "copy", "derivative", "edition", "example", "reproduction", "revision", "sample",
    "sequel", "translation", "version",
})  # fmt: skip
"""Nouns that with *of* and another noun say what the subject is: "member of political party"."""


def derive(
    relation: str, *, typed: bool = False, ends: Ends = NOTHING_KNOWN, role_of: str = ""
) -> RelationTable:
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
    found = _clause(words, ends) if words else None
    if found is not None:
        both = _descriptions(" ".join(words), found, ends)
        return replace(found, describe_subject=both[0], describe_object=both[1])
    noun = _noun(words) if words else None
    if noun is None:
        return quoted(readable_name(relation), ends)
    if words[0] in ("has", "had") and len(words) > 1:
        return replace(
            role(noun, ends), statement=f"{{subject}} {words[0]} {{object}} as {noun.one}"
        )
    if object_has_role(relation) or is_plural(words[-1]):  # "children" are a list
        role_of = "object"
    if noun.of_family and not role_of:
        return quoted(readable_name(relation), Ends(*(end._replace(people=1.0) for end in ends)))
    return role(noun, ends, turned=role_of == "subject")


def reading(name: str) -> RoleNoun | None:
    """The noun that a name surely is.

    Example:
        >>> reading("country of origin").head, reading("works for company"), reading("city in county")
        ('country', None, None)
    """
    words = _words(name)
    return None if not words or _clause(words, NOTHING_KNOWN) else _noun(words)


def _noun(words: list[str]) -> RoleNoun | None:
    """The noun that words are; None: "hosts" may be a verb, of "sequel of film" the subject may be either."""
    had = words[0] in ("has", "had") and len(words) > 1
    noun = read_noun(words[had:])
    after = noun.after.replace(",", "").split()
    last, known = words[-1], after[-1:] and (is_past(after[-1]) or after[-1] in _DOINGS)
    strange = not (had or is_past(last)) and any(
        is_plural(word) and not is_known_plural(word) for word in words[:-1]
    )
    # "hosts" and "previous" stand alone; "range includes" ends in a verb, "nearby features" may not.
    lone = (
        not is_known_plural(last) if is_plural(last) else is_adjective(last) and last not in _NOUNS
    )
    verb = lone if len(words) == 1 else verb_of(last) not in LONE_BASES | {""}
    if strange or words[0] == "by" or _NO_NOUN & {*words[had:]} or (verb and not had):
        return None
    whole = not after or noun.of_family or noun.after == "in chief" or (is_past(after[0]) and known)
    of = after[:1] == ["of"] and (had or known or noun.head in PROPERTY_NOUNS)
    return noun if whole or of else None


def _words(name: str) -> list[str]:
    """The words of a name, with braces doubled; none where it cannot be read."""
    words = phrase_of(re.sub(r"^[A-Z]{1,2}\d+i?[_ ]", "", name))  # "P14 carried out by"
    words = words[2 * (words[:3] == ["has", "or", "had"]) :]
    words = _parted(words[0]) if len(words) == 1 else words
    readable = all(map(_is_word, words)) and not (len(words) == 1 and _is_run_together(words[0]))
    return [escape(word) for word in words] if readable else []


def _parted(word: str) -> list[str]:
    """The words of a name that has no mark between them, as NELL writes; the word itself where it is one.

    Example:
        >>> _parted("athleteplaysforteam"), _parted("locatedin"), _parted("nationality")
        (['athlete', 'plays', 'for', 'team'], ['located', 'in'], ['nationality'])
    """
    known = (
        VERBS.keys() | PARTICIPLES | ACTIVE_PAST | _MEMBERS | UNIQUE_ROLES | TYPES | PREPOSITIONS
    )
    best: list[list[str] | None] = [[]]
    for end in range(1, len(word) + 1):
        parts = [
            [*before, word[start:end]]
            for start in range(end)
            if word[start:end] in known and (before := best[start]) is not None
        ]
        best.append(min(parts, key=len, default=None))
    found = best[-1] or []
    closed = len(found) > 1 and found[-1] in PREPOSITIONS and found[0] not in PREPOSITIONS
    typed = len(found) > 2 and {found[0], found[-1]} <= TYPES
    ends = re.fullmatch(r"(.{3,11})(?<!o)(of|for|with|from)", word)
    return found if closed or typed else [*ends.groups()] if ends else [word]


def _is_run_together(word: str) -> bool:
    """Whether a long word is probably several."""
    noun = len(word) < _TOO_LONG and NOMINAL.search(singular(word))
    verb = verb_of(word) and not word.startswith(tuple(TYPES))
    return not (len(word) < _RUN_TOGETHER or noun or verb or "-" in word)


def _is_word(word: str) -> bool:
    """Whether a word can stand in an English sentence; else it is a code, or of another script."""
    return (len(word) > 2 or word in SHORT_WORDS or word.isupper()) and bool(
        _WORD.fullmatch(word) and _LATIN.fullmatch(word)
    )


def _clause(words: list[str], ends: Ends) -> RelationTable | None:
    """Reads the words as a clause, which may name the types of its ends; None if they are a noun."""
    first, last = words[0], words[-1]
    shared = last in RELATIONAL and verb_of(first, words[1:]) and not PREPOSITIONS & {*words}
    if link := "with" if shared else _TAKES.get(last.rpartition("-")[2]):
        words, last = [*words, link], link
    lone = len(words) == 1 and first in PREPOSITIONS
    how = all(word.endswith("ly") for word in words[:-1])
    if lone or (how and last in (STATES | ADJECTIVES) - _NOUNS):
        return being(" ".join([*words, *[_LONE.get(last, "to")] * (not lone)]).rstrip(), ends)
    if len(words) > 1 and first in TYPES and last in TYPES:
        apart = len(words) > 2 or first == last  # two nouns may be one: "drug class"
        nouns = zip(ends, (first * apart, last), strict=True)
        typed = Ends(*(end._replace(noun=end.noun or noun) for end, noun in nouns))
        if found := clause(words[1:-1] or ["associated", "with"], typed, sure=True):
            return _with_kind(found, last)
    several = last == "of" and is_plural("".join(words[-2:-1])) and words[-2] not in VERBS
    one = [*words[:-2], singular(words[-2]), last] if several else words
    return clause(words, ends) or clause(one, ends) or _clause_on(words, ends)


def _clause_on(words: list[str], ends: Ends) -> RelationTable | None:
    """Reads words that end in a noun for the object: "in language", "uses currency"; None if they do not."""
    last, prepositions = words[-1], [i for i, word in enumerate(words[:-1]) if word in PREPOSITIONS]
    at = prepositions[-1] + 1 if prepositions and last not in PREPOSITIONS else 0
    if prepositions[1:] and at and words[at - 1] == "of" and words[at - 2] in _WITH_OF:
        at = (
            prepositions[-2] + 1
        )  # "located in | body of water", "contributes to severity of | disease"
    noun = words[at + 1 :] if at and words[at] == "the" else words[at:]
    if (
        at
        and words[0] != "by"
        and {*words[: at - 1]} <= {"also", "never", "only"}
        and not _NO_NOUN & {*noun}
    ):
        return _with_kind(being(" ".join(words[:at]), _ends_in(ends, noun)), " ".join(noun))
    act = next((i for i, word in enumerate(words) if not word.endswith("ly")), 0)
    verb, rest = words[act], words[act + 1 :]
    states = is_past(verb) or is_adjective(verb) or verb in LEMMAS.keys() - LONE_BASES
    leads = states and rest and (rest[0] in PREPOSITIONS | ADVERBS or rest[0].endswith("ly"))
    acts = leads or verb in ACTIVE_PAST | MODALS | {"is", "was"} or verb_of(verb, rest)
    has = verb == "has" and at > 2 and (words[at - 1] != "of" or words[at] == "the")
    if at and (acts or has or _plays(words, ends)):
        found = clause(words[:at], _ends_in(ends, noun))
        return _with_kind(found, " ".join(noun)) if found else None
    done = verb == "has" and {*rest[:1]} <= ACTIVE_PAST
    size = act + 1 + done + (1 + ("not" in rest)) * (verb in MODALS)
    ends_so = size >= len(words) or is_past(last) or words[size] in ("and", "or")
    if prepositions or not (acts or done) or ends_so:
        return None
    noun = [*words[size:-1], singular(last) if is_plural(last) else last]
    found = clause(words[:size], _ends_in(ends, noun), sure=True)
    return _with_kind(found, " ".join(noun)) if found else None


_NOUNS = frozenset({"speed", "need", "breed", "seed", "friends", "subject", "due"})
"""Words of `STATES` and `ADJECTIVES` that are nouns where they stand alone."""

_WITH_OF = PROPERTY_NOUNS | {"board", "body"}
"""Nouns that are one with what follows *of*: "body of water"."""

_NO_NOUN = MODALS | {
    "also", "are", "be", "been", "has", "have", "is", "not", "that", "was", "were", "together",
    "when", "where", "which", "who",
}  # fmt: skip
"""Words that nouns do not have."""

_DOINGS = frozenset({
    "action", "administration", "arms", "arrival", "birth", "burial", "business", "citizenship",
    "commencement", "completion", "construction", "contents", "creation", "death", "delivery", "departure",
    "detention", "discovery", "dissolution", "education", "employment", "establishment", "expertise",
    "finance", "formation", "foundation", "government", "honor", "incorporation", "interest", "invention",
    "issue", "jurisdiction", "knowledge", "law", "manufacture", "measurement", "month", "occurrence",
    "operation", "origin", "payment", "performance", "photography", "practice", "production", "publication",
    "registration", "registry", "release", "residence", "service", "state", "study", "time", "transport",
    "treatment", "use", "week", "work", "worship", "year",
})  # fmt: skip
"""Nouns after *of* that name no other thing: "place of birth" is one noun."""


def _plays(words: list[str], ends: Ends) -> bool:
    """Whether the subject is what a noun with *of* and the type of the object says: "winner of contest"."""
    of_people = (ends.object.people or 0.0) > (ends.subject.people or 0.0)
    return words[1:2] == ["of"] and (
        words[0] in _MEMBERS or (is_doer(words[0]) and words[-1] not in _DOINGS and not of_people)
    )


def _ends_in(ends: Ends, noun: list[str]) -> Ends:
    """The ends, if the name ends in a noun for the object."""
    return ends._replace(object=ends.object._replace(noun=" ".join(noun)))


def _with_kind(found: RelationTable, kind: str) -> RelationTable:
    """Templates that say what the object is: "plays the instrument {object}"."""
    statement = found.statement.replace("{object}", f"the {kind} {{object}}")
    return _asking(replace(found, statement=statement), "subject", f"the {kind} {{topic}}")


def _descriptions(name: str, found: RelationTable, ends: Ends) -> tuple[str, str]:
    """The descriptions of the ends of a clause, with the nouns that are known for them."""
    asks = (found.ask_subject, found.ask_object)
    both = derive_descriptions(name, found.statement, *asks)
    made = []
    for end, text, ask in zip(ends, both, asks, strict=True):
        noun, _, said = text.partition(" | ")
        if noun == "something/things" and ask.startswith("Where "):
            noun = "place/places"
        elif noun in ("someone/people", "something/things") and (
            end.noun or end.people is not None
        ):
            noun = end.called()
            who = noun == "person/people"
            first, _, rest = said.partition(" ")
            words = {"that": "who", "which": "whom"} if who else {"who": "that", "whom": "which"}
            said = f"{words.get(first, first)} {rest}"
        made.append(f"{noun} | {said}")
    return made[0], made[1]
