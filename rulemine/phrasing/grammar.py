"""Templates for relations whose name is a clause (“x *is located in* y”) or a noun.

Guarantee: a clause is read from the subject to the object, as written; an ambiguous name is not read.
"""

from typing import NamedTuple

from rulemine.phrasing.lexicon import (
    ACTIVE_PAST,
    ADJECTIVES,
    INDEFINITE_PEOPLE,
    KIN,
    LEMMAS,
    LONE_PLURALS,
    PARTICIPLES,
    PAST,
    PEOPLE,
    PEOPLE_DO,
    PREPOSITIONS,
    REGULAR,
    STATES,
    UNIQUE_ROLES,
    VERBS,
    article,
    is_plural,
)

__all__ = [
    "DerivedTemplates",
    "ask_who",
    "base_of",
    "be_of",
    "clause",
    "denial_of",
    "doing",
    "head_of",
    "is_past",
    "of_many",
    "property_of",
]


class DerivedTemplates(NamedTuple):
    """The derived templates of a relation; braces that are not placeholders are doubled.

    Attributes:
        statement: The triple as a clause, with ``{subject}`` and ``{object}``.
        ask_subject: A question for the subjects, with ``{topic}`` for the object.
        ask_object: A question for the objects, with ``{topic}`` for the subject.
    """

    statement: str
    ask_subject: str
    ask_object: str


def clause(words: list[str]) -> DerivedTemplates | None:
    """Reads the words as a clause *subject words object*; None if they are a bare noun."""
    first, rest = words[0], words[1:]
    if words in (["isa"], ["is", "a"], ["is", "an"]):
        return _being("is", "a kind of", "What")
    if first in ("is", "are", "was", "were") and rest and rest[-1] in PREPOSITIONS:
        return _being(first, _complement(rest), _doer(rest))
    if first == "has" and rest:
        return _having(rest)
    if first.endswith("ly") and rest and rest[0] in VERBS and _closed(rest[1:]):
        return doing(f"{first} {rest[0]}", f"{first} {VERBS[rest[0]]}", rest[1:])
    if first in VERBS and (rest or first not in LONE_PLURALS) and _closed(rest):
        return doing(first, VERBS[first], rest)
    if words[-1] not in PREPOSITIONS:
        if len(words) == 1 and is_past(first) and first not in STATES:
            return _did(words)
        return None
    if first in ACTIVE_PAST and rest and rest[-1] != "by":
        return _did(words)
    if first in LEMMAS and rest and rest[-1] != "of":
        return doing(LEMMAS[first], first, rest)
    if len(words) == 1:
        return None
    if words[-1] == "by" and not is_past(words[-2]):
        return _made_by(" ".join(words[:-1]))
    if is_plural(words[-2]):
        return None
    return _being("is", _complement(words), _doer(words))


def _closed(rest: list[str]) -> bool:
    return not rest or rest[-1] in PREPOSITIONS


def is_past(word: str) -> bool:
    """Whether a word is a verb in the past or a participle."""
    return word in PARTICIPLES or word in ACTIVE_PAST or (word.endswith("ed") and len(word) > 4)


def _complement(words: list[str]) -> str:
    """What follows *is*: “located in”, “part of”, “a result of”, “the capital of”."""
    text = " ".join(words)
    if len(words) < 2 or words[0] in ("part", "a", "an", "the"):
        return text
    core = words[-2]
    if is_past(core) or core in ADJECTIVES or core.endswith("ly") or is_plural(core):
        return text
    if words[-1] == "of" and head_of(" ".join(words[:-1])) in UNIQUE_ROLES:
        return f"the {text}"
    return f"{article(words[0])} {text}"


def _doer(words: list[str]) -> str:
    roles = {words[0], words[-2] if len(words) > 1 else ""}
    return "Who" if roles & (PEOPLE_DO | INDEFINITE_PEOPLE) else "What"


def _being(be: str, complement: str, who: str) -> DerivedTemplates:
    return DerivedTemplates(
        f"{{subject}} {be} {complement} {{object}}",
        f"{who} {be} {complement} {{topic}}?",
        f"{'Who' if KIN & set(complement.split()) else 'What'} {be} {{topic}} {complement}?",
    )


def _having(rest: list[str]) -> DerivedTemplates | None:
    noun = " ".join(rest)
    if rest[-1] in PREPOSITIONS:
        noun = noun if is_plural(rest[-2] if len(rest) > 1 else "") else f"{article(noun)} {noun}"
        return DerivedTemplates(
            f"{{subject}} has {noun} {{object}}",
            f"What has {noun} {{topic}}?",
            f"What does {{topic}} have {noun}?",
        )
    if is_past(rest[0]) or rest[0] == "been":
        return None
    return DerivedTemplates(
        f"{{subject}} has {{object}} {_as(noun)}",
        f"What has {{topic}} {_as(noun)}?",
        f"{ask_who(noun)} does {{topic}} have {_as(noun)}?",
    )


def doing(verb: str, lemma: str, rest: list[str]) -> DerivedTemplates:
    """Makes the templates of a verb in the present: third person, base form, and what follows it."""
    if len(rest) > 1 and rest[-1] == "of":
        rest = ["the", *rest]
    tail = "".join(f" {word}" for word in rest)
    who = "Who" if verb in PEOPLE_DO and rest else "What"
    return DerivedTemplates(
        f"{{subject}} {verb}{tail} {{object}}",
        f"{who} {verb}{tail} {{topic}}?",
        f"What does {{topic}} {lemma}{tail}?",
    )


def _did(words: list[str]) -> DerivedTemplates:
    text = " ".join(words)
    who = "Who" if words[0] in PEOPLE_DO else "What"
    return DerivedTemplates(
        f"{{subject}} {text} {{object}}",
        f"{who} {text} {{topic}}?",
        f"What is it that {{topic}} {text}?",
    )


def _made_by(noun: str) -> DerivedTemplates:
    return DerivedTemplates(
        f"{{subject}} has {article(noun)} {noun} by {{object}}",
        f"What has {article(noun)} {noun} by {{topic}}?",
        f"By whom is the {noun} of {{topic}}?",
    )


def property_of(noun: str) -> DerivedTemplates:
    """Makes the templates of a noun that names what the subject has and the object is."""
    be, who = be_of(noun), ask_who(noun)
    among = f"has {{topic}} {_as(noun)}"
    return DerivedTemplates(
        f"{{subject}} has {{object}} {_as(noun)}",
        f"What {among}?",
        f"{who} {be} the {noun} of {{topic}}?",
    )


def head_of(noun: str) -> str:
    """The word that carries the number: “awards” of “awards won” and of “awards of merit”."""
    words = noun.split(" of ")[0].split(" with ")[0].split(" ")
    while len(words) > 1 and (words[-1] in PREPOSITIONS or is_past(words[-1])):
        words.pop()
    return words[-1]


def be_of(noun: str) -> str:
    """*is* or *are*, to agree with the noun."""
    return "are" if is_plural(head_of(noun)) else "is"


def ask_who(noun: str) -> str:
    """*Who* if the noun names people, else *What*."""
    return "Who" if head_of(noun) in PEOPLE else "What"


def _as(noun: str) -> str:
    return f"among the {noun}" if is_plural(head_of(noun)) else f"as {noun}"


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
    if many is None and verb.endswith("s"):
        return None
    return f"{many or verb} {rest}".rstrip()


def base_of(past: str) -> str:
    """The base form of a verb in the past; empty if unknown."""
    stems = (past[:-2], past[:-1], f"{past[:-3]}y") if past.endswith("ed") else ()
    regular = (stem for stem in stems if stem in LEMMAS or stem in REGULAR)
    return _BASE.get(past) or next(regular, "")
