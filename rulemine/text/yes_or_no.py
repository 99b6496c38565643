"""Questions in English that yes or no answers."""

import re

__all__ = ["asks_whether"]

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
