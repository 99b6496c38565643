"""What words and marks of a reply mean to a reader, read from ``lexicon.toml`` when first asked for."""

import re
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any

__all__ = ["lex"]


class _Lexicon:
    """The patterns, each compiled once, as attributes; the sets of words."""

    @cached_property
    def _table(self) -> dict[str, Any]:
        return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """The sets of words; those of functions have the interjections, too."""
        found = {name: frozenset(words.split()) for name, words in self._table["words"].items()}
        found["function_words"] |= found["interjections"]
        found["says_little"] |= found["function_words"]
        found["type_stems"] = frozenset(word[:4] for word in found["type_words"])
        return found

    def __getattr__(self, name: str) -> re.Pattern[str]:
        pattern = re.compile(self._joined(self._table["patterns"][name]))
        setattr(self, name, pattern)
        return pattern

    def _joined(self, lines: str) -> str:
        """A pattern in one line, with its parts in their places."""
        text = "".join(map(str.strip, lines.splitlines()))
        parts = self._table["parts"]
        return re.sub(r"%([A-Z_]+)%", lambda part: self._joined(parts[part[1]]), text)


lex = _Lexicon()
