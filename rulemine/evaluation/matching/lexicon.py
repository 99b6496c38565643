"""What words and marks of a reply mean to a reader, read from ``lexicon.toml`` when first asked for."""

import re
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any

__all__ = ["Lexicon", "is_aside_label", "is_nothing", "is_rejection", "lex", "nothing_first"]


class Lexicon:
    """The patterns, each compiled once, as attributes; the sets of words."""

    @cached_property
    def _table(self) -> dict[str, Any]:
        return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

    def __getattr__(self, name: str) -> re.Pattern[str]:
        if name not in self._table["patterns"]:
            raise AttributeError(name)
        pattern = re.compile(self._joined(self._table["patterns"][name]))
        setattr(self, name, pattern)
        return pattern

    def _joined(self, lines: str) -> str:
        """A pattern in one line, with its parts in their places."""
        parts = self._table["parts"]
        text = "".join(line.strip() for line in lines.splitlines())
        return re.sub(r"%([A-Z_]+)%", lambda part: self._joined(parts[part[1]]), text)

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """The sets of words; those of functions have the interjections, too."""
        found = {name: frozenset(words.split()) for name, words in self._table["words"].items()}
        found["function_words"] |= found["interjections"]
        found["says_little"] |= found["function_words"]
        found["kinds"] = found["function_words"] | found["type_words"]
        found["type_stems"] = frozenset(word[:4] for word in found["type_words"])
        return found


lex = Lexicon()


def is_aside_label(text: str) -> bool:
    """Whether a label or heading is that of reasons, evidence, what is rejected, and not of answers."""
    return lex.ASIDE.match(text[:200]) is not None


def is_rejection(text: str) -> bool:
    """Whether a label says that what follows are no answers: ``Rejected:``, ``None of these:``."""
    return lex.REJECTED.match(text) is not None


def is_nothing(text: str) -> bool:
    """Whether a line or a part says that there is no answer, and nothing else."""
    return len(text) < 100 and lex.NOTHING.fullmatch(text) is not None


def nothing_first(text: str) -> int:
    """Where a text goes on after it has said that there is no answer; 0 where it does not begin so."""
    first = lex.NOTHING_FIRST.match(text)
    return first.end() if first else 0
