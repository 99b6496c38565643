"""Templates for relations whose name is a clause, “x *is located in* y”, and what is known of both ends.

Guarantees: a clause is read from the subject to the object, as written; an ambiguous name is not read. An
end of which nothing is known is asked for with words that are true of people and of things.
"""

import re
from typing import NamedTuple

from rulemine.phrasing.lexicon import (
    ACTIVE_PAST,
    ADJECTIVES,
    ADVERBS,
    AGENTS,
    BY_PEOPLE,
    DOERS,
    EVENTS,
    INDEFINITE_PEOPLE,
    KIN,
    LEMMAS,
    LONE_BASES,
    MODALS,
    OWNERS,
    PARTICIPLES,
    PAST,
    PEOPLE_DO,
    PLACED_DO,
    PREPOSITIONS,
    REGULAR,
    RELATIONAL,
    STATES,
    UNIQUE_ROLES,
    VERBS,
    active_of,
    article,
    is_adjective,
    is_person,
    is_plural,
    plural,
    verb_of,
)
from rulemine.phrasing.template_file import RelationTable

__all__ = [
    "NOTHING_KNOWN", "End", "Ends", "base_of", "being", "clause", "denial_of", "doing", "head_of", "is_past",
    "of_many",
]  # fmt: skip


_FEW, _MANY = 0.1, 0.9
"""Below the first share of people an end holds things; above the second, people; between them, both."""


class End(NamedTuple):
    """An end of a relation.

    Attributes:
        people: The share of people among its entities; None: not known.
        noun: What its entities are, in the singular: "film"; "": not known.
        single: Whether an entity at the other end mostly has one of these; None: not known.
    """

    people: float | None = None
    noun: str = ""
    single: bool | None = None

    def who(self, usual: str = "What") -> str:
        """The word that asks for an entity of this end.

        Args:
            usual: What asks for it by the words of the relation. *Who* stays, whatever is known: words that
                speak of people say more than types that a graph lacks.
        """
        if self.noun:
            return f"Which {self.noun}"
        if self.people is None or usual == "Who" or (usual != "What" and not self.people):
            return usual
        return "Who" if self.people >= _MANY else "What" if self.people <= _FEW else "Who or what"

    def whos(self, usual: str = "What") -> str:
        """The same for several."""
        return f"Which {plurals(self.noun)}" if self.noun else self.who(usual)

    def called(self, usual: str = "What") -> str:
        """The noun of a description."""
        if self.noun:
            before, space, last = self.noun.rpartition(" ")
            return f"{before}{space}{last}/{plural(last)}"
        return "person/people" if self.who(usual) == "Who" else "something/things"


class Ends(NamedTuple):
    """Both ends of a relation."""

    subject: End = End()
    object: End = End()


NOTHING_KNOWN = Ends()


def plurals(noun: str) -> str:
    """The plural of a noun of several words, or of two joined by *or*.

    Example:
        >>> plurals("city or county"), plurals("mode of transport")
        ('cities or counties', 'modes of transport')
    """
    noun, of, rest = noun.partition(" of ")
    parts = (part.rpartition(" ") for part in noun.split(" or "))
    return " or ".join(f"{before}{gap}{plural(last)}" for before, gap, last in parts) + of + rest


def clause(
    words: list[str], ends: Ends = NOTHING_KNOWN, *, sure: bool = False
) -> RelationTable | None:
    """Reads the words as a clause *subject words object*; None if they are a noun, or may be one.

    Args:
        words: The words.
        ends: What is known of the ends.
        sure: Whether it is known that a word that may be a verb is one.
    """
    first, rest = words[0], words[1:]
    if words in (["isa"], ["is", "a"], ["is", "an"]):
        return _being("is", "a kind of", "What", ends)
    if words[1:3] == ["or", "was"] and len(words) > 3:
        first, rest = "is or was", words[3:]
    if first in ("is", "is or was", "are", "was", "were") and rest and rest[-1] in PREPOSITIONS:
        return _being(first, _complement(rest), _doer(rest), ends)
    if (first in MODALS or rest[:1] == ["been"]) and _closed(rest[1 + ("not" in rest) :]):
        return _being(first, " ".join(rest), "What", ends) if rest else None
    if first == "not" and (base := verb_of("".join(rest[:1]), rest[1:])):
        return clause(["does", "not", base, *rest[1:]], ends)
    if first == "has" and len(rest) < 3 and _closed(rest[1:]) and is_past("".join(rest[:1])):
        return _being(first, " ".join(rest), "Who" if rest[0] in DOERS else "What", ends)
    if words in (["has"], ["has", "a"]):
        return doing("has", "have", [], ends)
    if first == "has" and rest:
        return _having(rest, ends)
    at = next((i for i, word in enumerate(words) if not word.endswith("ly")), 0)
    how, act, after = " ".join([*words[:at], ""]), words[at], words[at + 1 :]
    if (base := verb_of(act, after) or (VERBS.get(act, "") if sure or at else "")) and _closed(
        after
    ):
        return doing(how + act, how + base, after, ends)
    if len(words) == 1 and first in LEMMAS and first not in LONE_BASES:
        return doing(LEMMAS[first], first, [], ends)
    if len(words) == 1 and is_past(first) and first not in STATES:
        return _did(words, ends)
    may = set() if first in _AIMED else LONE_BASES
    aims = words[1:-1] == ["to"] and is_past(first) and words[-1] in LEMMAS.keys() - may
    if len(words) == 1 or not (aims or words[-1] in PREPOSITIONS):
        return None
    verb = rest[0] if first.endswith("ly") else first  # "formerly played for"
    did = ACTIVE_PAST - {"created", "directed", "painted"} | {*PAST.values()} - PARTICIPLES
    gains = (
        rest[1:] and verb not in STATES and {verb, words[-1]} & _GAINED and base_of(verb)
    )  # "obtained degree from"
    if (verb in did or (gains and rest[0] not in PREPOSITIONS)) and words[-1] != "by":
        return _did(words, ends)
    plain = rest[-1] != "of" and not any(is_past(word) or word in VERBS for word in rest)
    if first in LEMMAS and first not in PARTICIPLES | ADJECTIVES and plain:
        return doing(LEMMAS[first], first, rest, ends)
    if words[-1] == "by" and not any(map(is_past, words)):
        return _made_by(" ".join(words[:-1]))
    # Whose verb it is in "population speaks" or "song written by" nobody can tell.
    leads = is_past(first) or is_adjective(first) or first in PREPOSITIONS | ADVERBS
    done = not leads and any(word in VERBS.keys() | {"has", "is"} or is_past(word) for word in rest)
    if done or (is_plural(words[-2]) and words[-2] not in ADJECTIVES):
        return None
    if words[-1] in ("from", "with", "at") and not (leads or _describes(words[-2])):
        return _having(words, ends)
    return _being("is", _complement(words), _doer(words), ends)


_AIMED = ("merged", "combined", "united", "used", "designed", "intended", "built", "made")
"""Verbs after which *to* leads to a verb, though that may be a noun: "merged to form"."""

_GAINED = {
    "acquired", "changed", "completed", "during", "earned", "gained", "lost", "obtained", "received",
    "through", "via",
}  # fmt: skip
"""Verbs whose object may stand before a preposition, and prepositions before which it does."""


def _describes(word: str) -> bool:
    """Whether a word before a preposition says what the subject is; else the subject has it: a degree."""
    if is_past(word) or is_adjective(word) or word in PREPOSITIONS:
        return True
    return word in INDEFINITE_PEOPLE | KIN or word.endswith(
        ("er", "or", "ist", "ant", "ent", "ive", "al")
    )


def being(complement: str, ends: Ends) -> RelationTable:
    """Makes the templates of what follows *is*: "located in"."""
    return _being("is", complement, _doer(complement.split()), ends)


def _closed(rest: list[str]) -> bool:
    return (
        not rest or rest[-1] in PREPOSITIONS or (rest[-1].endswith("ly") and is_adjective(rest[-1]))
    )


def is_past(word: str) -> bool:
    """Whether a word is a verb in the past or a participle."""
    return word in PARTICIPLES | ACTIVE_PAST or (
        word.endswith("ed") and len(word) > 4 and word not in LEMMAS.keys() | {"breed", "speed"}
    )


def _complement(words: list[str]) -> str:
    """What follows *is*: “located in”, “part of”, “a result of”, “the capital of”."""
    text = " ".join(words)
    if words[0] == "same":
        return f"the {text}"
    if len(words) < 2 or words[0] in PREPOSITIONS | {"part", "a", "an", "the"}:
        return text
    at = next(i for i, word in enumerate(words) if i and word in PREPOSITIONS)
    core = words[at - 1]
    # "is closely related to", but "is a place depicted in".
    bare = at == 1 or is_adjective(words[0]) or words[0] in ADVERBS or is_past(words[0])
    if is_adjective(core) or is_plural(core) or (is_past(core) and bare):
        return text
    return (
        f"the {text}"
        if words[-1] == "of" and head_of(" ".join(words[:-1])) in UNIQUE_ROLES
        else f"{article(words[0])} {text}"
    )


def _doer(words: list[str]) -> str:
    roles = {words[0], words[-2] if len(words) > 1 else ""}
    return (
        "Who"
        if roles & (PEOPLE_DO | INDEFINITE_PEOPLE) or any(map(is_person, roles - AGENTS))
        else "What"
    )


def _being(be: str, complement: str, who: str, ends: Ends) -> RelationTable:
    kin = "Who" if KIN & set(complement.split()) else "What"
    subject, object_ = ends
    words = complement.split(" ")
    be = "was" if be == "is" and words[0] in EVENTS and words[-1] != "of" else be
    if words[1:] == ["by"] and words[0] in OWNERS:
        kin = "Who or what"
    if words[1:] in (["by"], ["to"]) and words[0] in BY_PEOPLE:
        kin = "Who"
    role = _ROLE.fullmatch(complement)
    said = f"{_MANY_ARE.get(be, be) if subject.noun else be} {complement}"
    said = f"are the {plurals(role[1])} {role[2]}" if role and be == "is" else said
    one = f"{object_.who(kin)} {be} {{topic}} {complement}?"
    many = f"{object_.whos(kin)} {be} {{topic}} {complement}?"
    if complement in _PLACED and not object_.noun:
        one = many = f"Where {be} {{topic}} {complement.split(' ')[0]}?"
    if be == "was" and words[1:] == ["by"] and (did := active_of(words[0])):
        usual = "Who" if words[0] not in ("influenced", "inspired", "defeated") else "Who or what"
        one, many = (f"{ask} {did} {{topic}}?" for ask in (object_.who(usual), object_.whos(usual)))
    return RelationTable(
        f"{{subject}} {be} {complement} {{object}}",
        f"{subject.who(who)} {be} {complement} {{topic}}?",
        one,
        f"{subject.whos(who)} {said} {{topic}}?",
        many,
    )


def _having(rest: list[str], ends: Ends) -> RelationTable | None:
    noun = " ".join(rest)
    if rest[-1] not in PREPOSITIONS:
        return None
    noun = noun if any(map(is_plural, rest)) else f"{article(noun)} {noun}"
    subject, object_ = ends
    return RelationTable(
        f"{{subject}} has {noun} {{object}}",
        f"{subject.who()} has {noun} {{topic}}?",
        f"{object_.who()} does {{topic}} have {noun}?",
        f"{subject.whos()} {'have' if subject.noun else 'has'} {noun} {{topic}}?",
        f"{object_.whos()} does {{topic}} have {noun}?",
    )


_MUCH = PREPOSITIONS | ADJECTIVES | {
    "authorship", "blood", "code", "credit", "custody", "data", "information", "land", "ownership", "part",
    "power", "responsibility", "space", "territory",
}  # fmt: skip
"""What has no article after *shares*."""


def doing(verb: str, lemma: str, rest: list[str], ends: Ends = NOTHING_KNOWN) -> RelationTable:
    """Makes the templates of a verb in the present: third person, base form, and what follows it."""
    if (
        len(rest) > 1
        and rest[-1] == "of"
        and not {*rest[:-1]} & (PREPOSITIONS | ADJECTIVES | {"care", "part", "use"})
    ):
        rest = ["the", *rest]
    elif (
        len(rest) > 1
        and not is_plural(rest[-2])
        and rest[0] not in ("a", "an", "the")
        and (
            rest[-2] in RELATIONAL | {"role"}
            or (verb in ("shares", "forms", "signs") and rest[-2] not in _MUCH)
        )
    ):
        rest = [article(rest[0]), *rest]
    tail = "".join(f" {word}" for word in rest)
    subject, object_ = ends
    act = verb.rpartition(" ")[2]  # after an adverb
    if act == "plays" and rest == ["for"] and not object_.noun:
        object_ = object_._replace(noun="team")
    usual = "Who or what" if [act, *rest] == ["works", "with"] else "Who"  # programs do, too
    who = usual if act in DOERS or (act in PEOPLE_DO and rest) else "What"
    whom = "Who or what" if act in PEOPLE_DO and rest in (["for"], ["with"]) else "What"
    if [verb, *rest] == ["reports", "to"] or verb in ("knows", "marries"):
        who, whom = "Who" if rest else who, "Who"
    verbs = lemma if subject.noun else verb
    one = f"{object_.who(whom)} does {{topic}} {lemma}{tail}?"
    many = f"{object_.whos(whom)} does {{topic}} {lemma}{tail}?"
    if verb in PLACED_DO and rest in (["in"], ["at"]) and not object_.noun:
        one = many = f"Where does {{topic}} {lemma}?"
    return RelationTable(
        f"{{subject}} {verb}{tail} {{object}}",
        f"{subject.who(who)} {verb}{tail} {{topic}}?",
        one,
        f"{subject.whos(who)} {verbs}{tail} {{topic}}?",
        many,
    )


def _did(words: list[str], ends: Ends) -> RelationTable:
    how = f"{words[0]} " if words[0].endswith("ly") else ""
    verb, *after = words[1:] if how else words
    text, who = " ".join(words), "Who" if verb in PEOPLE_DO | PLACED_DO | DOERS else "What"
    subject, object_ = ends
    if verb == "played" and after == ["for"] and not object_.noun:
        object_ = object_._replace(noun="team")
    base, rest = how + base_of(verb) if base_of(verb) else "", "".join(f" {word}" for word in after)
    did = f"did {{topic}} {base}{rest}" if base else f"is it that {{topic}} {text}"
    one, many = f"{object_.who()} {did}?", f"{object_.whos()} {did}?"
    if base and verb in PLACED_DO and after in (["in"], ["at"]) and not object_.noun:
        one = many = f"Where did {{topic}} {base}?"
    return RelationTable(
        f"{{subject}} {text} {{object}}",
        f"{subject.who(who)} {text} {{topic}}?",
        one,
        f"{subject.whos(who)} {text} {{topic}}?",
        many,
    )


def _made_by(noun: str) -> RelationTable:
    has = f"What has {article(noun)} {noun} by {{topic}}?"
    whose = f"By whom is the {noun} of {{topic}}?"
    return RelationTable(
        f"{{subject}} has {article(noun)} {noun} by {{object}}", has, whose, has, whose
    )


def head_of(noun: str) -> str:
    """The word that carries the number: “awards” of “awards won” and of “awards of merit”."""
    words = noun.split(" of ")[0].split(" with ")[0].split(" ")
    while len(words) > 1 and (words[-1] in PREPOSITIONS or is_past(words[-1])):
        words.pop()
    return words[-1]


_MANY_ARE = {"is": "are", "is or was": "are or were", "was": "were", "does": "do", "has": "have"}
_ROLE = re.compile(r"(?:an?|the) ((?:[\w'’-]+ )*[\w'’-]+) (of|in|for|at)")
_PLACED = (
    "published in",
    "located in",
    "located at",
    "situated in",
    "situated at",
    "based in",
    "born in",
    "buried in",
    "buried at",
    "educated at",
    "educated in",
)
"""What follows *is* where *where* asks for the object."""

_AUXILIARIES = ("is", "are", "was", "were", "has", "have", "can")
_BASE = {past: base for base, past in PAST.items()}


def denial_of(one: str, many: str, number: int) -> str | None:
    """A predicate denied; None if it is not known how.

    Args:
        one: The predicate in the singular.
        many: It in the plural.
        number: Which of them is denied, 0 or 1.

    Example:
        >>> denial_of("works for Ann", "work for Ann", 0), denial_of("won it", "won it", 1)
        ('does not work for Ann', 'did not win it')
    """
    words, others = (one, many)[number].split(" "), many.split(" ")
    at = 1 if words[0].endswith("ly") and len(words) > 1 else 0
    verb, after = words[at], words[at + 1] if len(words) > at + 1 else ""
    if after in ("or", "and"):  # "is or was"
        return None
    has = verb in ("has", "have") and after != "been" and not is_past(after)
    if verb in _AUXILIARIES and not has:
        return " ".join([*words[: at + 1], "not", *words[at + 1 :]])
    if has or one.split(" ")[at] != others[at]:
        base, do = others[at], ("does", "do")[number]
    else:
        base, do = base_of(verb), "did"
    return " ".join([do, "not", *words[:at], base, *words[at + 1 :]]) if base else None


def of_many(predicate: str) -> str | None:
    """What a predicate of one is of several: "were born" for "was born"; None if it is not known."""
    verb, _, rest = predicate.partition(" ")
    many = {"is": "are", "was": "were", "has": "have"}.get(verb) or VERBS.get(verb)
    return None if many is None and verb.endswith("s") else f"{many or verb} {rest}".rstrip()


def base_of(past: str) -> str:
    """The base form of a verb in the past; empty if unknown."""
    doubled = past[:-3] if past[-3:-2] == past[-4:-3] else ""  # starred
    stems = (past[:-2], past[:-1], f"{past[:-3]}y", doubled) if past.endswith("ed") else ()
    return _BASE.get(past) or next((stem for stem in stems if stem in LEMMAS.keys() | REGULAR), "")
