"""Registries of named objects, such as answerers and data sets, which other packages can extend.

Another package adds a name by an entry point in the registry's group. Guarantees: nothing is imported
before its name is looked up; no other package can override a name of this one; an error in another
package ends in a message that names that package.
"""

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from rulemine.config import Section, build, packaged, parse_setting
from rulemine.errors import ConfigError, RulemineError, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "VOCABULARIES",
    "Registry",
    "imported",
    "lazy_names",
    "loaded",
    "packaged_or_given",
    "split_names",
]

T = TypeVar("T")

_WRITTEN = re.compile(r"""(?:[^,"]|"(?:[^"\\]|\\.)*")+""")
_OPTION = re.compile(r""":((?:[^:"]|"(?:[^"\\]|\\.)*")*)""")


def split_names(text: str) -> list[str]:
    """The names of a list such as ``lookup,prior:k=5``; commas in quotes do not separate.

    >>> split_names('lookup, prior:k=5,command:program="a, b"')
    ['lookup', 'prior:k=5', 'command:program="a, b"']
    """
    return [name.strip() for name in _WRITTEN.findall(text) if name.strip()]


class Registry(Mapping[str, T], Generic[T]):
    """Name → object: this package's names in their order, then those of other packages, sorted.

    Args:
        group: The group of entry points, e.g. ``rulemine.answerers``.
        noun: What an entry is called in messages, e.g. ``answerer``.
        kind: The class of the objects.
        own: The names of this package. An object given as ``"module:OBJECT"`` is imported when it is
            looked up.
    """

    def __init__(self, group: str, noun: str, kind: type, own: Mapping[str, T | str]) -> None:
        self.noun, self.own = noun, own
        self._group, self._kind = group, kind

    @cached_property
    def _others(self) -> "dict[str, EntryPoint]":
        from importlib.metadata import entry_points  # slow to load; most commands do without

        found = sorted(entry_points(group=self._group), key=lambda entry: (entry.name, entry.value))
        return {entry.name: entry for entry in found if entry.name not in self.own}

    def __iter__(self) -> Iterator[str]:
        return iter((*self.own, *self._others))

    def __len__(self) -> int:
        return len(self.own) + len(self._others)

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self._others

    def __getitem__(self, name: str) -> T:
        if name in self.own:
            found = self.own[name]
            return cast(T, loaded(found) if isinstance(found, str) else found)
        entry = self._others[name]
        with self.blaming(name):
            given = entry.load()
            if not isinstance(given, self._kind):
                raise TypeError(f"{self._kind.__name__} was expected, found {given!r}")
        return cast(T, given)

    def find(self, name: str) -> T:
        """The object of a name.

        Raises:
            ConfigError: There is no such name, or another package's object cannot be loaded.
        """
        if name not in self:
            raise ConfigError(f"no {self.noun} {name!r}; {did_you_mean(name, self)}")
        return self[name]

    def made(self, written: str, example: str, advice: str) -> Any:
        """What a text such as ``neighbors:hops=2`` names, made with its options.

        Args:
            written: A name, and options as ``:key=value``, the values as for ``--set``; what holds a colon
                or a comma is put in double quotes. The object of the name is called with them.
            example: Such a text, for messages.
            advice: Where the options are listed, for messages.

        Raises:
            ConfigError: There is no such name, it has no such option, or a value is out of range.
        """
        name, colon, rest = written.partition(":")
        make = cast(Callable[..., Any], self.find(name))
        where = f"{self.noun} {written!r}"
        values: dict[str, Any] = {}
        for part in _OPTION.findall(colon + rest):
            try:
                path, value = parse_setting(part)
            except ConfigError:
                raise ConfigError(
                    f"{where}: {part!r} is no option; expected key=value, e.g. {example}."
                ) from None
            values[".".join(path)] = value
        if isinstance(make, type) and issubclass(make, Section) and is_dataclass(make):
            return build(make, values, where, advice)
        known = inspect.signature(make).parameters
        for key in values.keys() - known.keys():
            raise ConfigError(f"{where}: no option {key!r}; {did_you_mean(key, known)}")
        with self.blaming(name):
            return make(**values)

    @contextmanager
    def blaming(self, name: object) -> Iterator[None]:
        """Wraps code that runs an object: if another package's object fails, the error names the package.

        Raises:
            ConfigError: Another package's object failed.
        """
        entry = self._others.get(cast(str, name))
        try:
            yield
        except RulemineError:
            raise
        except (Exception, SystemExit) as problem:  # other people's code can raise anything
            if entry is None:
                raise
            package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module
            raise ConfigError(
                f"{self.noun} {name!r} of the package {package} ({entry.value}) failed: "
                f"{type(problem).__name__}: {problem}. Update, fix or uninstall that "
                "package."
            ) from problem


VOCABULARIES: Registry[Path] = Registry("rulemine.vocabularies", "vocabulary", Path, {})
"""Name → a folder with the words for the relations of a graph: ``templates.toml``, ``glosses.toml``, …"""


def packaged_or_given(source: str, name: str) -> Path:
    """The file of a packaged data set, of another package's vocabulary, or the user's own file.

    Args:
        source: The name of a data set of the package (a folder of ``rulemine/datasets``), that of an entry
            point ``rulemine.vocabularies`` (which names a folder), or a path.
        name: The name of the file in that folder.
    """
    if not source.isidentifier():
        return Path(source)
    path = packaged("datasets", source, name)
    if not path.is_file():
        path = VOCABULARIES[source] / name if source in VOCABULARIES else path
    return path if path.is_file() else Path(source)


def loaded(where: str) -> Any:
    """What stands at ``module:NAME``."""
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(module), name)


class _Imported:
    """See `imported`."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __get__(self, instance: object, owner: type) -> Any:
        return loaded(self._where)


def imported(where: str) -> Any:
    """An attribute of a class that is imported, as ``module:NAME``, whenever it is asked for.

    A function is called without the instance.
    """
    return _Imported(where)


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Lets a package export names of its modules, which are imported when they are first used.

    Args:
        package: The package, i.e. ``__name__`` in its ``__init__``.
        homes: Maps each public name to the module that defines it.

    Returns:
        ``__all__``, ``__getattr__`` and ``__dir__`` of the package (PEP 562).
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return sorted(homes), find, lambda: sorted(homes)
