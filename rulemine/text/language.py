"""Checks of language: whether a text is clearly in another one than required, and whether it asks yes or no.

Languages are told apart by py3langid; yes or no is asked in English. Guarantee: the same text gives the same
verdict, offline; short and doubtful texts pass. Without py3langid (extra `llm`) every text passes, see
`unchecked`.
"""

import re
from functools import cache
from importlib.util import find_spec
from typing import Any

from rulemine.text.mentions import QUESTION_WORDS

__all__ = ["asks_whether", "is_other_language", "language_code", "unchecked"]

FEWEST_BYTES = 12
"""Fewest bytes of letters (UTF-8) that a text needs to be checked."""

LEAST, MOST = 0.01, 0.5
"""A text fails if the required language is less likely than the first and another as likely as the second."""

_TABLE = """
afrikaans:af albanian:sq amharic:am arabic:ar+ary+arz armenian:hy azerbaijani:az basque:eu belarusian:be
bengali:bn bosnian:bs+hr+sr bulgarian:bg burmese:my catalan:ca chinese:zh+yue+wuu croatian:hr+bs+sr czech:cs
danish:da+no dutch:nl english:en+pcm estonian:et finnish:fi french:fr galician:gl georgian:ka german:de
greek:el gujarati:gu hebrew:he hindi:hi hungarian:hu icelandic:is indonesian:id+ms irish:ga italian:it
japanese:ja kannada:kn kazakh:kk khmer:km korean:ko lao:lo latvian:lv lithuanian:lt macedonian:mk
malay:ms+id malayalam:ml mandarin:zh+yue+wuu marathi:mr mongolian:mn nepali:ne norwegian:no+nn+da persian:fa
polish:pl portuguese:pt punjabi:pa romanian:ro russian:ru serbian:sr+hr+bs sinhala:si slovak:sk slovenian:sl
somali:so spanish:es swahili:sw swedish:sv tagalog:tl tamil:ta telugu:te thai:th turkish:tr ukrainian:uk
urdu:ur uzbek:uz vietnamese:vi welsh:cy xhosa:xh yoruba:yo zulu:zu
"""
_CODES = {name: codes.split("+") for entry in _TABLE.split() for name, codes in [entry.split(":")]}
"""Language → its code, and the codes of languages that are easily confused with it in short texts."""


def is_other_language(text: str, language: str) -> bool:
    """Whether a text, names removed, is clearly not in a language, given by its English name."""
    codes, words = _codes_of(language), " ".join(text.split())
    letters = "".join(filter(str.isalpha, words)).encode(errors="replace")
    # Nearly every question in English: saves loading py3langid's model of 80 MB.
    asks = "en" in codes and QUESTION_WORDS.intersection(re.findall(r"\w+", words.casefold()))
    if not codes or len(letters) < FEWEST_BYTES or asks or not (identifier := _identifier()):
        return False
    likely: dict[str, float] = dict(identifier.rank(words))
    return sum(likely[code] for code in codes) < LEAST and max(likely.values()) >= MOST


def language_code(language: str) -> str | None:
    """The code (ISO 639) of a language, by its English name; None if it is unknown."""
    return next(iter(_codes_of(language)), None)


def unchecked(language: str) -> str | None:
    """Why texts cannot be checked for a language, by its English name; None if they can."""
    if not _codes_of(language):
        return f"language {language!r} is unknown; give its English name"
    missing = "py3langid is not installed (pip install 'rulemine[llm]')"
    return None if find_spec("py3langid") else missing


def _codes_of(language: str) -> list[str]:
    words = re.findall(r"[a-z]+", language.casefold())
    return next((_CODES[word] for word in words if word in _CODES), [])


@cache
def _identifier() -> Any:
    if find_spec("py3langid") is None:
        return None
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


_VERB = (
    r"(?:(?:is|are|was|were|do|does|did|has|have|had|ca|could|would|should|might|must|wo)(?:n['’]?t)?"
    r"|am|can|may|shall|will)"
)
_OPENS = re.compile(
    rf"[^\w\ufffc]*(?:(?:and|or|but|so)\s)?(?:{_VERB}|(?:yes|true)\sor\s(?:no|false))\b",
    re.IGNORECASE,
)
_TELL = r"(?:tell|give|names?|list|find|identify|enumerate|provide|know\sthe)"
_REQUEST = re.compile(
    rf"\W*(?:\w+\s(?:you|i)\b(?!.*\b(?:whether|if)\b).*\b(?:{_TELL}|wh\w+|how)"
    rf"|(?:can|could|does|will)\sany(?:one|body)\s(?:{_TELL}|know\swh(?!ether)\w+))\b",
    re.IGNORECASE,
)
_ASKING = re.compile(r"\b(?:who\w*|what\w*|which\w*|where|when|why|how)\b", re.IGNORECASE)
_TAG = re.compile(rf",\s(?:{_VERB}|right|correct|yes|no|true)\b|\bor\snot\W*$", re.IGNORECASE)


def asks_whether(text: str) -> bool:
    """Whether yes or no answers a question.

    Args:
        text: The question, with U+FFFC for the names in it.

    Example:
        >>> asks_whether("Does \ufffc have an aunt?"), asks_whether("\ufffc has an aunt, doesn't she?")
        (True, True)
        >>> asks_whether("Can you tell who the aunts of \ufffc are?"), asks_whether("Which one, then, is it?")
        (False, False)
    """
    if _OPENS.match(text):
        return not _REQUEST.match(text)
    return bool(_TAG.search(text)) and not _ASKING.search(text)
