"""How writers of questions name the entities of the complete graph."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph, Triple

__all__ = ["WriterNames"]


@dataclass(frozen=True)
class WriterNames:
    """The ids and labels of all entities; made by `of` or `plain`.

    Ids are private ids, so that they are the same in every naming and free of odd characters; labels are what
    texts call the entities.

    Attributes:
        kg: The complete graph.
        ids: By number of the entity.
        labels: Likewise; each once.
        naming: What labels are, one of `rulemine.kg.entity_names.NAMINGS`.
    """

    kg: KnowledgeGraph
    ids: Sequence[str]
    labels: Sequence[str]
    naming: str = "entity"

    @classmethod
    def of(cls, kg: KnowledgeGraph, names: Sequence[EntityNames], naming: str) -> "WriterNames":
        """The names of a build.

        Args:
            kg: The complete graph.
            names: The names of its entities, and perhaps of others.
            naming: What texts call them, one of `rulemine.kg.entity_names.NAMINGS`.
        """
        rows = {row.entity: row for row in names}
        own = [rows[name] for name in kg.entities]
        return cls(kg, [row.private for row in own], [row.name_in(naming) for row in own], naming)

    @classmethod
    def plain(cls, kg: KnowledgeGraph) -> "WriterNames":
        """The names of the source, as ids and as labels."""
        return cls(kg, kg.entities, kg.entities)

    def id(self, entity: int) -> str:
        """The id of an entity."""
        return self.ids[entity]

    def label(self, entity: int) -> str:
        """The label of an entity."""
        return self.labels[entity]

    def entity(self, id_: str) -> int | None:
        """The entity of an id; None: there is none."""
        return self._by_id.get(id_)

    def by_label(self, label: str) -> int | None:
        """The entity of a label, whatever its white space and Unicode form; None: there is none."""
        return self._by_label.get(_plain(label))

    def triples(self, rows: Sequence[int]) -> list[Triple]:
        """Rows of the graph's triples, with ids for entities and labels for relations."""
        s, r, o = self.kg.triples[list(rows)].T.tolist() if len(rows) else ((), (), ())
        relations = self.kg.relations
        return [(self.ids[x], relations[y], self.ids[z]) for x, y, z in zip(s, r, o, strict=True)]

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {id_: entity for entity, id_ in enumerate(self.ids)}

    @cached_property
    def _by_label(self) -> dict[str, int]:
        # Of labels that differ in white space alone, the first.
        pairs = reversed(list(enumerate(self.labels)))
        return {_plain(label): entity for entity, label in pairs}


def _plain(label: str) -> str:
    return unicodedata.normalize("NFC", " ".join(label.split()))
