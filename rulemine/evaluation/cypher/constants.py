"""Puts the constants of a predicted query into the letters of the graph (`rulemine.evaluation.spelling`)."""

from collections.abc import Iterator

from rulemine.cypher.language.elements import meant
from rulemine.cypher.language.syntax import CypherError
from rulemine.cypher.language.tokens import Tokens
from rulemine.cypher.questions.render import quoted_value
from rulemine.evaluation.spelling import Spelling
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = ["spelled", "spelling_of"]


def spelling_of(graph: PropertyGraph | None) -> Spelling:
    """The letters of the names and texts of a graph; of a graph that is not known, none."""
    return Spelling(() if graph is None else _texts(graph))


def spelled(query: str, spelling: Spelling) -> str:
    r"""A query with its constants in the letters of a graph; what is no Cypher stays as it is.

    Example:
        >>> found = spelled("MATCH (n {name: 'P\u00e9ry'}) RETURN n.id", Spelling(["Pe\u0301ry"]))
        >>> found == 'MATCH (n {name: "Pe\u0301ry"}) RETURN n.id'
        True
    """
    if query.isascii() and "\\u" not in query:
        return query
    try:
        tokens = Tokens(query).tokens
    except CypherError:
        return query
    for token in reversed(tokens):
        if token.kind == "string":
            text = meant(token.text)
            if (own := spelling.of_part(text)) != text:
                query = query[: token.start] + quoted_value(own) + query[token.end :]
    return query


def _texts(graph: PropertyGraph) -> Iterator[str]:
    for node in graph.nodes:
        yield node.name
        yield node.id
    for properties in (thing.properties for part in (graph.nodes, graph.edges) for thing in part):
        for value in properties.values():
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, str):
                    yield item
