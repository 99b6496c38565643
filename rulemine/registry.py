"""Names that a user can give, and the objects that they stand for: this package's and other packages'.

Another package adds a name with an entry point in the group of a registry. Guarantees: nothing is
imported before its name is used; a name of this package cannot be taken over by another; whatever
another package does wrong ends in a message that names that package.
"""

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib import metadata
from typing import Any

from rulemine.errors import ConfigError, RulemineError, did_you_mean

__all__ = ["Registry", "lazy_names"]


class Registry:
    """Objects by name.

    Args:
        group: The group of entry points, e.g. ``rulemine.answerers``.
        noun: What one entry is called in messages, e.g. ``answerer``.
        own: The names of this package, each with its object as ``module:OBJECT``.
    """

    def __init__(self, group: str, noun: str, own: Mapping[str, str]) -> None:
        self.group, self.noun, self.own = group, noun, own

    @cached_property
    def _others(self) -> dict[str, metadata.EntryPoint]:
        found = sorted(metadata.entry_points(group=self.group), key=lambda e: (e.name, e.value))
        return {entry.name: entry for entry in reversed(found) if entry.name not in self.own}

    def names(self) -> list[str]:
        """This package's names in their order, then those of other packages, sorted."""
        return [*self.own, *sorted(self._others)]

    def load(self, name: str) -> Any:
        """The object of a name.

        Raises:
            ConfigError: There is no such name, or another package's object cannot be loaded.
        """
        if name in self.own:
            module, _, attribute = self.own[name].partition(":")
            return getattr(importlib.import_module(module), attribute)
        if name not in self._others:
            raise ConfigError(
                f"{name!r} is no {self.noun}; {did_you_mean(name, self.names())}"
            )
        with self.blaming(name):
            return self._others[name].load()

    @contextmanager
    def blaming(self, name: str) -> Iterator[None]:
        """Around code of the package that a name comes from: names it when that code fails.

        Raises:
            ConfigError: It failed.
        """
        try:
            yield
        except RulemineError:
            raise
        except Exception as problem:  # other people's code can raise anything
            if name not in self._others:
                raise
            entry = self._others[name]
            package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module
            raise ConfigError(
                f"{self.noun} {name!r} ({entry.value}) of the package {package} failed: "
                f"{type(problem).__name__}: {problem}. Mend, update or uninstall that package."
            ) from problem


def lazy_names(module: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose names are imported when they are first used.

    Args:
        module: The package, ``__name__``.
        homes: Public name → the module that defines it.

    Example:
        >>> find, _ = lazy_names("rulemine.query", {"Atom": "rulemine.query.atom"})
        >>> find("Atom")
        <class 'rulemine.query.atom.Atom'>
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return find, lambda: sorted(homes)
