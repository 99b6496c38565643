"""The contents of a release, read and well formed, and what several checks work out from them."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

from rulemine.verify.facts import Facts, Priors
from rulemine.verify.folder import Folder
from rulemine.verify.graphs import Removed
from rulemine.verify.names import Names
from rulemine.verify.proofs import Prover, Triples
from rulemine.verify.rules import HornRule
from rulemine.verify.triples import Graph, Triple

__all__ = ["Contents", "Located", "Row"]

Row = dict[str, Any]


class Located(NamedTuple):
    """A record with its file and line."""

    file: str
    line: int
    row: Row

    @property
    def place(self) -> str:
        """Where it is."""
        return f"{self.file} line {self.line}"


@dataclass(frozen=True)
class Contents:
    """What a release contains; the arguments of most checks.

    Attributes:
        folder: The files and the manifest.
        names: The tables of names.
        rules: Rules by id.
        complete: The complete KG.
        incomplete: The incomplete KG.
        reference: What a reference KG adds.
        removed: The removed triples.
        questions: All questions of the right shape, file by file.
        rejections: All rejected questions and texts.
        types: The types of entities; none if the release has no such table.
    """

    folder: Folder
    names: Names
    rules: dict[str, HornRule]
    complete: Graph
    incomplete: Graph
    reference: Graph
    removed: dict[Triple, Removed]
    questions: list[Located]
    rejections: list[Located]
    types: dict[str, frozenset[str]]

    def __getstate__(self) -> dict[str, Any]:
        # Look-ups are made anew by each process; arrays may be shared by several.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @cached_property
    def brink(self) -> bool:
        """Whether the selection is the published procedure."""
        return bool(self.folder.option("selection", "mode") == "brink")

    @cached_property
    def declared(self) -> Facts:
        """What triples state, by the declarations."""
        return Facts(self.names.relations)

    @cached_property
    def facts(self) -> Facts:
        """What they state for selection and questions; the published procedure knows no declarations."""
        return Facts({}) if self.brink else self.declared

    @cached_property
    def priors(self) -> Priors:
        """The priors of the complete KG."""
        return Priors(self.complete, self.facts)

    @cached_property
    def known(self) -> Triples:
        """Look-ups in the complete KG."""
        return Triples(self.complete)

    @cached_property
    def wider(self) -> Triples:
        """Look-ups in complete and reference KG."""
        return Triples(self.complete.joined(self.reference)) if len(self.reference) else self.known

    @cached_property
    def left(self) -> Triples:
        """Look-ups in the incomplete KG."""
        return Triples(self.incomplete)

    @cached_property
    def prover(self) -> Prover:
        """Counts proofs in the incomplete KG."""
        return Prover(self.rules.values(), self.left)

    @cached_property
    def whole_prover(self) -> Prover:
        """Counts proofs in the complete KG."""
        return Prover(self.rules.values(), self.known)
