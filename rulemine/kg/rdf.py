"""Reading triples from RDF: N-Triples, N-Quads, Turtle, TriG, N3, RDF/XML and JSON-LD.

- Entities keep their IRIs as names. Their labels are ``rdfs:label``, else a name or title, else the last part
  of the IRI; their aliases are ``skos:altLabel`` and the like, in the language that fits best.
- Relations get readable names: see `relation_names`.
- Literals are no entities, and a blank node has no name by which a question could ask for it: triples with
  either are counted and left out, as are those with a triple as an end.
- A triple that is described by a node of its own (``rdf:Statement``, the full statements of Wikidata) is read
  as that triple; what else such a node of Wikidata says is left out.

Guarantees: the same triples give the same names, whatever their order, the prefixes of the file, or its
format; no two relations share a name.
"""

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from rulemine.errors import InputError
from rulemine.files import read_blocks
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.values import Measured, Strange

if TYPE_CHECKING:  # loaded when a file in RDF is read
    import pyoxigraph

__all__ = [
    "END_TIME",
    "FORMATS",
    "NOT_IN_FORMAT",
    "START_TIME",
    "ClaimedFact",
    "Iri",
    "RdfReader",
    "Statements",
    "iri_of",
    "is_rdf",
    "language_rank",
    "last_part",
    "parsed",
    "read_names",
    "relation_names",
]

FORMATS = {
    ".nt": "N_TRIPLES", ".nq": "N_QUADS", ".ttl": "TURTLE", ".trig": "TRIG", ".n3": "N3", ".rdf": "RDF_XML",
    ".owl": "RDF_XML", ".jsonld": "JSON_LD",
}  # fmt: skip
"""End of a file's name → the format, as pyoxigraph calls it."""

_ROWS = 1 << 16
_FREEBASE = "http://rdf.freebase.com/ns/"

_LABELS = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "https://schema.org/name",
    "http://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)
"""What a label is stated by, the best one first."""

_OTHER_NAMES = (
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "https://schema.org/alternateName",
    "http://schema.org/alternateName",
    "http://xmlns.com/foaf/0.1/nick",
    "http://purl.org/dc/terms/alternative",
    f"{_FREEBASE}common.topic.alias",
)
"""What other names are stated by."""

DIRECT, _ENTITY = "http://www.wikidata.org/prop/direct/", "http://www.wikidata.org/entity/"
"""Wikidata uses a property under the first name, and gives it its label under the second."""

START_TIME, END_TIME = f"{DIRECT}P580", f"{DIRECT}P582"

_PROPERTY = re.compile(r"http://www\.wikidata\.org/prop/(?:([a-z/-]+)/)?(P[0-9]+)")
_OF_A_PROPERTY = re.compile(rf"{_ENTITY}P[0-9]+")
_ONTOLOGY = "http://wikiba.se/ontology#"
_PAGES = "https://www.wikidata.org/wiki/Special:EntityData/"
_NO_VALUE = "http://www.wikidata.org/prop/novalue/"
_DERIVED = "http://www.w3.org/ns/prov#wasDerivedFrom"
_TAKEN = ("", "direct", "statement", "statement/value", "qualifier", "qualifier/value")
"""What IRIs of properties have after ``prop/`` if they are read; references and normalized values are not."""
_DAY, _MONTH, _YEAR = 11, 10, 9
"""Precisions of dates; finer ones are hours and less."""

_UNITS = {
    "Q199": "", "Q11573": "m", "Q828224": "km", "Q174728": "cm", "Q174789": "mm", "Q3710": "ft",
    "Q218593": "inch", "Q253276": "mile", "Q25343": "m ** 2", "Q712226": "km ** 2", "Q35852": "hectare",
    "Q81292": "acre", "Q232291": "mile ** 2", "Q11570": "kg", "Q41803": "g", "Q191118": "metric_ton",
    "Q100995": "lb", "Q11574": "s", "Q7727": "minute", "Q25235": "hour", "Q573": "day", "Q577": "year",
    "Q11582": "liter", "Q25517": "m ** 3", "Q4243638": "km ** 3", "Q25236": "W", "Q6982035": "MW",
    "Q180154": "km / hour", "Q182429": "m / s",
}  # fmt: skip
"""Entities that are units → what ``pint`` calls them."""

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_TYPE, _STATEMENT = f"{_RDF}type", f"{_RDF}Statement"
_PARTS = (f"{_RDF}subject", f"{_RDF}predicate", f"{_RDF}object")

_PREFIXES = {
    "http://dbpedia.org/ontology/": "dbo:",
    "http://dbpedia.org/property/": "dbp:",
    "http://schema.org/": "schema:",
    "https://schema.org/": "schema:",
    _RDF: "rdf:",
}
"""Vocabularies by whose names `rulemine.phrasing.derive` knows which end of a relation plays the role."""

NOT_IN_FORMAT = "statements that are not"
"""What is left out of a file because it is not in its format, as `Faults` count it; the format follows."""

_MARK = b"\xef\xbb\xbf"


def is_rdf(path: str | Path) -> bool:
    """Whether a file holds RDF, by its name, such as ``.nt`` or ``.ttl.gz``."""
    return _suffix(path) in FORMATS


def _suffix(path: str | Path) -> str:
    name = Path(path).name.removesuffix(".gz").removesuffix(".zst")
    return Path(name).suffix.lower()


class RdfReader:
    """Reads the triples of files, and on the way what the relations are called.

    Attributes:
        left_out: What is not in the graph, counted; with the first lines that are not in the file's format.
    """

    def __init__(self) -> None:
        self.left_out = Faults()
        self._texts: dict[str, tuple[int, tuple[int, str], str]] = {}
        self._others: dict[str, tuple[tuple[int, str], set[str]]] = {}

    def fields(
        self, path: Path, watch: Callable[[bytes], object] | None = None
    ) -> Iterator[list[str]]:
        """The IRIs of a file's triples in file order: subject, relation, object, subject and so on.

        Triples that nodes of their own describe come last.

        Args:
            path: A file in RDF, plain, .gz or .zst.
            watch: Called with the bytes of the file as stored, as they are read.

        Yields:
            Blocks, a multiple of three each. They count only if no error follows.

        Raises:
            InputError: The file is missing, or is not in its format.
        """
        import pyoxigraph as ox

        block, left_out = list[str](), self.left_out.counts
        claims, parts = Statements(), defaultdict[object, dict[str, str]](dict)
        s: Any
        o: Any
        for s, predicate, o, _ in parsed(path, watch, self.left_out):
            p = predicate.value
            named = isinstance(o, ox.NamedNode)
            if named and (p in _PARTS or o.value == _STATEMENT):
                parts[s][p] = o.value
                left_out["triples about statements"] += 1
            elif (
                isinstance(s, ox.NamedNode)
                and _may_describe(p)
                and claims.takes(s.value, p, Iri(o.value) if named else str(o))
            ):
                left_out["triples about statements"] += 1
            elif isinstance(o, ox.Literal):
                left_out["triples with a literal"] += 1
                left_out["labels among these"] += p in _LABELS
                if isinstance(s, ox.NamedNode):
                    self._keep(s.value, p, o)
            elif isinstance(s, ox.NamedNode) and named:
                block += (s.value, p, o.value)
                if len(block) >= 3 * _ROWS:
                    yield block
                    block = []
            else:
                left_out["triples with a blank node"] += 1
        for own in parts.values():
            block += [own[p] for p in _PARTS] if own.keys() >= {*_PARTS} else ()
        for one in claims.made(lambda _: False):
            block += one[:3] if isinstance(one.value, Iri) else ()
        if block:
            yield block

    def _keep(self, iri: str, predicate: str, name: Any) -> None:
        """Keeps what is called best so far: ``rdfs:label`` before a name, English before others."""
        text = " ".join(name.value.split())
        rank = language_rank((name.language or "").lower(), "en")
        if text and predicate in _LABELS:
            found = _LABELS.index(predicate), rank, text
            self._texts[iri] = min(found, self._texts.get(iri, found))
        elif text and predicate in _OTHER_NAMES:
            best, known = self._others.get(iri, (rank, set()))
            if rank <= best:
                self._others[iri] = rank, {text} if rank < best else {text, *known}

    @property
    def texts(self) -> dict[str, str]:
        """IRI → its label, of those that have one."""
        return {iri: text for iri, (_, _, text) in self._texts.items()}

    @property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """IRI → its other names, sorted, of those that have some."""
        texts = self.texts
        named = {iri: known - {texts.get(iri, "")} for iri, (_, known) in self._others.items()}
        return {iri: tuple(sorted(known)) for iri, known in named.items() if known}


def language_rank(language: str, wanted: str) -> tuple[int, str]:
    """How well a language fits, the least best: the wanted one, its varieties, none, then others by name."""
    if language == wanted:
        return 0, ""
    if language.startswith(f"{wanted}-"):
        return 1, language
    return (3, language) if language else (2, "")


@cache
def _may_describe(predicate: str) -> bool:
    """Whether a predicate may be of a statement of Wikidata; ``wdt:``, which states it outright, is not."""
    return not predicate.startswith(DIRECT) and predicate.startswith(
        ("http://www.wikidata.org/prop/", _ONTOLOGY, _DERIVED, _TYPE)
    )


def parsed(
    path: Path,
    watch: Callable[[bytes], object] | None,
    left_out: Faults,
) -> "Iterator[pyoxigraph.Quad]":
    """The triples of a file, in any graph; what is not in the file's format is left out.

    Args:
        path: A file in RDF, plain, .gz or .zst.
        watch: Called with the bytes of the file as stored, as they are read.
        left_out: What is not in the file's format is added to it.

    Raises:
        InputError: The file is missing, holds no triple, or more that is not in its format than is; or
            its format is RDF/XML or JSON-LD, and it has an error.
    """
    import pyoxigraph as ox

    form = getattr(ox.RdfFormat, FORMATS[_suffix(path)])
    stream: Any = _Stream(read_blocks(path, watch))
    quads, number, errors = ox.parse(stream, format=form), 0, list[str]()
    try:
        while True:
            try:
                for quad in quads:
                    number += 1
                    yield quad
                break
            except SyntaxError as problem:  # the parser goes on behind it
                reason = re.sub(
                    r"^Parser error (at line \d+ )?| \(line \d+\)$", "", str(problem.msg)
                )
                # A line that ends too soon is noticed at the start of the next.
                line = (problem.lineno or 1) - ("line jumps" in reason)
                errors.append(f"line {line} is not {form.name} ({reason})")
                left_out.add(f"{NOT_IN_FORMAT} {form.name}", errors[-1])
    except MemoryError as problem:  # of pyoxigraph's own buffer, whatever memory there is
        raise InputError(
            f"{path}: a term, such as a literal, is too long to be read ({problem}); at most 16 MiB were "
            "expected. Take it out: literals are left out anyway."
        ) from None
    if len(errors) >= max(1, number) or (errors and form.name in ("RDF/XML", "JSON-LD")):
        raise InputError(
            f"{path}: {errors[0]}. Correct it, or rename the file if it is in another format."
            + " Relative IRIs need an @base." * ("No scheme" in errors[0])
        )
    if not number:
        raise InputError(f"{path}: holds no triple; at least one was expected.")


class _Stream:
    """Blocks of bytes as a file that is read in pieces of any size."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(next(blocks, b"").removeprefix(_MARK))

    def read(self, size: int = -1) -> bytes:
        if not self._rest:
            self._rest = memoryview(next(self._blocks, b""))
        size = len(self._rest) if size < 0 else size
        piece, self._rest = self._rest[:size], self._rest[size:]
        return bytes(piece)


def relation_names(iris: Iterable[str], texts: Mapping[str, str]) -> dict[str, str]:
    """IRI → a readable name, for relations.

    The first of these that no other relation has: the path of Freebase or the prefixed name, in vocabularies
    with a convention; the label; the last part of the IRI; its last two parts; the IRI.

    Args:
        iris: The relations.
        texts: IRI → label.

    Example:
        >>> relation_names(["http://x/P19", "http://x/P20", "http://y/P20"], {"http://x/P19": "born in"})
        {'http://x/P19': 'born_in', 'http://x/P20': 'x:P20', 'http://y/P20': 'y:P20'}
    """
    ways = {
        iri: [*_ways(iri, texts.get(iri) or texts.get(iri.replace(DIRECT, _ENTITY), "")), iri]
        for iri in sorted(set(iris))
    }
    while True:
        taken = Counter(names[0] for names in ways.values())
        shared = [names for names in ways.values() if len(names) > 1 and taken[names[0]] > 1]
        if not shared:
            return {iri: names[0] for iri, names in ways.items()}
        for names in shared:
            del names[0]


def _ways(iri: str, text: str) -> Iterator[str]:
    if iri.startswith(_FREEBASE):
        yield "/" + iri.removeprefix(_FREEBASE).replace(".", "/")
    for namespace, prefix in _PREFIXES.items():
        if iri.startswith(namespace) and re.fullmatch(r"\w+", iri.removeprefix(namespace)):
            yield prefix + iri.removeprefix(namespace)
    parts = [unquote(part) for part in re.split(r"[/#:]+", iri) if part]
    for name in (text, parts[-1], ":".join(parts[-2:])):
        if name.strip():
            yield "_".join(name.split())


def iri_of(name: str) -> str:
    """The IRI that a name of an entity or a relation stands for, by its form alone; "" if none.

    Example:
        >>> iri_of("schema:parentTaxon"), iri_of("/m/0f8l9c"), iri_of("child_of")
        ('http://schema.org/parentTaxon', 'http://rdf.freebase.com/ns/m.0f8l9c', '')
    """
    if re.fullmatch(r"https?://[^\s<>\"{}|^`\\]+", name):
        return name
    if re.fullmatch(r"/\w+(/[\w.]+)+", name):
        return _FREEBASE + name[1:].replace("/", ".")
    for namespace, prefix in _PREFIXES.items():
        if name.startswith(prefix):
            return namespace + name.removeprefix(prefix)
    return ""


class Names(NamedTuple):
    """What a file calls things: IRI → label, of everything in it, and IRI → other names, of some."""

    labels: dict[str, str]
    aliases: dict[str, tuple[str, ...]]


def read_names(path: Path) -> Names:
    """The names in a file; what has no label is called as the last part of its IRI.

    Raises:
        InputError: As `RdfReader.fields`.
    """
    return _names(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=1)  # labels and aliases are asked for one after the other
def _names(path: Path, _written: int) -> Names:
    reader = RdfReader()
    blocks = ((*fields[::3], *fields[2::3]) for fields in reader.fields(path))
    found = {iri: last_part(iri) for iri in dict.fromkeys(chain.from_iterable(blocks))}
    return Names(found | reader.texts, reader.aliases)


def last_part(iri: str) -> str:
    """The last part of an IRI as words; the IRI itself if there is none."""
    words = unquote(re.split(r"[/#:]", iri.rstrip("/#:"))[-1]).replace("_", " ").split()
    return " ".join(words) or iri


class Iri(str):
    """An IRI; literals are of other types."""

    __slots__ = ()


class ClaimedFact(NamedTuple):
    """A statement: a property by the IRI of its ``wdt:``, and qualifiers by theirs → their values."""

    subject: str
    property: str
    value: Any
    qualifiers: Mapping[str, tuple[Any, ...]]


class Statements:
    """Collects Wikidata's triples about statements: ranks, qualifiers, precision of dates, units of numbers.

    Of a property's statements those of the highest rank count, as in ``wdt:``; of a property with a start or
    an end (P580, P582) all that are not deprecated. Of a subject and property with such statements the
    ``wdt:`` triples are not used: these have neither qualifiers, precision nor unit. The format is that of
    Wikidata's RDF dumps (https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format).

    Values are `Iri` or those of `rulemine.kg.property_graph.rdf_graph.literal_value`.
    """

    def __init__(self) -> None:
        self._said = defaultdict[tuple[str, str, str], list[Any]](list)
        self._ranks: dict[str, str] = {}
        self._nodes = defaultdict[str, dict[str, Any]](dict)

    def takes(self, subject: str, predicate: str, value: Any) -> bool:
        """Takes a triple that is part of how Wikidata describes statements; False: it is none."""
        machinery = _OF_A_PROPERTY.fullmatch(subject)
        if found := _PROPERTY.fullmatch(predicate):
            kind = found[1] or ""
            if kind in _TAKEN and not machinery:
                self._said[kind, subject, DIRECT + found[2]].append(value)
            return True
        name = predicate.removeprefix(_ONTOLOGY)
        if name == "rank":
            self._ranks[subject] = str(value).removeprefix(_ONTOLOGY)
        elif name != predicate:
            self._nodes[subject][name] = value
        aside = machinery or subject.startswith(_PAGES) or predicate == _DERIVED
        return name != predicate or bool(aside) or str(value).startswith((_ONTOLOGY, _NO_VALUE))

    @cached_property
    def _qualifiers(self) -> dict[str, list[str]]:
        """Statement → the properties that qualify it, sorted; once all triples are taken."""
        found = defaultdict[str, list[str]](list)
        for kind, claim, property_ in sorted(self._said):
            if kind == "qualifier":
                found[claim].append(property_)
        return found

    def properties(self) -> set[str]:
        """All properties and qualifiers."""
        return {own for kind, _, own in self._said if kind in ("", "direct", "qualifier")}

    def timed(self) -> set[str]:
        """The properties of which a statement has a start or an end."""
        return {
            property_
            for (kind, _, property_), claims in self._said.items()
            if kind == ""
            and any({START_TIME, END_TIME} & {*self._qualifiers.get(c, ())} for c in claims)
        }

    def made(self, timed: Callable[[str], bool]) -> Iterator[ClaimedFact]:
        """The statements that count.

        Args:
            timed: Whether all statements of a property count that are not deprecated.
        """
        for (kind, subject, property_), values in self._said.items():
            if kind == "direct" and ("", subject, property_) not in self._said:
                yield from (ClaimedFact(subject, property_, value, {}) for value in values)
            if kind != "":
                continue
            claims = sorted(c for c in values if ("statement", c, property_) in self._said)
            ranks = [self._ranks.get(claim, "NormalRank") for claim in claims]
            known = {*ranks} - {"DeprecatedRank"}
            if "PreferredRank" in known and not timed(property_):
                known = {"PreferredRank"}
            for claim, rank in zip(claims, ranks, strict=True):
                if rank in known:
                    value = self._read("statement", claim, property_)[-1]
                    own = self._qualifiers.get(claim, ())
                    more = {name: self._read("qualifier", claim, name) for name in own}
                    yield ClaimedFact(subject, property_, value, more)

    def _read(self, kind: str, claim: str, property_: str) -> tuple[Any, ...]:
        """The values of a statement or qualifier, with precision or unit where they are stated."""
        nodes = [
            self._nodes.get(n, {}) for n in self._said.get((f"{kind}/value", claim, property_), ())
        ]
        precise = [node for node in nodes if node.keys() & {"timeValue", "quantityAmount"}]
        return tuple(map(_precise, precise)) or tuple(self._said[kind, claim, property_])


def _precise(node: Mapping[str, Any]) -> Any:
    """The value of a node that states a date with its precision, or a number with its unit."""
    if "quantityAmount" in node:
        amount, unit = node["quantityAmount"], str(node.get("quantityUnit", f"{_ENTITY}Q199"))
        known = _UNITS.get(unit.removeprefix(_ENTITY))
        if known is None and not isinstance(amount, Strange):
            return Strange("in a unit that is not known", f"{amount} {unit}")
        return amount if known is None or isinstance(amount, Strange) else Measured(amount, known)
    day, precision = node["timeValue"], node.get("timePrecision", _DAY)
    if not isinstance(day, datetime.date) or precision >= _DAY:
        return day
    return (
        day.year
        if precision == _YEAR
        else Strange(
            f"known to the {'month' if precision == _MONTH else 'decade or less'}", str(day)
        )
    )
