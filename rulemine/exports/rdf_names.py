"""A graph of a release as N-Triples, with the IRIs of the release or with those of Freebase.

- ``release``: ``<entity:NAME>`` and ``<relation:NAME>``, as the ``sparql`` of questions has them
  (`rulemine.query.sparql`), and ``rdfs:label``;
- ``freebase``: ``ns:m.e00039`` and ``ns:people.person_place_of_birth``, ``type.object.name`` and
  ``type.object.type``, for programs that were written for Freebase; a tab between terms, as in its dump.

Names are in English (``"…"@en``), as programs ask for them. Guarantees: the same graph gives the same lines;
types are those of the graph at hand, so that an incomplete one gives nothing away.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import unquote

from rulemine.exports.client_names import domain_of, relation_names
from rulemine.exports.protocol import ExportInput
from rulemine.kg.entity_types import types_of
from rulemine.query.oxigraph.rewriting import FREEBASE
from rulemine.query.sparql import entity_iri, relation_iri

__all__ = ["IRIS", "sparql_in", "triples"]

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
    """What gives a query of a question (`rulemine.query.sparql`) the IRIs of an export."""
    entity, relation = _terms(given, iris)
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


def _literal(text: str) -> str:
    for sign, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(sign, escaped)
    return f'"{text}"@en'
