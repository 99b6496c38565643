"""Triples in words, for systems that read texts."""

from collections.abc import Mapping
from dataclasses import dataclass

from rulemine.exports.protocol import ExportInput
from rulemine.kg.graph import Triple
from rulemine.phrasing.templates import Templates

__all__ = ["TripleTexts"]


@dataclass(frozen=True)
class TripleTexts:
    """Says triples by the statements of their relations.

    Attributes:
        templates: The templates of the relations.
        label: What an entity is called.
    """

    templates: Templates
    label: Mapping[str, str]

    @classmethod
    def of(cls, given: ExportInput) -> "TripleTexts":
        """With the templates of a release and the labels that clients see."""
        return cls(given.release.templates(), given.client.label)

    def sentence(self, triple: Triple) -> str:
        """A triple as a sentence; its first letter stays as it is, for it may be that of a name."""
        subject, relation, obj = triple
        said = self.templates[relation].state(self.label[subject], self.label[obj])
        return said if said.endswith(".") else f"{said}."
