"""What question sets over Freebase share: the names of its entities, and SPARQL read as a query.

Names are those of Freebase's dump, ``m.0h3y`` and ``location.country.capital``, whatever the file or the
graph has: IRIs, ``ns:m.0h3y``, or ``/m/0h3y`` and ``/location/country/capital`` as FB15k-237 has them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rulemine.errors import NoTreeError, QueryError, counted
from rulemine.importing.protocol import ImportedQuestion
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.foreign.read_sparql import tree_with_limits
from rulemine.query.foreign.sparql_parsing import parse_leniently
from rulemine.query.oxigraph.rewriting import FREEBASE
from rulemine.query.tree import Anchor, Difference, Query

__all__ = [
    "answer_texts",
    "freebase_name",
    "freebase_query",
    "freebase_triples",
    "keep_label",
    "named_entities",
    "query_notes",
]

_SIMPLE = re.compile(r"/[^/.]+(/[^/.]+)+")
_TEXTS = re.compile(
    r"FILTER\s*\(\s*!isLiteral\(\?x\) OR lang\(\?x\) = '' OR langMatches\(lang\(\?x\), 'en'\)\s*\)"
)
"""What is true of every entity: the generated queries begin with it."""

_REASONS = {"FILTER !=": "a FILTER that two variables differ", "LIMIT": "a LIMIT"}
"""What `tree_with_limits` leaves out, in words."""

_UNEQUAL = re.compile(r"FILTER\s*\(\s*\?x\s*!=\s*ns:([mg]\.\w+)\s*\)")
_ENTITY = re.compile(r"\bns:([mg]\.\w+)")
_TYPES = re.compile(r"ns:(?:common\.topic\.notable_types|type\.object\.type)\s+ns:[mg]\.\w+")


def freebase_name(name: str) -> str:
    """The name in Freebase's dump of an entity or a relation; what is no name of Freebase stays.

    Example:
        >>> freebase_name("/m/0h3y"), freebase_name("ns:m.0h3y"), freebase_name("Algeria")
        ('m.0h3y', 'm.0h3y', 'Algeria')
    """
    name = name.removeprefix(FREEBASE).removeprefix("ns:")
    return name[1:].replace("/", ".") if _SIMPLE.fullmatch(name) else name


def freebase_triples(path: Path) -> list[Triple]:
    """The triples of a graph, with the names of Freebase's dump.

    Raises:
        InputError: The file holds no graph.
    """
    names: dict[str, str] = {}
    found: list[Triple] = []
    for triple in KnowledgeGraph.read(path).labeled():
        s, r, o = (names.setdefault(name, freebase_name(name)) for name in triple)
        found.append((s, r, o))
    return found


def named_entities(sparql: str) -> tuple[str, ...]:
    """The entities that a query names, each once, in its order; not those in FILTERs, and no types."""
    rest = _TYPES.sub("", _UNEQUAL.sub("", sparql))
    return tuple(dict.fromkeys(_ENTITY.findall(rest)))


def freebase_query(sparql: str) -> tuple[str, str]:
    """The query that a SPARQL of WebQSP or ComplexWebQuestions is, and what it lacks of it.

    What says that the answer is no text in another language is left out. ``FILTER (?x != ns:m.…)`` takes that
    entity from the answers; of a single link it is left out, because next to nothing is linked to itself. All
    else is kept, or there is no query: one that lacks a condition would have other answers.

    Args:
        sparql: The text; "" gives "" and "".

    Returns:
        The text of a query and ""; or "" and the reason why there is none.

    Example:
        >>> freebase_query("SELECT DISTINCT ?x WHERE { FILTER (?x != ns:m.0a) ns:m.0a ns:s ?y . ?y ns:t ?x }")
        ('(minus (p "t" (p "s" "m.0a")) "m.0a")', '')
    """
    if not sparql.strip():
        return "", ""
    text = _UNEQUAL.sub("", _TEXTS.sub("", sparql))
    try:
        tree, dropped = tree_with_limits(parse_leniently(text))
        if tree.size > 1:
            tree = _without(tree, dict.fromkeys(_UNEQUAL.findall(sparql)))
    except NoTreeError as problem:
        return "", problem.reason
    except QueryError:
        return "", "it cannot be read"
    if dropped:
        return "", _REASONS[dropped[0]]
    if '"\\"' in tree.text:
        return "", "a literal"
    names = re.compile(rf'"(?:ns:|{re.escape(FREEBASE)})')
    return names.sub('"', tree.text), ""


def _without(tree: Query, entities: Iterable[str]) -> Query:
    for entity in entities:
        tree = Difference(tree, Anchor(entity))
    return tree


def query_notes(questions: Sequence[ImportedQuestion]) -> list[str]:
    """What to say of the queries of a set; nothing if it has no SPARQL."""
    reasons = Counter(q.fields.get("query_lacks", "") for q in questions if q.sparql)
    if not reasons:
        return []
    read = reasons.pop("", 0)
    number = counted(read + reasons.total(), "SPARQL query", "SPARQL queries")
    notes = [f"{read:,} of {number} can be read as queries over links"]
    if reasons:
        some = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        why = ", ".join(f"{reason} ({number:,})" for reason, number in some)
        notes.append(f"the others have what such queries lack: {why}")
    return notes


def keep_label(labels: dict[str, str], entity: str | None, label: Any) -> None:
    """Keeps the first label of an entity that is a text."""
    if entity and isinstance(label, str) and label.strip():
        labels.setdefault(freebase_name(entity), label)


def answer_texts(value: Any) -> list[str]:
    """A text, a number or a list of them as texts, each once; all else is left out."""
    found = value if isinstance(value, list) else [value]
    some = (str(v) for v in found if isinstance(v, str | int | float) and not isinstance(v, bool))
    return [text for text in dict.fromkeys(some) if text]
