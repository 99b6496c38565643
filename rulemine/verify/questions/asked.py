"""A question with what its query gives on the complete graph."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import add
from typing import Any

from rulemine.verify.contents import Contents, Record
from rulemine.verify.graph import Triple
from rulemine.verify.questions.forms import form_of, linked
from rulemine.verify.questions.queries import (
    Few,
    Query,
    answers,
    costs,
    evidence,
    triple_of,
)

__all__ = ["Asked"]

WHOLE = 100


@dataclass(frozen=True)
class Asked:
    """A question, and what its query gives."""

    contents: Contents
    at: Record
    query: Query

    @property
    def row(self) -> dict[str, Any]:
        """The record."""
        return self.at.row

    @property
    def block(self) -> dict[str, Any]:
        """What only its kind has."""
        return self.at.row["block"]  # type: ignore[no-any-return]

    def wrong(self, what: str, found: object, expected: object) -> None:
        """Adds a problem."""
        self.contents.wrong(self.at, what, found, expected)

    def expect(self, holds: object, what: str, found: object, expected: object) -> None:
        """Adds a problem unless something holds."""
        if not holds:
            self.wrong(what, found, expected)

    def equal(self, what: str, found: object, expected: object) -> None:
        """Adds a problem if two values differ."""
        self.contents.equal(self.at, what, found, expected)

    def option(self, key: str) -> Any:
        """An option of the kind; None if the manifest does not state it."""
        return self.contents.option(self.contents.kind, key)

    def at_most(self, what: str, number: int, key: str, section: str = "") -> None:
        """Adds a problem if a number is above an option, of the kind or another section; 0 is no bound."""
        section = section or self.contents.kind
        most = self.contents.option(section, key) or number
        self.expect(number <= most, what, number, f"at most {most} (config.{section}.{key})")

    @cached_property
    def links(self) -> Query:
        """The query by links.

        Raises:
            ValueError: Some statement of a fact is not asked for.
        """
        return linked(self.query, self.contents.facts)

    @cached_property
    def form(self) -> dict[str, Any]:
        """The form of the query."""
        return form_of(self.links)

    @cached_property
    def whole(self) -> set[str]:
        """The answers on the complete graph."""
        return answers(self.links, self.contents.complete)

    @cached_property
    def evidence(self) -> frozenset[tuple[Triple, str]]:
        """The triples of all their derivations, each with the end that it leads to."""
        return frozenset(evidence(self.links, self.whole, self.contents.complete))

    @cached_property
    def missing(self) -> dict[str, int]:
        """Answer → the least number of removed triples in its derivations."""
        return self._least(lambda triple: triple in self.contents.removed, add)

    @cached_property
    def levels(self) -> dict[str, int]:
        """Answer → the level from which on no derivation of it is whole; above 100 if one always is."""
        removed = self.contents.removed
        late = self._least(
            lambda t: WHOLE + 1 - removed[t].row["level"] if t in removed else 0, max
        )
        return {answer: WHOLE + 1 - cost for answer, cost in late.items()}

    def _least(
        self, cost: Callable[[Triple], int], both: Callable[[int, int], int]
    ) -> dict[str, int]:
        few = Few(triple for triple, _ in self.evidence)
        return costs(self.links, few, self.contents.complete, cost, both)

    def derivable(self, entity: str) -> bool:
        """Whether a graph states, or a rule proves from the complete graph, that an entity is an answer.

        The query has one link, of any number of statements.
        """
        topic = self.links.parts[0].name
        found = [triple_of(way, topic, entity) for way in self.links.ways]
        proofs = self.contents.whole_prover.prove_all(found)
        stated = any(triple in self.contents.wider for triple in found)
        return stated or any(one.ways for one in proofs.values())

    def types_of(self, entities: Iterable[str]) -> frozenset[str]:
        """The types that all of some entities have."""
        found = [self.contents.types.get(entity, frozenset()) for entity in entities]
        return frozenset.intersection(*found) if found else frozenset()

    def source(self, entity: str) -> str:
        """The name of an entity in the source."""
        return str(self.contents.entities[entity]["entity"])
