"""The topic of a question: from the types of its answer, else from the relations that it asks about.

A file of topics is TOML, each topic with types of entities, relations, or domains of either; a domain is a
name up to a separator (``/``, ``.``, ``:`` or ``#``):

    film = ["/film", "/award/award_nominated_work"]
    people = ["/people/person"]

The first topic of the file that a type of the answer is of, else the first that a relation of the query is
of, else `OTHER`. Without a file there are six classes, as many as Dynamic-KGQA has: types are
joined by the first part of names such as ``/film/actor``; five times the group with most entities that no
topic has yet becomes a topic; the rest is `OTHER`.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from rulemine.config import read_toml
from rulemine.errors import InputError, list_problems
from rulemine.kg.entity_types import EntityTypes
from rulemine.kg.graph import KnowledgeGraph
from rulemine.recipe.inputs import Inputs
from rulemine.registry import packaged_or_given

__all__ = ["OTHER", "Topics"]

OTHER = "other"

DERIVED = 5
"""Topics that are derived, beside `OTHER`."""

_SEPARATORS = "/.:#"
_DOMAIN = re.compile(r"/([^/]+)/.")


class Topics:
    """The topics of a build.

    Args:
        listed: Topic → types of entities, relations, or domains of either; in the order in which topics are
            tried, without `OTHER`.
        types: The types of the entities.
        relations: The relations of the graph.

    Attributes:
        names: The topics, in their order.
    """

    def __init__(
        self,
        listed: Mapping[str, Sequence[str]],
        types: EntityTypes,
        relations: Sequence[str] = (),
    ) -> None:
        def first(name: str) -> int:
            places = (at for at, members in enumerate(listed.values()) if _is_of(name, members))
            return next(places, len(listed))

        self.names, self._types = tuple(listed), types
        self._of_types = [first(name) for name in types.names]
        self._of_relations = {name: first(name) for name in relations}

    @classmethod
    def of_inputs(cls, inputs: Inputs) -> "Topics":
        """The topics that a recipe names, or derived ones.

        Raises:
            InputError: The file is missing or no file of topics, or names nothing of the graph.
        """
        named = inputs.recipe.own.topics
        if not named:
            return cls.derived(inputs.types)
        return cls.load(packaged_or_given(named, "topics.toml"), inputs.kg, inputs.types)

    @classmethod
    def load(cls, path: Path, kg: KnowledgeGraph, types: EntityTypes) -> "Topics":
        """Reads a file of topics.

        Raises:
            InputError: It is missing or no file of topics, or a topic names nothing of the graph.
        """
        listed = read_toml(path)
        names = (*types.names, *kg.relations)
        problems = [] if listed else ["holds no topic"]
        for topic, members in listed.items():
            if not topic.strip() or not isinstance(members, list) or not members:
                problems.append(f'{topic!r} is {members!r}; expected TOPIC = ["TYPE", "DOMAIN", …]')
            elif wrong := [one for one in members if not isinstance(one, str) or not one.strip()]:
                problems.append(f"{topic!r} has {wrong[0]!r}; expected a name")
            elif not any(_is_of(name, members) for name in names):
                problems.append(
                    f"{topic!r}: no type and no relation of the graph is of {', '.join(members)}; there "
                    f"are {', '.join(names[:3])}, …"
                )
        if problems:
            advice = "Each line is a topic with types, relations or their domains."
            raise InputError(list_problems(str(path), problems, advice))
        return cls(listed, types, kg.relations)

    @classmethod
    def derived(cls, types: EntityTypes) -> "Topics":
        """Topics made from the types alone."""
        matched = [_DOMAIN.match(name) for name in types.names]
        group = [m[1] if m else name for m, name in zip(matched, types.names, strict=True)]
        groups, of = np.unique(np.array(group, object), return_inverse=True)
        entity = np.repeat(np.arange(len(types.starts) - 1), np.diff(types.starts))
        pairs = np.unique(np.column_stack((entity, of[types.types])), axis=0)
        listed: dict[str, list[str]] = {}
        while len(listed) < DERIVED and len(pairs):
            best = int(np.bincount(pairs[:, 1]).argmax())  # the first by name of several as large
            listed[groups[best]] = [types.names[i] for i in np.flatnonzero(of == best)]
            pairs = pairs[~np.isin(pairs[:, 0], pairs[pairs[:, 1] == best, 0])]
        return cls(listed, types)

    def topic(self, answer: int, relations: Sequence[str]) -> str:
        """The topic of a question.

        Args:
            answer: Its answer, an entity of the complete KG.
            relations: The relations that it asks about.
        """
        end = len(self.names)
        at = min((self._of_types[i] for i in self._types.of(answer)), default=end)
        if at == end:
            at = min((self._of_relations.get(name, end) for name in relations), default=end)
        return self.names[at] if at < end else OTHER


def _is_of(name: str, members: Sequence[str]) -> bool:
    """Whether a name is one of some names, or of one of these domains."""
    return any(
        name == one
        or (name.startswith(one) and (one[-1] in _SEPARATORS or name[len(one)] in _SEPARATORS))
        for one in members
    )
