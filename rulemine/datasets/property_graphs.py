"""Property graphs by name or from a file."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from rulemine.config import packaged
from rulemine.datasets.geonames import geography
from rulemine.datasets.labels import labels_of, parts_of_speech
from rulemine.datasets.registry import load_kg, load_labels
from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.induced import from_triples
from rulemine.kg.property_graph.rdf_graph import read_rdf
from rulemine.kg.property_graph.schema import NAME, Schema
from rulemine.kg.property_graph.simplekg import read_simplekg
from rulemine.kg.property_graph.tables import read_tables
from rulemine.kg.rdf import is_rdf
from rulemine.neo4j.reading import is_bolt, read_url
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.lexicon import PEOPLE
from rulemine.phrasing.templates import load_templates

__all__ = ["NAMED_GRAPHS", "load_property_graph"]

NAMED_GRAPHS: dict[str, Callable[[], PropertyGraph]] = {
    "demo": lambda: read_simplekg(packaged("datasets", "demo", "world.json.gz")),
    "geography": geography,
}
"""The graphs that can be asked for by name."""

_VAGUE = re.compile(r"^(thing|something)$| or |,")
"""Nouns that name no type."""

_BANDS_TOO = frozenset({"artist", "performer"})
"""Nouns of people that groups of people are, too."""

_BROADER = {"someone": "person", "film or show": "work"}
"""Noun → what other relations call the same entities."""


def load_property_graph(
    source: str,
    schema: Schema | None = None,
    left_out: Faults | None = None,
    labels: str = "",
    note: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    name_property: str = NAME,
    language: str = "en",
) -> PropertyGraph:
    """A property graph.

    Args:
        source: A name of `NAMED_GRAPHS`, or a file by its suffix, compressed or not: ``.json`` (SimpleKG),
            ``.toml`` (a schema with tables); the address of a server that speaks Bolt (see
            `rulemine.neo4j.reading`); otherwise triples, see `load_kg`.
        schema: Takes the place of the source's own, or of the draft made for triples.
        left_out: Receives, by reason, what is left out; None: `note` does, as a sentence.
        labels: What the entities of triples are called, see `load_labels`; "": by labels found beside their
            file, which name relations too (see `rulemine.datasets.labels`), in RDF by their own; ``none``: as
            in the triples.
        note: See `load_kg`.
        progress: Told how much of a database or of RDF is read, of how much.
        name_property: Which property the nodes of a database are called by.
        language: The language of texts in RDF.

    Raises:
        EndpointError: The server does not answer.
        InputError: The file cannot be read, or contradicts the schema.
        ConfigError: A schema or labels are given for a source that takes none, or are wrong.
        DatasetError: A package of a graph by name is not installed, or a data set is unknown.
    """
    faults = Faults() if left_out is None else left_out
    made = _loaded(source, schema, faults, labels, note, progress, name_property, language)
    if left_out is None and faults and note:
        note(
            f"{source}: left out: {faults.summary()}; rulemine graph check {source} shows examples."
        )
    return made


def _loaded(
    source: str,
    schema: Schema | None,
    left_out: Faults,
    labels: str,
    note: Callable[[str], None] | None,
    progress: Callable[[int, int], None] | None,
    name_property: str,
    language: str,
) -> PropertyGraph:
    if is_bolt(source) and not labels:
        return read_url(source, schema, left_out, name_property=name_property, progress=progress)
    if name_property != NAME:
        raise ConfigError(
            f"{source}: has names of its own; only nodes of a database are called by a property."
        )
    path = Path(source)
    if language != "en" and (source in NAMED_GRAPHS or not is_rdf(path)):
        raise ConfigError(
            f"{source}: only texts of RDF have languages, of which one can be chosen."
        )
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix not in (".gz", ".zst")]
    kind = suffixes[-1] if suffixes and source not in NAMED_GRAPHS else ""
    if labels and (is_bolt(source) or source in NAMED_GRAPHS or kind in (".json", ".toml")):
        raise ConfigError(f"{source}: has its own names and takes no labels. Leave them out.")
    if source in NAMED_GRAPHS:
        if schema is not None:
            raise ConfigError(f"{source}: has its own schema and takes no other. Leave it out.")
        return NAMED_GRAPHS[source]()
    if kind == ".json":
        return read_simplekg(path, schema)
    if kind == ".toml":
        if schema is not None:
            raise ConfigError(
                f"{source}: is a schema with tables and takes no other. Leave it out."
            )
        return read_tables(path, left_out)
    name = path.name.split(".")[0] or "graph"
    if is_rdf(path):
        names = load_labels(labels) if labels else {}
        return read_rdf(
            path, name, schema, left_out, names=names, language=language, progress=progress
        )
    kg = load_kg(source, note=note)
    found = labels_of(labels, source, kg, note or (lambda _text: None), beside=True)
    kg, texts = _with_readable(kg, found.relations), found.entities
    words = parts_of_speech(kg.entities)
    nouns = {} if words else _nouns(kg, texts)
    return from_triples(kg, name, schema, texts, left_out, nouns, words)


def _with_readable(kg: KnowledgeGraph, labels: Mapping[str, str]) -> KnowledgeGraph:
    """A graph whose relations are called by their labels, `place_of_birth`, where these differ."""
    called = {r: re.sub(r"\W+", "_", labels.get(r, "")).strip("_") or r for r in kg.relations}
    times = Counter(called.values())
    names = {r: text if times[text] == 1 else r for r, text in called.items()}
    return kg if len({*names.values()}) < len(names) else kg.with_relations(names)


def _nouns(kg: KnowledgeGraph, labels: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """What the words for relations call their ends, where that is one noun that says something."""
    found = {}
    for row in load_templates("", kg.relations, kg=kg, labels=lambda: labels).rows:
        for end, text in (("subject", row.describe_subject), ("object", row.describe_object)):
            noun = read_description(text).noun[0] if text else ""
            noun = "person" if noun in PEOPLE - _BANDS_TOO else _BROADER.get(noun, noun)
            if noun and not _VAGUE.search(noun):
                found[row.relation, end] = noun
    return found
