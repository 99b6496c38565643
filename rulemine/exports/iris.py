"""IRIs of entities and relations: the graph as N-Triples, and the names that its source gives.

`triples` writes a graph with one of two sets of IRIs:

- ``release``: ``<entity:NAME>`` and ``<relation:NAME>``, as the ``sparql`` of questions has them
  (`rulemine.query.sparql`), and ``rdfs:label``;
- ``freebase``: ``ns:m.e00039`` and ``ns:people.person_place_of_birth``, ``type.object.name`` and
  ``type.object.type``, for programs that were written for Freebase; a tab between terms, as in its dump.

Names are in English (``"…"@en``), as programs ask for them. `SourceNames` has the IRIs of the source: an
entity's name, if it is an IRI, or what an id of Wikidata (``Q38``) or Freebase (``/m/0f8l9c``) stands for; a
relation's IRI in a graph in RDF, or what its name stands for in the same way. What has none, and everything
in the naming ``private``, has the IRI of the set ``freebase``. Guarantees: the same graph gives the same
lines; types are those of the graph at hand, so that an incomplete one gives nothing away; IRIs are
one-to-one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote

from rulemine.exports.client_names import domain_of, relation_names
from rulemine.exports.protocol import ExportInput
from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import Triple
from rulemine.kg.rdf import iri_of
from rulemine.query.oxigraph.rewriting import FREEBASE
from rulemine.query.sparql import entity_iri, relation_iri

__all__ = ["IRIS", "SourceNames", "sparql_in", "triples"]

IRIS = ("release", "freebase")

_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_NAME, _TYPE = f"<{FREEBASE}type.object.name>", f"<{FREEBASE}type.object.type>"
_THING = "entity.entity"
"""The type of entities without another: Generate-on-Graph finds no entity that has none."""

_UNSEEN = "base."
"""The domain whose types Generate-on-Graph does not count."""

_IRI = re.compile(r"<(entity|relation):([^<>]*)>")


def triples(given: ExportInput, iris: str) -> Iterator[str]:
    """The lines of the graph: its triples, then names, then types.

    Args:
        given: The release, the graph and the naming.
        iris: One of `IRIS`.
    """
    entity, relation = _terms(given, iris)
    space = "\t" if iris == "freebase" else " "
    kg = given.kg
    for s, r, o in kg.labeled():
        yield f"{entity[s]}{space}{relation[r]}{space}{entity[o]}{space}."
    for known in given.client.entities:
        if known.name in kg.entity_ids:
            name, by = (known.name, _LABEL) if iris == "release" else (known.label, _NAME)
            yield f"{entity[known.name]}{space}{by}{space}{_literal(name)}{space}."
    if iris == "freebase":
        for name, types in _types(given):
            for type_ in types:
                yield f"{entity[name]}{space}{_TYPE}{space}<{FREEBASE}{type_}>{space}."


def sparql_in(given: ExportInput, iris: str) -> Callable[[str], str]:
    """A function that puts the IRIs of an export into the query of a question (`rulemine.query.sparql`)."""
    return _in_query(*_terms(given, iris))


def _in_query(entity: Mapping[str, str], relation: Mapping[str, str]) -> Callable[[str], str]:
    terms = {"entity": entity, "relation": relation}
    return partial(_IRI.sub, lambda found: terms[found[1]][unquote(found[2])])


def _terms(given: ExportInput, iris: str) -> tuple[dict[str, str], dict[str, str]]:
    """Entity → its term, relation → its term."""
    client = given.client
    if iris == "release":
        return (
            {e.name: f"<{entity_iri(e.name)}>" for e in client.entities},
            {name: f"<{relation_iri(name)}>" for name in client.relation},
        )
    return (
        {e.name: f"<{FREEBASE}{e.id}>" for e in client.entities},
        {name: f"<{FREEBASE}{mine}>" for name, mine in client.relation.items()},
    )


def _types(given: ExportInput) -> Iterator[tuple[str, list[str]]]:
    """The types of every entity of the graph."""
    found = types_of(given.kg)
    domain = domain_of(str(given.release.manifest["config"].get("kg", "")))
    names = relation_names(found.names, domain)
    for number, name in enumerate(given.kg.entities):
        types = sorted(names[label] for label in found.labels(found.of(number)))
        if all(type_.startswith(_UNSEEN) for type_ in types):
            types.append(_THING)
        yield name, types


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})


def _literal(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"@en'


_WIKIDATA = {"wd": "http://www.wikidata.org/entity/", "wdt": "http://www.wikidata.org/prop/direct/"}


@dataclass(frozen=True)
class SourceNames:
    """The IRIs and ids that the source of a graph has for its entities and relations, see above.

    Attributes:
        entity: Name in the naming of the export → IRI.
        relation: Relation → IRI.
        entity_id: Name in the naming of the export → the last part of its IRI, if no other has it.
        relation_id: Relation → the last part of its IRI, if no other has it.
    """

    entity: Mapping[str, str]
    relation: Mapping[str, str]
    entity_id: Mapping[str, str]
    relation_id: Mapping[str, str]

    @classmethod
    def of(cls, given: ExportInput) -> "SourceNames":
        """The names in an export."""
        client, own = given.client, given.naming != "private"
        entities = {name: FREEBASE + mine for name, mine in client.id.items()}
        relations = {name: FREEBASE + mine for name, mine in client.relation.items()}
        if own:
            iris = given.release.manifest["kg"].get("relation_iris", {})
            named = {e.name_in(given.naming): e.entity for e in given.release.entities}
            # Of a graph in RDF all entities are IRIs, whatever they look like.
            entities |= named if iris else _found(named, "wd")
            relations |= _found({name: name for name in relations}, "wdt") | iris
        return cls(entities, relations, _ids(entities), _ids(relations))

    def iris(self, triples: Iterable[Triple]) -> list[list[str]]:
        """Triples of IRIs."""
        return [[self.entity[s], self.relation[r], self.entity[o]] for s, r, o in triples]

    def ids(self, triples: Iterable[Triple]) -> list[list[str]]:
        """Triples of ids."""
        return [[self.entity_id[s], self.relation_id[r], self.entity_id[o]] for s, r, o in triples]

    @property
    def sparql(self) -> Callable[[str], str]:
        """A function that puts these IRIs into the query of a question, those of Wikidata with a prefix."""
        entity, relation = (
            {name: _term(iri) for name, iri in some.items()}
            for some in (self.entity, self.relation)
        )
        return _in_query(entity, relation)


def _found(names: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Those of some names that have an IRI in the source, by what the source calls them."""
    every = {
        name: _WIKIDATA[prefix] + known if re.fullmatch(r"[QP]\d+", known) else iri_of(known)
        for name, known in names.items()
    }
    found = {name: iri for name, iri in every.items() if iri}
    return found if len({*found.values()}) == len(found) else {}


def _ids(iris: Mapping[str, str]) -> dict[str, str]:
    short = {name: re.split(r"[/#]", iri)[-1] for name, iri in iris.items()}
    return short if len({*short.values(), ""}) == len(short) + 1 else dict(iris)


def _term(iri: str) -> str:
    short = (f"{p}:{iri.removeprefix(n)}" for p, n in _WIKIDATA.items() if iri.startswith(n))
    return next(short, f"<{iri}>")
