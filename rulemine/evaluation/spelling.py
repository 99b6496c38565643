"""Names however their letters are composed: Unicode has é as one sign, and as an e with a mark.

A model writes composed letters even where it copies decomposed ones, and a name is the same in both.
"""

import unicodedata
from collections.abc import Iterable

from rulemine.evaluation.matching.vocabulary import composed

__all__ = ["Spelling"]


class Spelling:
    """The letters that names are written in.

    Args:
        names: The names, in any number and order.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(name for name in names if not name.isascii())
        self._own = {composed(name): name for name in sorted(self._names, reverse=True)}
        self._parts = "\n".join(self._own.values()).lower()

    def __bool__(self) -> bool:
        """Whether a name has more than ASCII, so that a text may be one in other letters."""
        return bool(self._names)

    def of(self, text: str) -> str:
        r"""The name that a text is, in its own letters; the text itself if it is none.

        Example:
            >>> Spelling(["Oda Pe\u0301ry"]).of("Oda P\u00e9ry") == "Oda Pe\u0301ry"
            True
        """
        if text.isascii() or text in self._names:
            return text
        return self._own.get(composed(text), text)

    def of_part(self, text: str) -> str:
        """The same for a text that may be part of a name, in whatever capitals, as after ``CONTAINS``."""
        found = self.of(text)
        if found is not text or text.isascii():
            return found
        forms = (text, composed(text), unicodedata.normalize("NFD", composed(text)))
        return next((form for form in forms if form.lower() in self._parts), text)
