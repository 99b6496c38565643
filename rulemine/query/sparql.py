"""Queries in SPARQL 1.1, on one line.

Entities are IRIs ``entity:NAME``, relations ``relation:NAME``, with the names percent-encoded in UTF-8
(letters, digits and ``_.-~`` are as they are). Answers are bound to ``?answer``, a count to ``?value``.
"""

from functools import lru_cache
from itertools import count
from urllib.parse import quote

from rulemine.query.tree import (
    Anchor,
    Count,
    Difference,
    Intersection,
    Projection,
    Query,
    Union,
)

__all__ = ["entity_iri", "relation_iri", "to_sparql"]


def entity_iri(label: str) -> str:
    """The IRI of an entity.

    Example:
        >>> entity_iri("Zoë B.")
        'entity:Zo%C3%AB%20B.'
    """
    return f"entity:{_encoded(label)}"


def relation_iri(label: str) -> str:
    """The IRI of a relation."""
    return f"relation:{_encoded(label)}"


@lru_cache(maxsize=1 << 16)  # names are few and queries many
def _encoded(label: str) -> str:
    # Half a surrogate pair, which JSON can hold, becomes an IRI that no graph has.
    return quote(label, safe="", errors="surrogatepass")


def to_sparql(query: Query) -> str:
    """The query in SPARQL.

    Example:
        >>> from rulemine.query import parse
        >>> to_sparql(parse('(p "r" (p- "s" "e1"))'))
        'SELECT DISTINCT ?answer WHERE { ?v1 <relation:s> <entity:e1> . ?v1 <relation:r> ?answer . }'
    """
    counts = isinstance(query, Count)
    select = "(COUNT(DISTINCT ?answer) AS ?value)" if counts else "DISTINCT ?answer"
    return f"SELECT {select} WHERE {{ {_Writer().pattern(query, '?answer')} }}"


class _Writer:
    def __init__(self) -> None:
        self._number = count(1)

    def pattern(self, query: Query, variable: str) -> str:
        """The patterns that bind a variable to the entities of a query."""
        if isinstance(query, Projection):
            return self._steps([query], variable)
        if isinstance(query, Intersection):
            return " ".join(self._group(part, variable) for part in query.parts)
        if isinstance(query, Union):
            arms = self._arms(query, variable)
            return " UNION ".join(f"{{ {arm} }}" for arm in arms) if len(arms) > 1 else arms[0]
        if isinstance(query, Difference):
            of, minus = self._group(query.of, variable), self.pattern(query.minus, variable)
            return f"{of} MINUS {{ {minus} }}"
        if isinstance(query, Count):
            return self.pattern(query.of, variable)
        return f"VALUES {variable} {{ <{entity_iri(query.entity)}> }}"

    def _group(self, query: Query, variable: str) -> str:
        """Patterns that may stand beside others: MINUS and UNION in a group of their own."""
        text = self.pattern(query, variable)
        return f"{{ {text} }}" if isinstance(query, Union | Difference) else text

    def _arms(self, query: Union, variable: str) -> list[str]:
        """The arms of a union; projections of one operand are one arm, with a path of alternatives."""
        groups: dict[str, list[Query]] = {}
        for part in query.parts:
            key = part.of.text if isinstance(part, Projection) else ""
            groups.setdefault(f"{type(part).__name__} {key or part.text}", []).append(part)
        return [
            self._steps([p for p in group if isinstance(p, Projection)], variable)
            if isinstance(group[0], Projection)
            else self.pattern(group[0], variable)
            for group in groups.values()
        ]

    def _steps(self, group: list[Projection], variable: str) -> str:
        """Projections of one operand, one of which must hold."""
        of = group[0].of
        if isinstance(of, Anchor):
            below, start = "", f"<{entity_iri(of.entity)}>"
        else:
            start = f"?v{next(self._number)}"
            below = self._group(of, start) + " "
        if len(group) == 1:
            ends = (variable, start) if group[0].inverse else (start, variable)
            path = f"<{relation_iri(group[0].relation)}>"
        else:
            ends = start, variable
            path = "|".join("^" * p.inverse + f"<{relation_iri(p.relation)}>" for p in group)
            path = f"({path})"
        return f"{below}{ends[0]} {path} {ends[1]} ."
