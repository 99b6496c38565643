"""Property graphs from RDF: literals are values of properties, and what Wikidata says of a statement too.

Types are those that the file states, induced ones where it states none; names are ``rdfs:label``. Of texts in
several languages those in the wanted one count, else in a variety of it, else without a language, else in
the first by name. Integers of every kind are int, decimals without a fraction too, other numbers float. A
``dateTime`` is the day that it is written with, whatever its zone; a ``gYear`` is an int. A literal without
such a value is `Strange`. What has a blank node at an end is left out.

Guarantee: the same triples give the same graph, whatever their order or the form of the file.
"""

import datetime
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rulemine.errors import InputError
from rulemine.kg.entity_types import states_type, types_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.observed import (
    SourceEdge,
    SourceNode,
    Strange,
    graph_of,
    one_type_each,
)
from rulemine.kg.property_graph.schema import Property, Schema
from rulemine.kg.rdf import (
    END_TIME,
    START_TIME,
    Iri,
    Statements,
    language_rank,
    last_part,
    parsed,
    relation_names,
)  # fmt: skip

__all__ = ["literal_value", "read_rdf"]

_XSD = "http://www.w3.org/2001/XMLSchema#"
_INTEGERS = frozenset(
    (
        "integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger",
        "nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort",
        "unsignedByte",
    )
)  # fmt: skip
_TEXTS = frozenset(("string", "langString", "normalizedString", "token", "anyURI", "language"))
_INTEGER = r"[+-]?[0-9]{1,40}"
_DECIMAL = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
_DOUBLE = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN"
_ZONE = r"(Z|[+-][0-9]{2}:[0-9]{2})?"
_DATE = rf"([+-]?[0-9]{{4,}})-([0-9]{{2}})-([0-9]{{2}})(T[0-9:.]+)?{_ZONE}"
_YEAR = rf"([+-]?[0-9]{{4,}}){_ZONE}"


class Text(NamedTuple):
    """A text with its language, in lower case; "": none."""

    text: str
    language: str


def literal_value(text: str, datatype: str, language: str = "") -> Any:
    """The value of a literal: an int, float, bool, date or `Text`; `Strange` if it has none.

    Args:
        text: As it is written.
        datatype: The IRI of its datatype.
        language: Its language; "": none.

    Example:
        >>> literal_value("2000-05-01T23:30:00-05:00", "http://www.w3.org/2001/XMLSchema#dateTime")
        datetime.date(2000, 5, 1)
    """
    kind = re.split("[/#]", datatype)[-1]
    if kind in _TEXTS:
        return Text(text, language.lower()) if text.strip() else Strange("empty", text)
    own = "integer" if kind in _INTEGERS else kind
    if own not in _READ or not datatype.startswith(_XSD):
        return Strange(f"of the datatype {kind}", text)
    pattern, read = _READ[own]
    found = re.fullmatch(pattern, text.strip())
    return read(found) if found else Strange(f"not written as {kind} is", text)


def _number(found: re.Match[str]) -> Any:
    if re.fullmatch(_INTEGER, found[0]):
        number = int(found[0])
        return number if -(2**63) <= number < 2**63 else Strange("of more than 64 bits", found[0])
    return float(found[0])


def _double(found: re.Match[str]) -> Any:
    number = float(found[0])
    return number if math.isfinite(number) else Strange("not finite", found[0])


def _date(found: re.Match[str]) -> Any:
    try:
        return datetime.date(*map(int, found.groups()[:3]))
    except ValueError:
        return Strange("dates out of bounds", found[0])


_READ: Mapping[str, tuple[str, Callable[[re.Match[str]], Any]]] = {
    "integer": (_INTEGER, _number),
    "decimal": (_DECIMAL, _number),
    "boolean": ("true|false|1|0", lambda found: found[0] in ("true", "1")),
    "gYear": (_YEAR, lambda found: int(found[1])),
    **dict.fromkeys(("double", "float"), (_DOUBLE, _double)),
    **dict.fromkeys(("date", "dateTime", "dateTimeStamp"), (_DATE, _date)),
}
"""Datatype → how its texts are written, and what makes a value of one."""


def in_language(values: Iterable[Any], wanted: str) -> tuple[Any, ...]:
    """Values, of their texts only those in the language that fits best, as plain texts; none twice."""
    values = list(values)
    ranks = [language_rank(value.language, wanted) for value in values if isinstance(value, Text)]
    best = min(ranks, default=None)
    kept = (
        value.text if isinstance(value, Text) else value
        for value in values
        if not isinstance(value, Text) or language_rank(value.language, wanted) == best
    )
    return tuple(dict.fromkeys(kept))


_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_YEARS = {START_TIME: "start_year", END_TIME: "end_year"}


def read_rdf(
    path: Path,
    name: str,
    schema: Schema | None = None,
    left_out: Faults | None = None,
    *,
    names: Mapping[str, str] | None = None,
    language: str = "en",
    progress: Callable[[int, int], None] | None = None,
) -> PropertyGraph:
    """The property graph of a file; ids are IRIs.

    Args:
        path: N-Triples or Turtle, plain, .gz or .zst.
        name: The name of the graph, where no schema says it.
        schema: What it does not have is left out; None: made of what the file states. Its `sources` are
            IRIs, their last parts, or the readable names that a draft has.
        left_out: Receives, by reason, what is left out.
        names: IRI → name, in place of labels.
        language: The language of texts, e.g. ``en``.
        progress: Called with how many bytes are read, of how many.

    Raises:
        InputError: The file is missing or no RDF, or no triple joins entities or states a type.
        ConfigError: See `rulemine.kg.property_graph.observed.graph_of`.
    """
    left_out = Faults() if left_out is None else left_out
    read = _Read(language.lower(), left_out)
    read.file(path, progress)
    called = read.called()
    timed = read.statements.timed()
    if schema is not None:
        timed = _timed(schema, called)
    read.resolve(timed.__contains__)
    triples = [(s, called[r], str(o)) for s, r, o, _ in read.facts]
    if not triples:
        raise InputError(
            f"{path}: no triple joins two entities or states a type; at least one was expected."
        )
    types = _types(KnowledgeGraph.from_triples(triples))
    for subject, property_ in sorted(read.literals):
        if subject not in types:
            left_out.add("values of what has neither type nor relation", f"{subject} {property_}")
    texts = read.texts()
    values: dict[str, dict[str, list[Any]]] = {}
    for (subject, property_), some in read.literals.items():
        values.setdefault(subject, {})[called[property_]] = some
    nodes = [
        SourceNode(
            entity,
            kinds,
            (names or {}).get(entity) or texts.get(entity) or last_part(entity),
            {key: in_language(some, read.language) for key, some in values.get(entity, {}).items()},
        )
        for entity, kinds in types.items()
    ]
    edges = []
    for s, r, o, more in read.facts:
        if not states_type(called[r]):
            qualifiers = {called[q]: in_language(some, read.language) for q, some in more.items()}
            edges.append(SourceEdge(called[r], s, str(o), qualifiers))
    given = {
        called[source]: Property(label, "int", sources=(called[source],))
        for source, label in _YEARS.items()
        if source in called
    }
    classes = {kind for kinds in types.values() for kind in kinds}
    order = sorted(classes, reverse=True)  # of two with one name, the first
    also_types = {texts[kind]: kind for kind in order if kind in texts}
    also_types |= {last_part(kind): kind for kind in order} | {kind: kind for kind in order}
    return graph_of(
        name, nodes, edges, schema, left_out,
        texts=texts, given=given, also=_also(called), also_types=also_types,
    )  # fmt: skip


def _types(kg: KnowledgeGraph) -> dict[str, tuple[str, ...]]:
    """Entity → its types: all that are stated, else the induced one."""
    found, one = types_of(kg), one_type_each(kg)
    stated = found.source.startswith("stated")
    return {
        entity: found.labels(found.of(kg.entity_ids[entity])) if stated else (kind,)
        for entity, kind in one.items()
    }


def _also(called: Mapping[str, str]) -> dict[str, str]:
    """Other names of properties → readable names: IRIs, and the last part of an IRI if no other has it."""
    last = {iri: iri.rstrip("/#").replace("#", "/").split("/")[-1] for iri in called}
    often = Counter(last.values())
    taken = set(called.values())
    short = {last[iri]: own for iri, own in called.items() if often[last[iri]] == 1}
    return {**called, **{key: own for key, own in short.items() if key not in taken}}


def _timed(schema: Schema, called: Mapping[str, str]) -> set[str]:
    """The properties of Wikidata to which a schema gives a start or an end."""
    also = _also(called)
    ends = {*_YEARS.values(), *(called.get(iri, iri) for iri in _YEARS)}
    names = {
        also.get(source, source)
        for row in schema.relations
        for own in row.properties
        if ends & {own.name, *(also.get(source, source) for source in own.sources)}
        for source in row.sources or (row.label,)
    }
    return {iri for iri, own in called.items() if own in names}


class _Read:
    """What a file states.

    Attributes:
        facts: Subject, predicate, object and qualifiers of what joins entities or states a type.
        literals: Subject and predicate → values.
        statements: Those of Wikidata.
    """

    def __init__(self, language: str, left_out: Faults) -> None:
        self.language = language
        self.facts: list[tuple[str, str, Iri, Mapping[str, tuple[Any, ...]]]] = []
        self.literals: dict[tuple[str, str], list[Any]] = {}
        self.statements = Statements()
        self._left_out = left_out
        self._labels: dict[str, tuple[tuple[int, str], str]] = {}
        self._plain: set[tuple[str, str, Iri]] = set()

    def file(self, path: Path, progress: Callable[[int, int], None] | None) -> None:
        """Reads a file."""
        import pyoxigraph as ox

        done, size = 0, path.stat().st_size if path.is_file() else 0

        def watch(block: bytes) -> None:
            nonlocal done
            done += len(block)
            if progress:
                progress(min(done, size), size)

        for quad in parsed(path, watch, self._left_out):
            s, p, o = quad.subject, quad.predicate.value, quad.object
            if not isinstance(s, ox.NamedNode) or not isinstance(o, ox.NamedNode | ox.Literal):
                self._left_out.add("triples with a blank node or a triple", f"{s} {p} {o}"[:200])
                continue
            value: Any = (
                literal_value(o.value, o.datatype.value, o.language or "")
                if isinstance(o, ox.Literal)
                else Iri(o.value)
            )
            if p == _LABEL and isinstance(value, Text):
                text = " ".join(value.text.split())
                found = language_rank(value.language, self.language), text
                self._labels[s.value] = min(found, self._labels.get(s.value, found))
            elif not self.statements.takes(s.value, p, value):
                self._state(s.value, p, value)

    def _state(self, subject: str, predicate: str, value: Any) -> None:
        if isinstance(value, Iri):
            self._plain.add((subject, predicate, value))
        else:
            self.literals.setdefault((subject, predicate), []).append(value)

    def resolve(self, timed: Callable[[str], bool]) -> None:
        """Converts statements to facts and values; for the arguments, see `Statements.made`."""
        for row in self.statements.made(timed):
            if isinstance(row.value, Iri):
                more = {
                    own: tuple(Strange("entities", v) if isinstance(v, Iri) else v for v in some)
                    for own, some in row.qualifiers.items()
                }
                self.facts.append((row.subject, row.property, row.value, more))
            else:
                self._state(row.subject, row.property, row.value)
        self.facts += [(*row, {}) for row in sorted(self._plain)]

    def called(self) -> dict[str, str]:
        """The readable name of every predicate."""
        used = {p for _, p, _ in self._plain} | {p for _, p in self.literals}
        return relation_names(used | self.statements.properties(), self.texts())

    def texts(self) -> dict[str, str]:
        """IRI → its label."""
        return {iri: text for iri, (_, text) in self._labels.items()}
