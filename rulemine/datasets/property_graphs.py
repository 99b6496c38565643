"""Property graphs by name or from a file."""

from collections.abc import Callable
from pathlib import Path

from rulemine.datasets.demo_graph import demo_graph
from rulemine.datasets.geonames import geography
from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.induced import from_triples
from rulemine.kg.property_graph.schema import Schema
from rulemine.kg.property_graph.simplekg import read_simplekg
from rulemine.kg.property_graph.tables import read_tables
from rulemine.kg.rdf import is_rdf, read_text_labels

__all__ = ["NAMED_GRAPHS", "load_property_graph"]

NAMED_GRAPHS: dict[str, Callable[[], PropertyGraph]] = {
    "demo": demo_graph,
    "geography": geography,
}
"""The graphs that can be asked for by name."""


def load_property_graph(
    source: str, schema: Schema | None = None, left_out: Faults | None = None
) -> PropertyGraph:
    """A property graph.

    Args:
        source: A name of `NAMED_GRAPHS`, or a file by its suffix, compressed or not: ``.json`` (SimpleKG),
            ``.toml`` (a schema with tables), ``.nt`` or ``.ttl`` (RDF), otherwise TSV triples.
        schema: Takes the place of the source's own, or of the draft made for triples.
        left_out: Receives what a schema for triples leaves out, and what of tables is no value.

    Raises:
        InputError: The file cannot be read, or contradicts the schema.
        ConfigError: A schema is given for a source that takes none, or is wrong.
        DatasetError: A package of a graph by name is not installed.
    """
    if source in NAMED_GRAPHS:
        if schema is not None:
            raise ConfigError(f"{source}: has its own schema and takes no other. Leave it out.")
        return NAMED_GRAPHS[source]()
    path = Path(source)
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix not in (".gz", ".zst")]
    if suffixes[-1:] == [".json"]:
        return read_simplekg(path, schema)
    if suffixes[-1:] == [".toml"]:
        if schema is not None:
            raise ConfigError(
                f"{source}: is a schema with tables and takes no other. Leave it out."
            )
        return read_tables(path, Faults() if left_out is None else left_out)
    names = read_text_labels(path) if is_rdf(path) else {}
    name = path.name.split(".")[0] or "graph"
    return from_triples(KnowledgeGraph.read(path), name, schema, names, left_out)
