"""Names of entities and relations that survive other people's programs.

An entity has an id in the style of Freebase, ``m.e00039``, the same in every naming, and a label for people,
which is never the id. A relation has a name of exactly two dotted parts, ``people.person_place_of_birth``.
Guarantees: all three are one-to-one, labels also after lower-casing and after removing punctuation and
articles, relations also after lower-casing; none is a name that one of the clients drops or misreads (the
comment at each rule says which). The same release gives the same names.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rulemine.evaluation.metrics_of_others.projects import normalize
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import Triple
from rulemine.release.records import Question

__all__ = ["ClientEntity", "ClientNames", "domain_of", "relation_names"]

# Programs of Freebase days leave out relations of these domains: Generate-on-Graph, Think-on-Graph,
# Plan-on-Graph and StructGPT each some of them.
_DROPPED_DOMAINS = ("kg", "common", "freebase", "type")

# What pandas reads from a CSV file as a missing value; G-Retriever keeps its nodes in one.
_MISSING = {"", "na", "n/a", "nan", "-nan", "null", "none", "<na>", "#n/a", "#na", "#n/a n/a"}
_MISSING |= {"1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"}

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://[^/#]*[/#]", re.IGNORECASE)
_UNNAMED = "relation"


class ClientEntity(NamedTuple):
    """An entity as clients see it.

    Attributes:
        name: Its name in the naming of the export.
        id: ``m.`` and its private id.
        label: Its name, changed only where a client would confuse it with another or drop it.
    """

    name: str
    id: str
    label: str


@dataclass(frozen=True)
class ClientNames:
    """The names that clients see.

    Attributes:
        entities: All entities, by private id.
        relation: Relation → its name of two dotted parts.
        id: Name in the naming of the export → id.
        label: Name in the naming of the export → label.
    """

    entities: tuple[ClientEntity, ...]
    relation: Mapping[str, str]
    id: Mapping[str, str]
    label: Mapping[str, str]

    @classmethod
    def of(
        cls, entities: Iterable[EntityNames], naming: str, relations: Iterable[str], domain: str
    ) -> "ClientNames":
        """The names of a release's entities and relations.

        Args:
            entities: All entities.
            naming: One of ``private``, ``entity`` and ``text``.
            relations: All relations.
            domain: The first part of relations that have no domain of their own.
        """
        rows = sorted((e.private, e.name_in(naming)) for e in entities)
        labels = _labels(rows)
        made = tuple(
            ClientEntity(name, f"m.{key}", label)
            for (key, name), label in zip(rows, labels, strict=True)
        )
        return cls(
            made,
            relation_names(relations, domain),
            {e.name: e.id for e in made},
            {e.name: e.label for e in made},
        )

    def topics(self, question: Question) -> dict[str, str]:
        """The topic entities of a question: id → label, in the order of the question."""
        return {self.id[name]: self.label[name] for name in question.anchors}

    def labels(self, names: Iterable[str]) -> list[str]:
        """The labels of entities."""
        return [self.label[name] for name in names]

    def triples(self, triples: Iterable[Triple]) -> list[list[str]]:
        """Triples as clients see them, entities by their labels."""
        return [[self.label[s], self.relation[r], self.label[o]] for s, r, o in triples]

    @property
    def relabeled(self) -> tuple[ClientEntity, ...]:
        """The entities whose label is not their name."""
        return tuple(e for e in self.entities if e.label != e.name)


def _labels(rows: list[tuple[str, str]]) -> list[str]:
    """The labels of entities, given by private id and name."""

    # Plan-on-Graph, Generate-on-Graph and GNN-RAG look entities up by their label; others compare normalized.
    def keys(name: str) -> set[str]:
        return {name.lower(), normalize(name)}

    owners = Counter(key for _, name in rows for key in keys(name))

    def label(private: str, name: str) -> str:
        lower = name.lower()
        clashes = any(owners[key] > 1 for key in keys(name))
        # A name that normalizes to nothing is contained in every text.
        if clashes or not normalize(name) or lower in _MISSING or _is_number(name):
            name = f"{name} (m.{private})"
        # Generate-on-Graph drops triples whose names begin like an id, Plan-on-Graph will not stop at one.
        return f"{name[:1]} {name[1:]}" if name[:2] in ("m.", "g.") else name

    labels = [label(private, name) for private, name in rows]
    # A name may look like a label made here.
    taken = Counter(key for made in labels for key in keys(made))
    return [
        label if all(taken[key] == 1 for key in keys(label)) else f"{label} (m.{private})"
        for label, (private, _) in zip(labels, rows, strict=True)
    ]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def relation_names(relations: Iterable[str], domain: str) -> dict[str, str]:
    """Relation → its name of exactly two dotted parts, of letters, digits and ``_``.

    Args:
        relations: The relations.
        domain: The first part of those that have no domain of their own.

    Example:
        >>> list(relation_names(["/film/actor/film./film/performance/film", "son of"], "kin").values())
        ['film.actor_film__film_performance_film', 'kin.son_of']
    """
    made: dict[str, str] = {}
    taken: set[str] = set()
    for relation in sorted(set(relations)):
        # A composite relation of Freebase is two joined by "./".
        text = _SCHEME.sub("", relation).replace("./", "__")
        first, *rest = [p for p in map(_plain, re.split(r"[/.#:]", text)) if p] or [_UNNAMED]
        head = first if rest else _plain(domain) or "graph"
        tail = "_".join(rest) if rest else first
        if head.lower() in _DROPPED_DOMAINS:
            head += "_"
        # Think-on-Graph leaves out what has this anywhere.
        head, tail = (re.sub("(?i)(same)(as)", r"\1_\2", part) for part in (head, tail))
        if tail.lower() in ("from", "to"):  # an ending that Generate-on-Graph leaves out
            tail += "_"
        name, number = f"{head}.{tail}", 1
        while name.lower() in taken:
            number += 1
            name = f"{head}.{tail}_{number}"
        taken.add(name.lower())
        made[relation] = name
    return made


def _plain(text: str) -> str:
    """A text with everything but letters, digits and ``_`` replaced by ``_``; "" if nothing is left."""
    plain = re.sub(r"\W+", "_", text)
    return plain if plain.strip("_") else ""


def domain_of(graph: str) -> str:
    """The domain of relations without one: the name of the data set or of the graph's file.

    Example:
        >>> domain_of("family"), domain_of("data/my graph.tsv.gz")
        ('family', 'my_graph')
    """
    return _plain(Path(graph).name.partition(".")[0]) or "graph"
