"""SPARQL parsed to its algebra by rdflib, and what can be said of a query before it is read.

Two ways: lenient, for queries of other data sets (``OR`` and ``AND`` of Virtuoso are ``||`` and ``&&``, a
prefix that is not declared is a known one or stands for itself), and strict, for queries that are to be run
as they are written.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rulemine.errors import BarredQueryError, QueryError

__all__ = ["MOST_CHARACTERS", "PREFIXES", "constants", "parse_leniently", "parse_strictly"]

MOST_CHARACTERS = 20_000
"""The longest query that is read."""

MOST_WORDS = 1_000
"""The most words and signs in a query: rdflib's time grows with the square of some of them."""

PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
}

_SHOWN = 40
"""Characters of the text that a message shows."""

_TOKEN = re.compile(
    r"""<[^<>"{}|^`\\\s]*>|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\#[^\n]*|[?$@]?[\w.:-]+|.""",
    re.DOTALL,
)
_PREFIX = re.compile(r"([^\W\d_][\w.-]*):")
_VIRTUOSO = {"OR": "||", "AND": "&& "}  # of the same length, so that columns stay

_BARRED = {"ServiceGraphPattern": "a SERVICE", "Graph": "a GRAPH", "GraphGraphPattern": "a GRAPH"}
"""Name in the algebra → what asks another server or another graph."""


def parse_leniently(text: str) -> Any:
    """The algebra of a query of another data set.

    Raises:
        QueryError: It is no SPARQL query, or too long or too deep.
    """
    tokens = _tokens(text)
    found = [_PREFIX.match(token) for token in tokens]
    prefixes = {m[1]: PREFIXES.get(m[1], m[0]) for m in found if m}
    return _parsed("".join(_VIRTUOSO.get(token, token) for token in tokens), prefixes)


def parse_strictly(text: str) -> Any:
    """The algebra of a query that is to be run, the patterns of EXISTS too.

    Raises:
        BarredQueryError: It would change a graph (an update, a LOAD), or asks another server (a SERVICE) or
            another graph (a FROM, a GRAPH).
        QueryError: As `parse_leniently`.
    """
    _tokens(text)
    try:
        whole = _parsed(text, {})
    except QueryError:
        if update := _update(text):
            raise BarredQueryError(update) from None
        raise
    try:
        _translate_exists(whole)
        names = {str(node.name) for node in _nodes(whole)}
    except RecursionError:
        raise _too_deep() from None
    if whole.algebra.datasetClause:
        raise BarredQueryError("a FROM")
    for barred in sorted(names & _BARRED.keys()):
        raise BarredQueryError(_BARRED[barred])
    return whole


def constants(algebra: Any, *, taken: bool = False) -> frozenset[str]:
    """Everything in a strictly parsed query that stands where an entity can.

    Args:
        algebra: The query.
        taken: Only what stands in MINUS or NOT EXISTS, whatever else the query has.

    Returns:
        IRIs as they are written, and literals of patterns and VALUES as SPARQL writes them; no relations.
    """
    from rdflib import Literal, URIRef

    if taken:
        inside = [n.p2 for n in _nodes(algebra) if n.name == "Minus"]
        inside += [n.graph for n in _nodes(algebra) if n.name == "Builtin_NOTEXISTS"]
        return frozenset().union(*map(constants, inside))
    found: set[str] = set()
    for node in _nodes(algebra):
        if node.name == "BGP":
            terms = [end for triple in node.triples for end in (triple[0], triple[2])]
        elif node.name == "values":
            terms = [term for row in node.res for term in row.values()]
        else:  # expressions; what they call is no entity
            terms = [term for term in _leaves(node) if isinstance(term, URIRef)]
        found.update(str(term) for term in terms if isinstance(term, URIRef))
        found.update(str(term.n3()) for term in terms if isinstance(term, Literal))
    return frozenset(found)


def _tokens(text: str) -> list[str]:
    if len(text) > MOST_CHARACTERS:
        raise QueryError(
            f"query: it has {len(text):,} characters; at most {MOST_CHARACTERS:,} of SPARQL are read. "
            "Ask less at once."
        )
    tokens: list[str] = _TOKEN.findall(text)
    words = sum(not token.isspace() for token in tokens)
    if words > MOST_WORDS:
        raise QueryError(
            f"query: it has {words:,} words and signs; at most {MOST_WORDS:,} of SPARQL are read. "
            "Ask less at once."
        )
    return tokens


def _parsed(text: str, prefixes: dict[str, str]) -> Any:
    from pyparsing import ParseException
    from rdflib.plugins.sparql.algebra import translateQuery
    from rdflib.plugins.sparql.parser import parseQuery

    try:
        with _quiet():
            return translateQuery(parseQuery(text), initNs=prefixes)
    except ParseException as problem:
        rest = " ".join(text[problem.loc : problem.loc + _SHOWN].split()) or "the end"
        place = f"line {problem.lineno}, " * ("\n" in text) + f"column {problem.column}"
        raise QueryError(f"query: {place}: no SPARQL from here on: {rest}") from None
    except RecursionError:
        raise _too_deep() from None
    except Exception as problem:  # noqa: BLE001 - rdflib raises `Exception` itself
        raise QueryError(f"query: no SPARQL: {problem}.") from None


def _too_deep() -> QueryError:
    return QueryError(
        "query: nested too deep, or too many patterns, for the parser of SPARQL. Ask less at once."
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps rdflib from logging literals that do not fit their type, such as the 31st of April."""
    logger = logging.getLogger("rdflib.term")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _update(text: str) -> str:
    """What kind of update a text is; empty: none."""
    from rdflib.plugins.sparql.parser import parseUpdate

    try:
        with _quiet():
            steps = parseUpdate(text).request or []
    except Exception:  # noqa: BLE001 - as above
        return ""
    return "a LOAD" if any(s.name == "Load" for s in steps) else "an update" if steps else ""


def _translate_exists(node: Any) -> None:
    """Translates the patterns of EXISTS, which rdflib leaves until a query is run."""
    from rdflib.plugins.sparql.algebra import translateGroupGraphPattern

    for inner in list(_nodes(node)):
        if inner.name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
            inner["graph"] = translateGroupGraphPattern(inner.graph)
            _translate_exists(inner["graph"])


def _nodes(what: Any) -> Iterator[Any]:
    """All nodes of an algebra."""
    if hasattr(what, "name"):
        yield what
    for part in _parts(what):
        yield from _nodes(part)


def _leaves(node: Any) -> Iterator[Any]:
    """The terms that stand in a node itself."""
    for part in _parts(node):
        if isinstance(part, list | tuple | set):
            yield from (term for term in part if isinstance(term, str))
        elif isinstance(part, str):
            yield part


def _parts(what: Any) -> Iterator[Any]:
    if hasattr(what, "name"):
        for key, part in what.items():
            if key not in ("_vars", "iri"):
                yield part
    elif isinstance(what, dict):
        yield from what.values()
    elif isinstance(what, list | tuple | set):
        yield from what
    elif hasattr(what, "algebra"):
        yield what.algebra
