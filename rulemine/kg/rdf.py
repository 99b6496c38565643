"""Reading triples from N-Triples and Turtle.

- Entities keep their IRIs as names. Their labels are ``rdfs:label``, else a name or title, else the last part
  of the IRI.
- Relations get readable names: see `relation_names`.
- Literals are no entities, and a blank node has no name by which a question could ask for it: triples with
  either are counted and left out, as are those with a triple as an end.

Guarantees: the same triples give the same names, whatever their order, the prefixes of the file, or which of
the two formats it has; no two relations share a name.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from rulemine.errors import InputError
from rulemine.files import read_blocks

if TYPE_CHECKING:  # loaded when a file in RDF is read
    import pyoxigraph

__all__ = [
    "RdfReader",
    "iri_of",
    "is_rdf",
    "last_part",
    "parsed",
    "read_text_labels",
    "relation_names",
]

_FORMATS = {".nt": "N_TRIPLES", ".ttl": "TURTLE"}
_OTHERS = (".rdf", ".owl", ".n3", ".nq", ".trig", ".jsonld")
_ROWS = 1 << 16
_LABELS = {
    iri: place
    for place, iri in enumerate(
        (
            "http://www.w3.org/2000/01/rdf-schema#label",
            "http://www.w3.org/2004/02/skos/core#prefLabel",
            "https://schema.org/name",
            "http://schema.org/name",
            "http://xmlns.com/foaf/0.1/name",
            "http://purl.org/dc/terms/title",
            "http://purl.org/dc/elements/1.1/title",
        )
    )
}
"""What a label is stated by, the best one first."""
_FREEBASE = "http://rdf.freebase.com/ns/"

_USED, _DESCRIBED = "http://www.wikidata.org/prop/direct/", "http://www.wikidata.org/entity/"
"""Wikidata uses a property under the first name, and gives it its label under the second."""

_PREFIXES = {
    "http://dbpedia.org/ontology/": "dbo:",
    "http://dbpedia.org/property/": "dbp:",
    "http://schema.org/": "schema:",
    "https://schema.org/": "schema:",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
}
"""Vocabularies by whose names `rulemine.phrasing.derive` knows which end of a relation plays the role."""

_MARK = b"\xef\xbb\xbf"


def is_rdf(path: str | Path) -> bool:
    """Whether a file holds RDF, by its name, such as ``.nt`` or ``.ttl.gz``; not all forms can be read."""
    return _suffix(path) in (*_FORMATS, *_OTHERS)


def _suffix(path: str | Path) -> str:
    name = Path(path).name.removesuffix(".gz").removesuffix(".zst")
    return Path(name).suffix.lower()


class RdfReader:
    """Reads the triples of files, and on the way what the relations are called.

    Attributes:
        literals: Triples left out because of a literal, labels included.
        labels: Triples that state a label: ``rdfs:label``, a name or a title.
        blanks: Triples left out because of a blank node, or a triple as an end.
    """

    def __init__(self) -> None:
        self.literals = self.labels = self.blanks = 0
        self._texts: dict[str, tuple[int, int, str, str]] = {}

    def fields(
        self, path: Path, watch: Callable[[bytes], object] | None = None
    ) -> Iterator[list[str]]:
        """The IRIs of a file's triples in file order: subject, relation, object, subject and so on.

        Args:
            path: N-Triples or Turtle, plain, .gz or .zst.
            watch: Called with the bytes of the file as stored, as they are read.

        Yields:
            Blocks, a multiple of three each. They count only if no error follows.

        Raises:
            InputError: The file is missing, or a line cannot be read; the first one is named.
        """
        import pyoxigraph as ox

        block: list[str] = []
        for quad in parsed(path, watch):
            s, o = quad.subject, quad.object
            if isinstance(o, ox.Literal):
                self.literals += 1
                if (place := _LABELS.get(quad.predicate.value)) is not None:
                    self.labels += 1
                    if isinstance(s, ox.NamedNode):
                        self._keep(s.value, o, place)
            elif isinstance(s, ox.NamedNode) and isinstance(o, ox.NamedNode):
                block += (s.value, quad.predicate.value, o.value)
                if len(block) >= 3 * _ROWS:
                    yield block
                    block = []
            else:
                self.blanks += 1
        if block:
            yield block

    def _keep(self, iri: str, label: Any, place: int) -> None:
        """Keeps a label if it is the best so far: ``rdfs:label`` before a name, English before others."""
        text, language = " ".join(label.value.split()), (label.language or "").lower()
        rank = 0 if language == "en" else 1 if language.startswith("en-") else 3 if language else 2
        if text:
            found = (place, rank, language, text)
            self._texts[iri] = min(found, self._texts.get(iri, found))

    @property
    def texts(self) -> dict[str, str]:
        """IRI → its label, of those that have one."""
        return {iri: text for iri, (_, _, _, text) in self._texts.items()}


def parsed(path: Path, watch: Callable[[bytes], object] | None) -> "Iterator[pyoxigraph.Quad]":
    """The triples of a file; arguments as in `RdfReader.fields`.

    Raises:
        InputError: See `RdfReader.fields`.
    """
    import pyoxigraph as ox

    if _suffix(path) in _OTHERS:
        raise InputError(
            f"{path}: is RDF in a form that is not read; N-Triples (.nt) or Turtle (.ttl) was expected. "
            "Convert it, e.g. with riot --output=ntriples of Apache Jena."
        )
    kind = _FORMATS[_suffix(path)]
    stream: Any = _Stream(read_blocks(path, watch))
    any_line = False
    try:
        for quad in ox.parse(stream, format=getattr(ox.RdfFormat, kind)):
            any_line = True
            yield quad
    except SyntaxError as problem:
        name = {"N_TRIPLES": "N-Triples", "TURTLE": "Turtle"}[kind]
        hint = " Relative IRIs need an @base." if "No scheme" in str(problem.msg) else ""
        reason = re.sub(r"^Parser error (at line \d+ )?| \(line \d+\)$", "", str(problem.msg))
        # A line that ends too soon is noticed at the start of the next.
        line = (problem.lineno or 1) - ("line jumps" in str(problem.msg))
        raise InputError(
            f"{path}: line {line} is not {name} ({reason}). Correct it, or rename the file if it "
            f"is in another format.{hint}"
        ) from None
    except MemoryError as problem:  # of pyoxigraph's own buffer, whatever memory there is
        raise InputError(
            f"{path}: a term, such as a literal, is too long to be read ({problem}); at most 16 MiB were "
            "expected. Take it out: literals are left out anyway."
        ) from None
    if not any_line:
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
        iri: [*_ways(iri, texts.get(iri) or texts.get(iri.replace(_USED, _DESCRIBED), "")), iri]
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


def read_text_labels(path: Path) -> dict[str, str]:
    """IRI → label, of everything that a file names; without a label the last part of the IRI.

    Raises:
        InputError: As `RdfReader.fields`.
    """
    reader = RdfReader()
    found: dict[str, str] = {}
    for fields in reader.fields(path):
        found.update(dict.fromkeys((*fields[::3], *fields[2::3]), ""))
    for iri in found:
        found[iri] = last_part(iri)
    return found | reader.texts


def last_part(iri: str) -> str:
    """The last part of an IRI as words; the IRI itself if there is none."""
    words = unquote(re.split(r"[/#:]", iri.rstrip("/#:"))[-1]).replace("_", " ").split()
    return " ".join(words) or iri
