"""Whether a text can be in the language that was asked for.

Guarantee: the answer is no only on strong evidence: hardly a letter of the language's script, letters that
the language does not have, several words and no function word among them, or clearly more function words of
another language. Of languages not known here nothing is claimed. Names of entities are to be left out first,
since they are of any language.
"""

import re
import unicodedata
from functools import cache, lru_cache

from rulemine.builder.verbalizer.languages import (
    FOREIGN_LETTERS,
    OTHER_NAMES,
    QUESTION_WORDS,
    SCRIPTS,
    SIGNS,
    WORDS,
)
from rulemine.errors import did_you_mean

__all__ = [
    "QUESTION_MARKS",
    "is_function_word",
    "is_question_word",
    "question_marks",
    "speaks",
    "unknown_language",
]

QUESTION_MARKS = "?？؟⁇⁈⁉՞፧᥅⳺⳻꘏꛷﹖︖𑅃\u037e"
"""Marks that end a question in any language; in Greek the semicolon does, too."""

_TOKEN = re.compile(r"[^\W\d_]+(?:\u0301[^\W\d_]*)*")
_NAME = re.compile(r"[^\W\d_]+")

FEWEST = 2
"""Function words by which another language has to be ahead."""

MOST_WITHOUT = 2
"""Words that a question can have without a function word of its language."""


def speaks(text: str, language: str) -> bool:
    """Whether a text can be in a language.

    Args:
        text: The text, without the names in it.
        language: The language, by its English name, its own, or its code, perhaps with a variety
            (``Brazilian Portuguese``, ``en-GB``).

    Example:
        >>> speaks("Wer ist die Tante von 72?", "English"), speaks("Who is the aunt of 72?", "English")
        (False, True)
    """
    wanted = _known(language)
    if wanted is None:
        return True
    text = unicodedata.normalize("NFC", text).casefold()
    tokens = _TOKEN.findall(text)
    counts, speakers = dict.fromkeys(WORDS, 0), _speakers()
    for token in tokens:
        for speaker in speakers.get(token, ()):
            counts[speaker] += 1
    if not text.isascii():
        for speaker, signs in SIGNS.items():
            counts[speaker] += any(sign in text for sign in signs)
    letters = "".join(tokens)
    if any(c in letters for c in FOREIGN_LETTERS.get(wanted, "")):
        return False
    # What has words of the language may name whom it likes in another script.
    if not counts.get(wanted) and not _is_in_script(letters, wanted):
        return False
    if wanted in counts:
        words = [token for token in tokens if len(token) > 1]  # the s of a possessive is none
        has_some = counts[wanted] > 0 or len(words) <= MOST_WITHOUT
        return has_some and max(counts.values()) < counts[wanted] + FEWEST
    # Without words of the language at hand: no only where the text is English for the most part.
    return counts["english"] <= max(FEWEST, len(tokens) // 2) or SCRIPTS[wanted] != ("LATIN",)


def question_marks(language: str, text: str) -> str:
    """The marks that end a question in a language; in Greek text also the semicolon."""
    greek = _known(language) == "greek" or any("\u0370" <= c <= "\u03ff" for c in text)
    return QUESTION_MARKS + ";" if greek else QUESTION_MARKS


def unknown_language(language: str) -> str | None:
    """A hint about a language of which `speaks` knows nothing, perhaps empty; None where it knows it.

    Example:
        >>> unknown_language("Englsh"), unknown_language("Klingon"), unknown_language("English")
        ("did you mean 'english'?", '', None)
    """
    if _known(language) is not None:
        return None
    hint = did_you_mean(language.casefold(), SCRIPTS)
    return hint if hint.startswith("did you mean") else ""


def is_function_word(word: str) -> bool:
    """Whether a word in lower case is one that sentences of some language can hardly do without."""
    return word in _speakers()


def is_question_word(word: str) -> bool:
    """Whether a word in lower case is one that questions of some language begin with."""
    return word in _askers()


@cache
def _askers() -> frozenset[str]:
    return frozenset(word for words in QUESTION_WORDS.values() for word in words.split())


@cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """Function word → the languages that it speaks for, twice where it is as good as two."""
    speakers: dict[str, tuple[str, ...]] = {}
    for language, words in WORDS.items():
        for word in words.split():
            speakers[word] = (*speakers.get(word, ()), language)
    for language, words in QUESTION_WORDS.items():
        for word in words.split():
            if speakers[word] == (language,):
                speakers[word] = (language, language)
    return speakers


@lru_cache(maxsize=64)
def _known(language: str) -> str | None:
    """The name under which a language is known here; None where it is not."""
    words = _NAME.findall(unicodedata.normalize("NFC", language).casefold())
    # A code counts at the start only: the "de" of "Portugués de Brasil" is none.
    for place, word in reversed([*enumerate(words)]):
        name: str = OTHER_NAMES.get(word, word)
        if name in SCRIPTS and (len(word) > 2 or place == 0):
            return name
    return None


def _is_in_script(letters: str, language: str) -> bool:
    scripts = SCRIPTS[language]
    own = sum(_script(c) in scripts for c in letters)
    kana = sum(_script(c) in SCRIPTS["japanese"] for c in letters)
    if language in ("chinese", "mandarin") and kana > 1:
        return False
    # A few letters may be those of a name; a language without any letter of its own is none.
    if scripts == ("LATIN",):
        return 2 * own >= len(letters) - 4 and (own > 0 or not letters)
    return own > 0 if len(letters) >= 4 else 2 * own >= len(letters) - 4


@lru_cache(maxsize=4096)
def _script(character: str) -> str:
    return unicodedata.name(character, "?").partition(" ")[0]
