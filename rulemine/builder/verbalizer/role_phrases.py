"""Noun phrases, appositions and copulas among the words of a clause, see `rulemine.builder.verbalizer.roles`.

Guarantee: words in, words out; nothing here knows which end of the relation is which.
"""

from collections.abc import Sequence

from rulemine.builder.verbalizer.role_words import (
    ADVERBS,
    COPULAS,
    DETERMINERS,
    FUNCTION,
    PREPOSITIONS,
    is_participle,
)

__all__ = [
    "HAVING",
    "NAMED",
    "Words",
    "apposition",
    "bare_phrase",
    "end_of_noun",
    "noun_phrase",
    "of_this",
    "only_copula",
    "plain",
    "relative",
]

Words = Sequence[str]

HAVING = frozenset({"has", "have", "had"})

NAMED = frozenset({"named", "called", ",", ":", "includes", "include", "namely"})
"""What may stand between a role and the name of who plays it."""

RELATIVE = frozenset({"who", "that", "which", "whom", "where", "whose"})


def noun_phrase(words: Words) -> Words:
    """The words up to what follows a noun: a preposition, a relative, *directed by*."""
    cut = end_of_noun(words)
    if words[cut : cut + 1] == ["of"] and all(w in DETERMINERS for w in words[:cut]):
        return noun_phrase(words[cut + 1 :])  # one of the aunts
    return words[:cut]


def end_of_noun(words: Words) -> int:
    """How many words the noun phrase has that they begin with."""
    for i, word in enumerate(words):
        if word in FUNCTION - DETERMINERS - {"and"} or word in ",:;":
            return i
        follows_noun = i > 0 and words[i - 1] not in DETERMINERS
        if (
            follows_noun
            and is_participle(word)
            and words[i + 1 : i + 2]
            and words[i + 1] in PREPOSITIONS
        ):
            return i
    return len(words)


def apposition(words: Words) -> tuple[Words, str]:
    """What comes before the noun that names the type of what follows, and that noun, if any."""
    for i in reversed(range(len(words))):
        if words[i] in DETERMINERS:
            noun = words[i + 1 :]
            if noun and len(noun) <= 4 and bare_phrase(noun):
                return words[:i], noun[-1]
            return (words[:i] if not noun else words), ""
    return words, ""


def bare_phrase(words: Words) -> bool:
    """Whether there is nothing but nouns and what goes with them."""
    return not any(w in FUNCTION - DETERMINERS or w in ",:;" for w in words)


def of_this(pre: Words) -> Words | None:
    """The role in ``the aunts of``, ``among the aunts of``, ``one of the aunts of``."""
    if len(pre) < 2 or pre[-1] not in ("of", "for", "to"):
        return None
    words = pre[1:-1] if pre[0] == "among" else pre[:-1]
    if list(words[1:2]) == ["of"] and words[0] in DETERMINERS:
        words = words[2:]
    return words if bare_phrase(words) and words else None


def only_copula(words: Words) -> bool:
    """Whether there is nothing but a form of *be*: ``is``, ``is one of the``, ``include``."""
    words = [w for w in words if w not in DETERMINERS and w not in NAMED and w not in ADVERBS]
    return words in ([], ["of"]) or (words[0] in COPULAS and words[1:] in ([], ["of"]))


def relative(words: Words) -> int | None:
    """Where the first relative stands."""
    return next((i for i, word in enumerate(words) if word in RELATIVE), None)


def plain(words: Words) -> list[str]:
    """The words with one copula for *is or was*, *has been*, and without adverbs."""
    kept: list[str] = []
    for i, word in enumerate(words):
        verbal = word in COPULAS or word in HAVING
        if word in ADVERBS and not (
            word == "or" and kept and kept[0] in COPULAS and kept[-1] not in COPULAS
        ):
            continue
        if word == "been" and kept and kept[-1] in HAVING:
            kept[-1] = "is"
        elif not (verbal and kept and kept[-1] in COPULAS and i):
            kept.append(word)
    return kept
