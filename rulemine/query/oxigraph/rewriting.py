"""Rewrites SPARQL as clients of Freebase send it into SPARQL that pyoxigraph answers.

Everything works by token, so nothing inside a literal, a comment or an IRI is touched:

- prefixed names become IRIs, ``ns:`` without a declaration too: pyoxigraph refuses two dots in a
  prefixed name (``ns:type.object.name``);
- ``regex(?v, …)`` becomes ``regex(str(?v), …)``: of an IRI it is an error in SPARQL 1.1 (17.4.3.14), so the
  row would be dropped;
- ``{ ?e p ?t FILTER(?e = x) }``, by which Think-on-Graph, Plan-on-Graph and Generate-on-Graph ask for a
  name, looks x up instead of going through every name.
"""

import re
from collections.abc import Sequence

from rulemine.errors import UserError

__all__ = ["FREEBASE", "RefusedQueryError", "rewrite"]

FREEBASE = "http://rdf.freebase.com/ns/"
"""What the prefix ``ns:`` stands for."""

_PREFIXES = {
    "ns": FREEBASE,
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Prefixes that need no declaration."""

_UPDATES = {"INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"}
_QUERIES = {"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"}

_REFUSED = {
    "SERVICE": "SERVICE would ask another server. Send that part of the query there yourself.",
    "FROM": "FROM names a graph; this endpoint has one, which needs no name. Leave FROM out.",
    "GRAPH": "GRAPH names a graph; this endpoint has one, which needs no name. Leave GRAPH out.",
}

_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?\#@%]"
_TOKEN = re.compile(
    rf"""
      (?P<space>\s+|\#[^\r\n]*)
    | (?P<iri><(?:[^<>"{{}}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*>)
    | (?P<string>\"\"\"(?:"{{0,2}}(?:[^"\\]|\\.))*\"\"\" | '''(?:'{{0,2}}(?:[^'\\]|\\.))*'''
        | "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*')
    | (?P<variable>[?$]\w+)
    | (?P<label>@[A-Za-z]+(?:-[A-Za-z0-9]+)*|_:\w(?:[\w.\-]*[\w\-])?)
    | (?P<name>(?P<prefix>(?:[^\W\d_](?:[\w.\-]{{0,200}}[\w\-])?)?):
        (?P<local>(?:(?:[\w:]|{_ESCAPED})(?:(?:[\w\-:.]|{_ESCAPED})*(?:[\w\-:]|{_ESCAPED}))?)?))
    | (?P<word>[^\W\d]\w*)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
"""The terminals of SPARQL 1.1 (19.8) as far as they matter here. A longer prefix would take a time that grows
with the square of a text of letters and dots."""

_BY_FILTER = re.compile(r"{ variable iri variable (?:\. )?FILTER \( variable = iri \) (?:\. )?}")


class RefusedQueryError(UserError):
    """A query that is not answered.

    Attributes:
        status: The status of HTTP that says so.
    """

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


def rewrite(query: str) -> str:
    """The query as pyoxigraph can answer it; an unreadable one may come out unreadable otherwise.

    Raises:
        RefusedQueryError: The query would change the graph, ask another server, or name a graph.

    Example:
        >>> rewrite('ASK { ?e ns:type.object.name "ns:x"@en } # ns:x')
        'ASK { ?e <http://rdf.freebase.com/ns/type.object.name> "ns:x"@en } # ns:x'
    """
    texts: list[str] = []
    kinds: list[str] = []  # of the tokens that mean something; for signs and words the token itself
    places: list[int] = []  # where in `texts` these are
    prefixes = dict(_PREFIXES)
    for found in _TOKEN.finditer(query):
        kind, text = str(found.lastgroup), found[0]
        if kind == "name":
            declared = kinds[-1:] == ["PREFIX"]
            if not declared and found["prefix"] in prefixes:
                local = re.sub(r"\\(.)", r"\1", found["local"])
                kind, text = "iri", f"<{prefixes[found['prefix']]}{local}>"
        elif kind == "iri" and kinds[-2:] == ["PREFIX", "name"]:
            prefixes[texts[places[-1]].removesuffix(":")] = text[1:-1]
        if kind != "space":
            kinds.append(text.upper() if kind == "word" else text if kind == "other" else kind)
            places.append(len(texts))
        texts.append(text)
    _refuse(kinds)
    for i in range(len(kinds) - 3):
        if kinds[i : i + 4] == ["REGEX", "(", "variable", ","]:
            texts[places[i + 2]] = f"str({texts[places[i + 2]]})"
    _look_up(texts, kinds, places)
    return "".join(texts)


def _refuse(kinds: Sequence[str]) -> None:
    """Refuses what is no query of this one graph.

    Raises:
        RefusedQueryError: See `rewrite`.
    """
    verbs = [kind for kind in kinds if kind in _QUERIES | _UPDATES]
    if verbs and verbs[0] in _UPDATES:
        raise RefusedQueryError(
            f"{verbs[0]} would change the graph, and this endpoint only reads. Change the file that the "
            "graph comes from.",
            403,
        )
    for kind in kinds:
        if kind in _REFUSED:
            raise RefusedQueryError(_REFUSED[kind])


def _look_up(texts: list[str], kinds: Sequence[str], places: Sequence[int]) -> None:
    """Puts VALUES in the place of a FILTER that names the subject of the one pattern beside it.

    The subject is bound by the pattern, and an IRI equals itself alone: the rows are the same.
    """
    line = " ".join(kinds)
    starts = {0: 0}  # of a token in the line → its number
    at = 0
    for number, kind in enumerate(kinds):
        starts[at] = number
        at += len(kind) + 1
    for found in _BY_FILTER.finditer(line):
        first = starts[found.start()]
        own = places[first : first + found[0].count(" ") + 1]
        start = next(i for i, place in enumerate(own) if texts[place].upper() == "FILTER")
        subject, tested, wanted = texts[own[1]], texts[own[start + 2]], texts[own[start + 4]]
        if subject == tested:
            for place in own[start:-1]:
                texts[place] = ""
            texts[own[0]] = f"{{ VALUES {subject} {{ {wanted} }}"
