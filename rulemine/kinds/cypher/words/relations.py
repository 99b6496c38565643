"""What relations say, in words: nouns for their ends, and a verb between them.

    hasCapital    capital/capitals of {subject}          {subject} has {object} as its capital
    borders       –                                      {subject} borders {object}

Nouns are read off the templates of a relation: its statement says what the subject is, its question what the
object is. Guarantee: a noun and a verb say the same of the same end.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from rulemine.kinds.cypher.words.names import plural
from rulemine.phrasing.derive import derive
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.grammar import doing
from rulemine.phrasing.lexicon import (
    PARTICIPLES,
    PAST,
    PREPOSITIONS,
    VERBS,
    article,
    participle_of,
    past_of,
)
from rulemine.phrasing.relation_names import words_of
from rulemine.phrasing.templates import RelationTemplates
from rulemine.text.articles import type_words

__all__ = ["Noun", "Predicate", "RelationWords", "is_participle", "relation_words"]

Noun = tuple[str, str]
"""A noun in the singular and the plural."""

_MANY = {"is": "are", "was": "were", "has": "have"}
_BE = ("is", "was")

_STATED = re.compile(r"\{subject\} (\S+) ?(.*?) ?\{object\} ?(.*)")
_SUBJECT_IS = re.compile(r"\{subject\} is (?:an?|the) ([^{}]+) of \{object\}")
_OBJECT_AS = re.compile(r"\{subject\} has \{object\} as (?:its |an? |the )?([^{}]+)")
_OBJECT_IS = re.compile(r"(?:What|Who|Which [^{}]+?) is (?:an?|the) ([^{}]+) of \{topic\}\?")
_OBJECTS_ARE = re.compile(r"(?:What|Who|Which [^{}]+?) are the ([^{}]+) of \{topic\}\?")
_NOW_OR_ONCE = re.compile(r"\b(is|are|has|have) or (?:was|were|had)\b")
_OBJECT_HAS_ROLE = re.compile(r"\{object\} (?:is|was) ((?:an?|the) .+) of \{subject\}")
_OF_THE_SUBJECT = re.compile(r"the (\w+) (?:for|of) \{subject\} ([^{}]+) \{object\}")
_OBJECT_DOES = re.compile(r"\{object\} (\w+) \{subject\}")
_PERFECT = re.compile(r"\w+ed\b|been\b|had\b|won\b")
_KIND_OF_OBJECT = re.compile(r"(?:.* )?(?:in|on|at|to) (the \w+ of)")
_VAGUE = ("part", "home")
_OWN = re.compile(r"\bits\b")


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a relation says of its subject: a verb, the words before the object and after it.

    Attributes:
        one: The verb for one subject.
        many: For several.
        past: In the past, for several.
        past_one: For one.
        before: What stands between verb and object, for one subject.
        before_many: For several.
        after: What follows the object, for one subject.
    """

    one: str
    many: str
    past: str
    past_one: str
    before: str
    before_many: str
    after: str

    def of_subject(
        self, object_: str, *, several: bool, past: bool = False, adverb: str = ""
    ) -> str:
        """What subjects do: ``live in Arden``."""
        before = self.before_many if several else self.before
        after = _OWN.sub("their", self.after) if several else self.after
        return _joined(adverb, self._verb(several, past), before, object_, after)

    def of_object(
        self, subject: str, *, several: bool = False, past: bool = False, adverb: str = ""
    ) -> tuple[str, str]:
        """What subjects do to objects, as a relative clause: its preposition, and the rest.

        Example:
            >>> relation_words("lives_in").predicate.of_object("Ada")
            ('in', 'Ada lives')
        """
        before, preposition = self.before_many if several else self.before, ""
        first, _, last = before.rpartition(" ")
        if last in PREPOSITIONS and not self.after:
            before, preposition = first, last
        after = _OWN.sub("their", self.after) if several else self.after
        verb = self._verb(several, past)
        if self.one in _BE:
            return preposition, _joined(subject, verb, adverb, before, after)
        return preposition, _joined(subject, adverb, verb, before, after)

    def asked(
        self, subject: str, *, several: bool = False, past: bool = False, adverb: str = ""
    ) -> str:
        """What subjects do, as a question after what they do it to: ``does Ada live in``.

        "": the form of the verb is not known.
        """
        perfect = self.one == "has" and _PERFECT.match(self.before)
        if self.one in _BE or perfect:
            verb = self._verb(several, past)
            return _joined(
                verb, subject, adverb, self.before_many if several else self.before, self.after
            )
        if self.one not in VERBS and self.one != "has":
            return ""
        does = "did" if past else "do" if several else "does"
        before = self.before_many if several else self.before
        return _joined(does, subject, adverb, self.many, before, self.after)

    def reduced(self) -> bool:
        """Whether *that is* before what subjects are can be left out: "cities located in France"."""
        word = self.before.split(" ")[0]
        return self.one in _BE and (word == "in" or is_participle(word))

    def _verb(self, several: bool, past: bool) -> str:
        if past:
            return self.past if several else self.past_one
        return self.many if several else self.one

    @property
    def perfect(self) -> "Predicate":
        """What has been so at some point: ``have worked for``."""
        before, several = (_joined(self.past, text) for text in (self.before, self.before_many))
        return Predicate("has", "have", "had", "had", before, several, self.after)

    @property
    def participle(self) -> str:
        """The participle of a regular verb in the present, after *has*; "": it is not known."""
        return self.past if self.one in VERBS and self.past.endswith("ed") else ""


@dataclass(frozen=True, slots=True)
class RelationWords:
    """What a relation says.

    Attributes:
        predicate: What it says of the subject.
        subject: What the subject is of the object; None: no noun is known.
        object: What the object is of the subject.
        kind: What stands before the object's name: ``the time zone``; or "".
    """

    predicate: Predicate
    subject: Noun | None = None
    object: Noun | None = None
    kind: str = ""


@lru_cache(1 << 12)
def relation_words(
    relation: str, templates: RelationTemplates | None = None, symmetric: bool = False
) -> RelationWords:
    """What a relation says, by its templates or else by its name; ``symmetric``: it is declared to be.

    Example:
        >>> relation_words("hasCapital").object
        ('capital', 'capitals')
    """
    written = templates is not None and templates.source != "derived"
    statement = templates.statement if templates and written else derive(relation).statement
    if templates and templates.source == "book":
        statement = _of_subject(templates, symmetric)
    predicate = _predicate(_STATED.fullmatch(statement) if written else None, relation)
    several = _OBJECTS_ARE.fullmatch(templates.ask_subjects) if templates else None
    subject = _noun(_SUBJECT_IS.fullmatch(statement), several)
    object_ = _noun(_OBJECT_AS.fullmatch(statement))
    if templates and object_ is None:
        several = _OBJECTS_ARE.fullmatch(templates.ask_objects)
        object_ = _noun(_OBJECT_IS.fullmatch(templates.ask_object), several)
    if templates and written and object_ is None:
        object_ = _described(templates.describe_object)
    if object_ and predicate.after and templates and templates.source == "book":
        does = _does(templates.describe_subject)
        predicate = _predicate(does, relation) if does else predicate
    if subject and predicate.many == "are":
        predicate = replace(predicate, before_many=f"{subject[1]} of")
    kind = type_words(f"{predicate.before} ").strip()
    if (
        templates
        and templates.source == "book"
        and (of := _KIND_OF_OBJECT.fullmatch(predicate.before))
    ):
        kind = of[1]  # "in the field of", and not "of the capital of"
    if kind in ("", "the", "a", "an"):
        return RelationWords(predicate, subject, object_)
    before = predicate.before.removesuffix(kind).strip()
    return RelationWords(
        replace(predicate, before=before, before_many=before), subject, object_, kind
    )


def _of_subject(templates: RelationTemplates, symmetric: bool) -> str:
    """The statement of a phrase book as one about the subject, without saying that it may be past.

    Example:
        "{object} wrote {subject}" is "{subject} was written by {object}", and "{object} is a sibling of
        {subject}" is "{subject} has {object} as a sibling".
    """
    statement = _NOW_OR_ONCE.sub(r"\1", templates.statement)
    statement = re.sub(r"^the \w+ (?=\{subject\})", "", statement)
    if own := _OF_THE_SUBJECT.fullmatch(statement):
        return f"{{subject}} has {article(own[1])} {own[1]} that {own[2]} {{object}}"
    if asked := _OBJECT_IS.fullmatch(templates.ask_subject):  # "Who is a parent of {topic}?"
        return f"{{subject}} is {article(asked[1])} {asked[1]} of {{object}}"
    if role := _OBJECT_HAS_ROLE.fullmatch(statement):
        if symmetric:
            return f"{{subject}} is {role[1]} of {{object}}"
        return f"{{subject}} has {{object}} as {role[1]}"
    if done := _OBJECT_DOES.fullmatch(statement):
        verb = done[1]
        participle = past_of(VERBS[verb]) if verb in VERBS else verb
        participle = participle_of(participle)
        if is_participle(participle):
            return f"{{subject}} {'is' if verb in VERBS else 'was'} {participle} by {{object}}"
    if re.match(r"(the \w+ )?\{object\}", statement) and templates.describe_object:
        noun = read_description(templates.describe_object).noun[0]
        if noun not in ("person", "thing", "something", "someone"):
            return f"{{subject}} has {{object}} as {article(noun)} {noun}"
    return statement


def _does(description: str) -> re.Match[str] | None:
    """What subjects do by their description: "film/films | that features/feature {topic}"."""
    before = read_description(description).forms[0].before if description else ""
    return _STATED.fullmatch(re.sub(r"^(?:that|who) (\w+) $", r"{subject} \1 {object}", before))


def is_participle(word: str) -> bool:
    """Whether a word that follows *is* says what was done: *located*, *spoken*."""
    return word in PARTICIPLES or word.endswith("ed")


def _noun(one: re.Match[str] | None, several: re.Match[str] | None = None) -> Noun | None:
    if one is None:
        return None
    return one[1], several[1] if several else plural(one[1])


def _described(text: str) -> Noun | None:
    """The noun of a description: ``town/towns | that is/are the birthplace of {topic}``."""
    if not text:
        return None
    both = [
        re.fullmatch(r"(?:that|who) (?:is|are) (?:an? |the )?(\w+) of ", form.before)
        for form in read_description(text).forms
    ]
    if not all(both) or both[0] is None or both[0][1] in _VAGUE:
        return None
    return both[0][1], plural(both[0][1])


def _predicate(stated: re.Match[str] | None, relation: str) -> Predicate:
    """A statement, or else the name of a relation, as a predicate."""
    words = words_of(relation)
    found = stated or _read(relation)
    if found is None and "/" not in relation:
        # The last words may say what the object is, which is said anyway: "receives award".
        parts = (_read(" ".join(words[:end])) for end in range(len(words) - 1, 0, -1))
        found = next(filter(None, parts), None)
    if found is None:
        before = f"by “{relation}” to"
        return Predicate("points", "point", "pointed", "pointed", before, before, "")
    verb, before, after = (
        found[1],
        *(text.replace("{{", "{").replace("}}", "}") for text in found.groups()[1:]),
    )
    verb = "was" if verb == "is" and before.startswith("born") else verb
    many = _MANY.get(verb) or VERBS.get(verb) or re.sub(r"(?<=[^isu])s$", "", verb)
    past = past_of(many) if many in PAST or verb in VERBS else many
    role = re.fullmatch(r"(?:an?|the) (.+) of", before)
    several = f"{plural(role[1])} of" if role and many == "are" else before
    return Predicate(verb, many, past, "was" if verb == "is" else past, before, several, after)


def _read(relation: str) -> re.Match[str] | None:
    """The statement of a relation: verb, what stands before the object and after it; None: it is not read."""
    words = words_of(relation)
    if len(words) == 1 and words[0] in VERBS:  # "borders" is the verb here, not several borders
        statement = doing(words[0], VERBS[words[0]], []).statement
    else:
        statement = derive(relation).statement
    if " " in type_words(statement.split("{object}")[0]).strip():
        return None  # what the object is, is said anyway
    return _STATED.fullmatch(statement)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
