"""Entities and relations as the graph's source names them, for formats whose rows have IRIs or ids of it.

An entity has the IRI that the source gives it: its name, if that is one, or what an id of Wikidata (``Q38``)
or Freebase (``/m/0f8l9c``) stands for; a relation its IRI in a graph in RDF, or what its name stands for in
the same way. What has none, and everything in the naming ``private``, has the IRI of the SPARQL endpoint.
Guarantees: IRIs and ids are one-to-one.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote

from rulemine.exports.protocol import ExportInput
from rulemine.kg.graph import Triple
from rulemine.kg.rdf import iri_of
from rulemine.query.oxigraph.rewriting import FREEBASE

__all__ = ["SourceNames"]

_WIKIDATA = {"wd": "http://www.wikidata.org/entity/", "wdt": "http://www.wikidata.org/prop/direct/"}
_TERM = re.compile(r"<(entity|relation):([^<>]*)>")


@dataclass(frozen=True)
class SourceNames:
    """The names.

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
        """What gives a query of a question (`rulemine.query.sparql`) these IRIs, those of Wikidata short."""
        terms = {
            "entity": {name: _term(iri) for name, iri in self.entity.items()},
            "relation": {name: _term(iri) for name, iri in self.relation.items()},
        }
        return partial(_TERM.sub, lambda found: terms[found[1]][unquote(found[2])])


def _found(names: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Those of some names that have an IRI in the source, by what the source calls them."""
    found: dict[str, str] = {}
    for name, known in names.items():
        if re.fullmatch(r"[QP]\d+", known):
            found[name] = _WIKIDATA[prefix] + known
        elif iri := iri_of(known):
            found[name] = iri
    return found if len({*found.values()}) == len(found) else {}


def _ids(iris: Mapping[str, str]) -> dict[str, str]:
    short = {name: re.split(r"[/#]", iri)[-1] for name, iri in iris.items()}
    return short if len({*short.values(), ""}) == len(short) + 1 else dict(iris)


def _term(iri: str) -> str:
    for prefix, begins in _WIKIDATA.items():
        if iri.startswith(begins):
            return f"{prefix}:{iri.removeprefix(begins)}"
    return f"<{iri}>"
