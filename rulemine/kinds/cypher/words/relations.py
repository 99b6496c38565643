"""What relations say, in words: a verb for the end that does something, and nouns for both ends.

    lives_in      Ada lives in Bree                    –
    hasCapital    Arden has Bree as its capital        capital/capitals of Arden
    composer      Ada is a composer of The Sea         composer/composers of The Sea

They are read off the descriptions of both ends (`rulemine.phrasing.descriptions`): *who lives/live in
{topic}* has the verb, *that is/are the capital of {topic}* a noun. Guarantee: a noun and a verb say the same
of the same end.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from rulemine.kinds.cypher.words.names import plural
from rulemine.phrasing.descriptions import Description, read_description
from rulemine.phrasing.lexicon import (
    LEMMAS,
    PARTICIPLES,
    PREPOSITIONS,
    VERBS,
    article,
    past_of,
    singular,
)
from rulemine.phrasing.templates import RelationTemplates

__all__ = ["Noun", "RelationWords", "is_participle", "joined", "relation_words"]

Noun = tuple[str, str]
"""A noun, or other words, for one and for several."""

_VAGUE = ("part", "home")
"""Nouns that say nothing of what is part of something, or home to it."""

_NOUN = re.compile(r"(?:who|that) is (?:an?|the) (.+) of ")
_WHOSE = re.compile(r"whose (.+?) (is|was|(?:have )?included?) ")
_STATED = re.compile(r"\{subject\} (\S+) ?(.*?) ?\{object\} ?(.*)")
_PAST_TOO = re.compile(r" or (?:was|were|had)\b")
_MANY = {"is": "are", "was": "were", "has": "have", **VERBS}
_PERFECT = re.compile(r"\w+ed\b|been\b|had\b|won\b")


@dataclass(frozen=True, slots=True)
class RelationWords:
    """What a relation says of the end that does something, the doer.

    Attributes:
        verb: The verb; this and what follows for one doer and for several.
        before: What stands between the verb and the other end.
        after: What follows the other end.
        kind: What stands before the name of the other end: ``the time zone ``; or "".
        forward: Whether the doer is the subject.
        doer: What the doer is of the other end; None: no noun is known.
        other: What the other end is of the doer.
        clause: What the other end does, up to the doer: ``is home to ``; or "".
        adverb: When it is so, before the verb.
        past: Whether it was so.
        when: When it was so, at the end.
    """

    verb: Noun
    before: Noun
    after: Noun = ("", "")
    kind: str = ""
    forward: bool = True
    doer: Noun | None = None
    other: Noun | None = None
    clause: Noun = ("", "")
    adverb: str = ""
    past: bool = False
    when: str = ""

    @property
    def is_state(self) -> bool:
        """Whether the verb is *is* or *was*."""
        return self.verb[0] in ("is", "was")

    @property
    def participle(self) -> str:
        """The participle of a regular verb in the present, after *has*; "": it is not known."""
        past = past_of(self.verb[1])
        return past if self.verb[0] in VERBS and past.endswith("ed") else ""

    def at_some_point(self) -> "RelationWords":
        """What has been so: ``have worked for``; or, its participle unknown, ``at some point …``."""
        if not self.participle:
            return replace(self, adverb="at some point", past=True)
        one, many = (joined(self.participle, text) for text in self.before)
        return replace(self, verb=("has", "have"), before=(one, many))

    def of_doer(self, other: str, several: bool) -> str:
        """What doers do: ``live in Arden``."""
        parts = self.before[several], other, self.after[several]
        return joined(self.adverb, self._verb(several), *parts, self.when)

    def of_other(self, doer: str, several: bool) -> tuple[str, str]:
        """What doers do to the other end, as a relative clause: its preposition, and the rest.

        Example:
            >>> RelationWords(("lives", "live"), ("in", "in")).of_other("Ada", False)
            ('in', 'Ada lives')
        """
        before, preposition = self.before[several], ""
        first, _, last = before.rpartition(" ")
        if last in PREPOSITIONS and not self.after[0]:
            before, preposition = first, last
        verb = [self.adverb, self._verb(several)]
        verb = verb[::-1] if self.is_state else verb
        return preposition, joined(doer, *verb, before, self.after[several], self.when)

    def asked(self, doer: str, several: bool) -> str:
        """What doers do, as a question after what they do it to: ``does Ada live in``.

        "": the form of the verb is not known.
        """
        rest = self.before[several], self.after[several], self.when
        has = self.verb[0] == "has"
        if self.is_state or (has and _PERFECT.match(self.before[0])):
            return joined(self._verb(several), doer, self.adverb, *rest)
        if not has and self.verb[0] not in VERBS:
            return ""
        does = "did" if self.past else "do" if several else "does"
        return joined(does, doer, self.adverb, self.verb[1], *rest)

    def _verb(self, several: bool) -> str:
        if not self.past:
            return self.verb[several]
        if self.is_state:
            return ("was", "were")[several]
        return past_of(self.verb[1]) if self.verb[1] in (*LEMMAS, "have") else self.verb[1]


@lru_cache(1 << 12)
def relation_words(templates: RelationTemplates) -> RelationWords:
    """What a relation says, by its templates.

    The doer is the end whose description has a verb with it as its subject; the subject, where both have one.
    """
    subject, object_ = map(
        read_description, (templates.describe_subject, templates.describe_object)
    )
    stated = _STATED.fullmatch(_PAST_TOO.sub("", templates.statement))
    forward = subject.subject or stated is not None or not object_.subject
    doer, other = (subject, object_) if forward else (object_, subject)
    own, others = _noun(doer), _noun(other)
    if doer.subject:
        one, many = ((*_verb(form.before), form.after.strip()) for form in doer.forms)
    elif stated:
        one = stated[1], stated[2], stated[3]
        many = (_MANY.get(one[0]) or re.sub(r"(?<=[^isu])s$", "", one[0]), *one[1:])
    elif whose := _WHOSE.fullmatch(doer.forms[0].before):
        noun = singular(whose[1]) if "includ" in whose[2] else whose[1]
        one, others = ("has", "", f"as {article(noun)} {noun}"), (noun, plural(noun))
        many = ("have", *one[1:])
    else:
        one = "points", f"by “{templates.relation}” to", ""
        many = ("point", *one[1:])
    befores = f"{plural(own[0])} of" if own else many[1]  # not "aunt or uncles of"
    clauses = [
        form.before.split(" ", 1)[1] for form in other.forms if other.subject and not form.after
    ]
    return RelationWords(
        (one[0], many[0]), (one[1], befores), (one[2], many[2]), doer.forms[0].left, forward, own, others,
        clause=(clauses[0], clauses[1]) if clauses else ("", ""),
    )  # fmt: skip


def _verb(clause: str) -> tuple[str, str]:
    """The verb of a relative clause, and what follows it, without saying that it may be past."""
    _, verb, *rest = _PAST_TOO.sub("", clause).strip().split(" ")
    return verb, " ".join(rest)


def _noun(read: Description) -> Noun | None:
    """The noun of a description: ``town/towns | that is/are the birthplace of {topic}``."""
    found = _NOUN.fullmatch(read.forms[0].before)
    if found is None or found[1] in _VAGUE or read.forms[0].after:
        return None
    return found[1], plural(found[1]).replace(" or ", " and ")


def is_participle(word: str) -> bool:
    """Whether a word that follows *is* says what was done: *located*, *spoken*."""
    return word in PARTICIPLES or word.endswith("ed")


def joined(*parts: str) -> str:
    """Words with a space between them."""
    return " ".join(part for part in parts if part)
