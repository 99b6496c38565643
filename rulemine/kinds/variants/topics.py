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
from dataclasses import dataclass
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


@dataclass(frozen=True, eq=False)
class Topics:
    """The topics of a build.

    Attributes:
        names: The topics, in the order in which they are tried; without `OTHER`.
        of_types: For each type of `types` the position of its topic in `names`; `len(names)`: of none.
        of_relations: Relation → the position of its topic, where it has one.
        types: The types of the entities.
    """

    names: tuple[str, ...]
    of_types: tuple[int, ...]
    of_relations: Mapping[str, int]
    types: EntityTypes

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
        problems, names = [], (*types.names, *kg.relations)
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
        if problems or not listed:
            advice = "Each line is a topic with types, relations or their domains."
            raise InputError(list_problems(str(path), problems or ["holds no topic"], advice))

        def first(name: str) -> int:
            places = (at for at, members in enumerate(listed.values()) if _is_of(name, members))
            return next(places, len(listed))

        of_relations = {name: at for name in kg.relations if (at := first(name)) < len(listed)}
        return cls(tuple(listed), tuple(map(first, types.names)), of_relations, types)

    @classmethod
    def derived(cls, types: EntityTypes) -> "Topics":
        """Topics made from the types alone."""
        matched = [_DOMAIN.match(name) for name in types.names]
        group = [m[1] if m else name for m, name in zip(matched, types.names, strict=True)]
        groups = sorted(set(group))
        entity = np.repeat(np.arange(len(types.starts) - 1), np.diff(types.starts))
        number = np.array([groups.index(name) for name in group], np.int64)
        pairs = np.unique(np.column_stack((entity, number[types.types])), axis=0)
        chosen: list[int] = []
        for _ in range(min(DERIVED, len(groups))):
            sizes = np.bincount(pairs[:, 1], minlength=len(groups))
            best = int(sizes.argmax())  # the first by name of several as large
            if not sizes[best]:
                break
            chosen.append(best)
            covered = pairs[pairs[:, 1] == best, 0]
            pairs = pairs[~np.isin(pairs[:, 0], covered)]
        place = {groups[i]: at for at, i in enumerate(chosen)}
        found = tuple(place.get(name, len(chosen)) for name in group)
        return cls(tuple(groups[i] for i in chosen), found, {}, types)

    def topic(self, answer: int, relations: Sequence[str]) -> str:
        """The topic of a question.

        Args:
            answer: Its answer, an entity of the complete KG.
            relations: The relations that it asks about.
        """
        end = len(self.names)
        at = min((self.of_types[i] for i in self.types.of(answer)), default=end)
        if at == end:
            at = min((self.of_relations.get(name, end) for name in relations), default=end)
        return self.names[at] if at < end else OTHER


def _is_of(name: str, members: Sequence[str]) -> bool:
    """Whether a name is one of some names, or of one of these domains."""
    return any(
        name == one
        or (name.startswith(one) and (one[-1] in _SEPARATORS or name[len(one)] in _SEPARATORS))
        for one in members
    )
