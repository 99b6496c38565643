"""Relations of an own graph that are not asked about: ids, dates, addresses, images and the like.

They are known by their names, by phrase books, and by their objects. Guarantees: a function of the graph
alone; each relation has one reason; a graph whose entities are all numbers keeps its relations.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from rulemine.kg.entity_types import states_type
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.books import known_tables
from rulemine.phrasing.relation_names import words_of

__all__ = ["kept_out", "mute_relations"]

_BY_NAME: tuple[tuple[str, str], ...] = (
    (
        r"(ids?|identifiers?|isbn|issn|doi|isni|viaf|imdb|isin|iata|icao|ticker|codes?)$",
        "an identifier, which nobody can infer",
    ),
    (
        r"(dates?|years?|time|timestamp)$|(date|year|time|point|day) (of|in) \w+|inception$",
        "a date, which is no thing to ask for",
    ),
    (
        r"(images?|picture|photo|photograph|logo|icon|thumbnail|depiction|signature|audio|img)$"
        r"|(image|picture|logo|audio|video) (of|file|url)\b|(locator|location|relief) map$",
        "an image or a recording",
    ),
    (
        r"(url|uri|website|homepage|webpage|email|mail|phone|telephone|fax|address)$",
        "an address, not a fact",
    ),
    (r"(gender|sex)$|(gender|sex) or \w+$", "the answer is one of a few"),
    (
        r"(comment|abstract|alias|aliases|description|caption|nickname)$|also known as$|surname$|^name$"
        r"|(native|birth|given|first|last|family|full|official|short|alternative|pref|alt) (name|label)$",
        "a name, which says itself",
    ),
    (
        r"^(same as|see also|is defined by|exact match|close match|was derived from|different from)$"
        r"|(main category|commons category|webpage category|wiki page \w+|wikiproject|main template)$"
        r"|^(topics? s main|category for) ",
        "bookkeeping of a catalog",
    ),
    (
        r"(population|elevation|latitude|longitude|coordinates?|lat|long|geo|height|weight|mass|width)$"
        r"|(runtime|duration|budget|revenue|income|price)$",
        "a quantity, not a thing",
    ),
)
"""What the words of a relation's name end in or are, and why it is not asked about."""

_LITERAL = {
    "numbers": re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?\s?%?|[-+]?\d[\d.,]*\s?[a-zA-Z]{1,4}"),
    "dates": re.compile(r"[-+]?\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?(T[\d:.+Z-]*)?|\d{1,2} [A-Z]\w+ \d{4}"),
    "addresses": re.compile(r"(https?://|www\.|mailto:)\S+\.(html?|jpe?g|png|svg|pdf|com|org|net)\S*|\S+@\S+"),
}  # fmt: skip

MOST = 0.8
"""This part of a relation's objects looks like it, and not of its subjects."""

LEAST_TRIPLES = 30
"""Fewer triples say too little of a relation."""


def kept_out(kg: KnowledgeGraph, names: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The relations that are not asked about, with the reasons, sorted by relation.

    Args:
        kg: The complete KG.
        names: Relation → what it is called, where that is not its own name.
    """
    sizes = dict(zip(kg.relations, kg.relation_sizes().tolist(), strict=True))
    found = _by_objects(kg)
    found |= {r: why for r in kg.relations if (why := _by_name(names.get(r, r)))}
    books = known_tables(kg.relations, {**names, **kg.relation_iris}, sizes)
    found |= {r: table.ask_reason for r, table in books.items() if table.ask == "none"}
    found = {r: why for r, why in found.items() if r not in books or books[r].ask == "none"}
    return dict(sorted(found.items()))


def mute_relations(kg: KnowledgeGraph, names: Mapping[str, str], named: str) -> frozenset[str]:
    """The relations whose values tell no homonyms apart, such as a gender.

    Args:
        kg: The complete KG.
        names: As of `kept_out`.
        named: The filter of the recipe; none but ``found`` says so.
    """
    kept = kept_out(kg, names) if named == "found" else {}
    return frozenset(relation for relation in kept if not states_type(relation))


def _by_name(relation: str) -> str:
    words = " ".join(word.lower() for word in words_of(relation))
    return next((why for pattern, why in _BY_NAME if re.search(rf"\b(?:{pattern})", words)), "")


def _by_objects(kg: KnowledgeGraph) -> dict[str, str]:
    """The relations whose objects look like literals, or are values of which nothing else is known."""
    degree = np.bincount(kg.triples[:, [0, 2]].reshape(-1), minlength=len(kg.entities))
    found = {}
    looks = {name: _looking(kg, pattern) for name, pattern in _LITERAL.items()}
    order = np.argsort(kg.triples[:, 1], kind="stable")
    starts = np.searchsorted(kg.triples[order, 1], np.arange(len(kg.relations) + 1))
    for number, relation in enumerate(kg.relations):
        subjects, _, objects = kg.triples[order[starts[number] : starts[number + 1]]].T
        for name, those in looks.items():
            if len(objects) and those[objects].mean() >= MOST > 1 - MOST >= those[subjects].mean():
                found[relation] = f"its objects are {name}"
        if len(objects) >= LEAST_TRIPLES and (degree[objects] == 1).mean() >= MOST:
            found.setdefault(
                relation, "nothing else is known of its objects: values of one thing each"
            )
    return found


def _looking(kg: KnowledgeGraph, pattern: re.Pattern[str]) -> npt.NDArray[np.bool_]:
    """Which entities look like it."""
    return np.array([pattern.fullmatch(entity) is not None for entity in kg.entities], bool)
