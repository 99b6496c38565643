r"""Markdown with figures in it, filled in: what a card says stands in files that can be read as such.

A file has parts, each after a line ``<!-- name -->``. In braces:

- ``name``, ``name.key.key``: a value, or a part of the text by its name. ``@`` is a key too: that of the row.
  Whole numbers get commas; of a mapping, its numbers are shown with slashes between them. A line with a value
  that is None is left out, and so is one that what is filled in leaves empty.
- ``part/whole:%``, ``part/whole:.2f``: a fraction in percent, a mean; – of nothing. ``n:r`` and
  ``part/whole:r``: a number and a percentage as Python writes them.
- ``n:question``, ``n:is|are``: a number with its noun; a word, by the number.
- ``counts:reasons``, ``counts:sizes``, ``counts:sum``, of mappings to numbers: each with its number in two
  ways, and all together.
- ``name!c``, ``name!p``: as a code span, as plain text.
- ``if name``, ``unless name`` at the start of a line: it is left out but for what is there, or is not; keys
  may be missing. Alone, it is an empty line. ``if name:text`` is the text or nothing.
- ``each rows`` at the start of a line repeats the line for every row, ``across rows`` what follows it, up to
  ``end`` if that is there; ``key`` is the key of the row and ``n`` the row itself, and names are looked for
  in the row first.

Example:
    >>> values = {"asked": {"1p": {"core": 1}, "2p|x": {"core": 0}}, "total": 1200, "few": 0}
    >>> text = "{total:row} {total:is|are} here{if few:, few}.\n{each asked}| {key} | {core/total:%} |"
    >>> print(fill(text, values))
    1,200 rows are here.
    | 1p | 0.1 % |
    | 2p\|x | 0.0 % |
"""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

from rulemine.errors import counted
from rulemine.files import read_text
from rulemine.text.markdown import code, plain

__all__ = ["Values", "fill", "look", "read_texts"]

_WHEN = re.compile(r"\{(if|unless) ([\w.]+)\}")
_EACH = re.compile(r"\{each ([\w. ]+)\}(.*)")
_ACROSS = re.compile(r"(.*?)\{across ([\w.]+)\}(.*?)(?:\{end\}(.*))?")


def read_texts(path: Path) -> dict[str, str]:
    """The parts of a file by name."""
    _, *found = re.split(r"^<!-- (\w+) -->\n", read_text(path), flags=re.MULTILINE)
    return {name: text.strip("\n") for name, text in zip(found[::2], found[1::2], strict=True)}


class Values(dict[str, Any]):
    """Values by name, with the parts of a text, filled in when they are asked for.

    Args:
        values: The values.
        texts: The parts, from `read_texts`.
    """

    def __init__(self, values: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        super().__init__(values)
        self._texts = texts

    def __missing__(self, name: str) -> str:
        return fill(self._texts[name], self)


def fill(text: str, values: Mapping[str, Any]) -> str:
    """A text with values in it.

    Raises:
        KeyError: It names a value that there is not.
    """
    lines = (filled for line in text.split("\n") for filled in _filled(line, values))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def look(values: Mapping[str, Any], path: str) -> Any:
    """The value of a path such as ``splits.test.overlap``; of None, None.

    Raises:
        KeyError: There is none.
    """
    name, *keys = path.split(".")
    found = values[name]
    for key in keys:
        if found is not None:
            found = found[values["key"] if key == "@" else key]
    return found


def _is_there(values: Mapping[str, Any], path: str) -> bool:
    """Whether there is a value and it is not nothing; the name at the start has to be there."""
    name, *keys = path.split(".")
    found = values[name]
    for key in keys:
        found = (found or {}).get(key)
    return bool(found)


def _filled(line: str, values: Mapping[str, Any]) -> Iterator[str]:
    """The lines that become of one."""
    while found := _WHEN.match(line):
        if _is_there(values, found[2]) is not (found[1] == "if"):
            return
        line = line[found.end() :]
    filler = _Filler(cells=line.endswith("|"))
    try:
        if found := _EACH.fullmatch(line):
            for row in _rows(found[1], values):
                yield from _filled(found[2], row)
        elif found := _ACROSS.fullmatch(line):
            before, name, repeated, after = found.groups("")
            cells = (filler.vformat(repeated, (), row) for row in _rows(name, values))
            first, last = (filler.vformat(part, (), values) for part in (before, after))
            yield f"{first}{''.join(cells)}{last}"
        elif (text := filler.vformat(line, (), values)) or not line:
            yield text
    except _LeftOutError:
        return


def _rows(name: str, values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """For each row of a mapping, the values with those of the row."""
    for key, row in look(values, name).items():
        own = row if isinstance(row, Mapping) else {}
        yield ChainMap({"key": key, "n": row, **own}, values)  # type: ignore[arg-type]


class _LeftOutError(Exception):
    """A line is left out."""


class _Share(NamedTuple):
    part: int
    whole: int


class _Filler(Formatter):
    def __init__(self, cells: bool) -> None:
        self._cells = cells

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        verb, _, name = field_name.rpartition(" ")
        if verb:
            return _is_there(kwargs, name) is (verb == "if"), name
        part, slash, whole = name.partition("/")
        value = look(kwargs, part)
        return (_Share(value, look(kwargs, whole)) if slash else value), name

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        how = {"c": code, "p": plain}.get(conversion or "")
        return how(value) if how else super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, bool):
            return format_spec * value
        if value is None and format_spec not in ("%", "r"):
            raise _LeftOutError
        text = _formatted(value, format_spec)
        return text.replace("|", "\\|") if self._cells else text


def _formatted(value: Any, spec: str) -> str:
    if isinstance(value, _Share) and spec in ("%", "r"):
        value = 100 * value.part / value.whole if value.whole else None
    elif isinstance(value, _Share):
        value = value.part / value.whole if value.whole else None
    elif spec == "%" and value is not None:
        value *= 100
    if value is None:
        return "–"
    if spec in ("%", "r"):
        return repr(value) if spec == "r" else f"{value:.1f} %"
    if isinstance(value, Mapping):
        if spec == "sum":
            return f"{sum(value.values()):,}"
        if spec == "sizes":
            return " · ".join(f"{name}: {n:,}" for name, n in value.items() if n) or "–"
        if spec:
            return "; ".join(f"{reason} ({n:,})" for reason, n in value.items()) or "–"
        return " / ".join(f"{n:,}" for n in value.values())
    if isinstance(value, list):
        return "\n".join(value)
    if "|" in spec:
        one, many = spec.split("|")
        return one if value == 1 else many
    if spec[:1].isalpha() and len(spec) > 1:
        return counted(value, spec)
    return format(value, spec or ("," if isinstance(value, int) else ""))
