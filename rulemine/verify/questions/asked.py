"""A question with what its query gives, on every graph."""

from dataclasses import dataclass
from functools import cached_property
from operator import add
from typing import Any

from rulemine.verify.contents import Contents, Located, Row
from rulemine.verify.graphs import as_triple
from rulemine.verify.proofs import Triples
from rulemine.verify.questions.forms import QueryForm, form_of, linked
from rulemine.verify.questions.queries import ENDS, Query, answers, costs, evidence, settled
from rulemine.verify.report import Findings, shown
from rulemine.verify.triples import Graph, Triple

__all__ = ["Asked", "Checked"]

WHOLE = 100


@dataclass(frozen=True)
class Checked:
    """One question of any kind; collects its problems."""

    at: Located
    findings: Findings
    contents: Contents

    @property
    def row(self) -> Row:
        """The record."""
        return self.at.row

    @property
    def block(self) -> Row:
        """What only its kind has."""
        own: Row = self.at.row["block"]
        return own

    def add(self, invariant: str, found: str, expected: str) -> None:
        """Adds a problem of the question."""
        self.findings.add(self.at.file, self.at.line, invariant, found, expected)

    def equal(self, invariant: str, found: object, expected: object, source: str = "") -> None:
        """Adds a problem if two values differ."""
        if found != expected:
            self.add(invariant, shown(found), shown(expected) + (f" ({source})" if source else ""))

    def option(self, key: str) -> Any:
        """An option of the kind; None if the manifest does not state it."""
        return self.contents.folder.option(self.row["kind"], key)

    def at_most(self, invariant: str, number: int, key: str, section: str = "") -> None:
        """Adds a problem if a number is above an option, of the kind or a section, if that is above 0."""
        section = section or self.row["kind"]
        most = self.contents.folder.option(section, key)
        if type(most) is int and number > most > 0:
            self.add(invariant, str(number), f"at most {most} (manifest, config.{section}.{key})")


@dataclass(frozen=True)
class Asked(Checked):
    """One question, and what its query gives."""

    query: Query

    @cached_property
    def links(self) -> Query:
        """The query by links, see `linked`."""
        return linked(self.query, self.contents.facts)

    @cached_property
    def form(self) -> QueryForm:
        """The form of the query."""
        return form_of(self.links)

    @cached_property
    def whole(self) -> set[str]:
        """The answers on the complete KG."""
        return answers(self.query, self.contents.known)

    @cached_property
    def evidence(self) -> frozenset[tuple[Triple, str]]:
        """The triples of all their derivations, each with the end that it leads to."""
        return frozenset(evidence(self.query, self.whole, self.contents.known))

    @cached_property
    def settled(self) -> Query:
        """The query as `costs` and `derivations` want it."""
        return settled(self.query, self.contents.known)

    @cached_property
    def missing(self) -> dict[str, int]:
        """Answer → the least number of removed triples in its derivations."""
        removed = self.contents.removed
        return costs(self.settled, self._used, lambda triple: triple in removed, add)

    @cached_property
    def levels(self) -> dict[str, int]:
        """Answer → the level from which on no derivation of it is whole; above 100 if one always is."""
        removed = self.contents.removed

        def early(triple: Triple) -> int:
            return WHOLE + 1 - removed[triple].level if triple in removed else 0

        worst = costs(self.settled, self._used, early, max)
        return {answer: WHOLE + 1 - cost for answer, cost in worst.items()}

    @cached_property
    def _used(self) -> Triples:
        return Triples(Graph.of(triple for triple, _ in self.evidence))

    def derivable(self, entity: str) -> bool:
        """Whether a graph states, or a rule proves from the complete KG, that an entity is an answer.

        The query has one link, of any number of statements.
        """
        for part in self.links.parts:
            topic, end = part.parts[0].name, ENDS[part.word]
            s, o = (entity, topic) if end == "subject" else (topic, entity)
            stated = o in self.contents.wider.objects(s, part.name)
            if stated or self.contents.whole_prover.prove((s, part.name, o)).ways:
                return True
        return False

    def removed_of(self, witness: list[list[str]]) -> list[Triple]:
        """The removed triples of a witness, in its order, each once."""
        triples = dict.fromkeys(map(as_triple, witness))
        return [triple for triple in triples if triple in self.contents.removed]

    def source(self, entity: str) -> str:
        """The label of an entity in the source."""
        named = self.contents.names.entities.get(entity)
        return named.source if named is not None else entity
