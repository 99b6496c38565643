"""Knowledge graphs: reading, caching, indexing, and how their relations overlap."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.kg.entity_names import NAMINGS as NAMINGS
    from rulemine.kg.entity_names import EntityNames as EntityNames
    from rulemine.kg.graph import DIRECTIONS as DIRECTIONS
    from rulemine.kg.graph import KnowledgeGraph as KnowledgeGraph
    from rulemine.kg.graph import Triple as Triple

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DIRECTIONS": "rulemine.kg.graph",
        "EntityNames": "rulemine.kg.entity_names",
        "KnowledgeGraph": "rulemine.kg.graph",
        "NAMINGS": "rulemine.kg.entity_names",
        "Triple": "rulemine.kg.graph",
    },
)
