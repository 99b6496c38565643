"""Replies that choose by a label: ``B``, ``(b) Oda`` or ``Answer: B`` names what the question calls B."""

import re
from collections.abc import Mapping

__all__ = ["spelled_out"]

_BEFORE = r"[ \t*_>#-]*(?:(?:(?:the|my) )?(?:(?:final|correct) )?(?:answer|choice)(?: is)?[ \t]*:?[ \t*_]*)?"
_AFTER = r"(?:[).:\]}][^\n]*|[ \t*_,]*)$"


def spelled_out(text: str, choices: Mapping[str, str]) -> str:
    r"""A reply with names in the place of labels, where a label is all that a line says first.

    Args:
        text: The reply.
        choices: Label → name; empty: the reply stays as it is.

    Example:
        >>> spelled_out("I think so.\nAnswer: **b**", {"A": "Ben", "B": "Oda"})
        'I think so.\nAnswer: **Oda'
    """
    if not choices:
        return text
    labels = "|".join(map(re.escape, choices))
    line = re.compile(rf"^({_BEFORE})[(\[{{]?({labels}){_AFTER}", re.IGNORECASE | re.MULTILINE)
    return line.sub(lambda found: found[1] + choices[found[2].upper()], text)
