"""Homonyms distinguished by a word about them: *Mercury (planet)*, *Mercury (god)*.

The word is the label of a neighbor in the graph that the homonyms lack, the one that most entities share:
*planet* says more than the name of a crater.

Guarantee: depends on the graph and the labels alone; every new label is unique. Homonyms that no neighbor
distinguishes keep their label; `rulemine.release.naming.name_entities` adds their ids to it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from types import MappingProxyType

import numpy as np

from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.templates import Templates

__all__ = ["nouns_of", "tell_apart"]

COMMON = 0.5
"""A neighbor of more than this fraction of a relation's triples (a gender, a currency) says little."""

_VAGUE = ("something", "someone", "thing", "place")
"""Nouns that tell little apart."""

MAX_LENGTH = 40
"""Most characters of a word about a homonym."""


def tell_apart(
    kg: KnowledgeGraph,
    labels: Mapping[str, str],
    entities: Iterable[str],
    types: Mapping[str, str] = MappingProxyType({}),
    mute: Collection[str] = (),
) -> dict[str, str]:
    """Labels for homonyms.

    Args:
        kg: The graph.
        labels: Entity → label; an entity without one is its own label.
        entities: All entities that will have a name: those of the graph, and further ones.
        types: Entity → what it is, in a word, which is better than any neighbor where homonyms differ in it.
        mute: Relations whose neighbors say nothing of a homonym, such as a gender.

    Returns:
        Entity → label, for the homonyms that a neighbor or their type distinguishes.
    """
    groups: dict[str, list[str]] = {}
    for entity in sorted(set(entities)):
        groups.setdefault(labels.get(entity, entity), []).append(entity)
    words = _words(kg, labels, chain(*(group for group in groups.values() if len(group) > 1)), mute)
    taken = set(groups)
    found: dict[str, str] = {}
    for label, group in groups.items():
        about = [
            {**({types[one]: 0} if one in types else {}), **words.get(one, {})} for one in group
        ]
        shared = Counter(word for ranked in about for word in ranked)
        for entity, ranked in zip(group, about, strict=True):
            names = (f"{label} ({word})" for word in ranked if shared[word] == 1 and word != label)
            if len(group) > 1 and (name := next((n for n in names if n not in taken), "")):
                taken.add(name)
                found[entity] = name
    return found


def nouns_of(kg: KnowledgeGraph, labels: Mapping[str, str], templates: Templates) -> dict[str, str]:
    """Homonym → what it is, in a word: the noun that the templates have for most of its triples.

    Args:
        kg: The graph.
        labels: Entity → label.
        templates: The templates of its relations.
    """
    times = Counter(labels.get(entity, entity) for entity in kg.entities)
    wanted = np.array([times[labels.get(entity, entity)] > 1 for entity in kg.entities], bool)
    found: dict[str, Counter[str]] = {}
    for column, direction in zip((0, 2), DIRECTIONS, strict=True):
        for triple in kg.labeled(np.flatnonzero(wanted[kg.triples[:, column]])):
            noun = read_description(templates[triple[1]].description(direction)).noun[0]
            if noun not in _VAGUE:
                found.setdefault(triple[column], Counter())[noun] += 1
    return {entity: min(nouns, key=lambda n: (-nouns[n], n)) for entity, nouns in found.items()}


def _words(
    kg: KnowledgeGraph,
    labels: Mapping[str, str],
    entities: Iterable[str],
    mute: Collection[str],
) -> dict[str, dict[str, int]]:
    """The labels of each entity's neighbors, with their degrees, best first."""
    s, r, o = (kg.triples[:, column].astype(np.int64) for column in range(3))
    n, sizes = len(kg.entities), kg.relation_sizes()
    degree = np.bincount(np.append(s, o), minlength=n)
    wanted = np.isin(np.arange(n), [kg.entity_ids.get(entity, -1) for entity in entities])
    speaks = np.array([relation not in mute for relation in kg.relations], bool)
    words: dict[str, dict[str, int]] = {}
    for ends, others in ((s, o), (o, s)):
        _, which, times = np.unique(r * n + others, return_inverse=True, return_counts=True)
        rows = np.flatnonzero(speaks[r] & wanted[ends] & (times[which] <= COMMON * sizes[r]))
        for end, other in zip(ends[rows].tolist(), others[rows].tolist(), strict=True):
            neighbor = kg.entities[other]
            word = labels.get(neighbor, "" if labels else neighbor)
            if word and len(word) <= MAX_LENGTH and not set(word) & set("()"):
                words.setdefault(kg.entities[end], {})[word] = int(degree[other])
    return {
        entity: dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
        for entity, found in words.items()
    }
