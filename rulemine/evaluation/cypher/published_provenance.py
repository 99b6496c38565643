"""What CypherBench's public program takes for the provenance of a query (github.com/megagonlabs/cypherbench).

It reads the text by patterns, not as Cypher: clauses are words in capitals wherever they stand, an arm counts
only if it begins with MATCH, a node only if it has a variable, or one label of letters alone; what follows
the clauses that match is never run. The queries written here bind the same nodes. For comparison with
published figures; `rulemine.cypher.language.provenance` reads Cypher.
"""

import re
from itertools import count

__all__ = ["published_provenance"]

_WORDS = (
    *("MATCH", "OPTIONAL MATCH", "WHERE", "RETURN", "UNION", "WITH", "CREATE", "SET", "DELETE"),
    *("MERGE", "UNWIND", "ORDER BY", "LIMIT", "SKIP", "FOREACH", "CALL", "YIELD"),
)
_CLAUSE = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b")
_UNION = re.compile(r"\bUNION\b")
_IN_CALL = re.compile(r"CALL\s*\{(?P<arms>.*?)\}\s*(?:WITH|RETURN|WHERE|UNWIND)", re.DOTALL)
_MATCHING = ("MATCH", "OPTIONAL MATCH")
_BARE_EDGE = re.compile(r"\[(?=:.*?\])")
_BARE_NODE = re.compile(r"\((?=:[A-Za-z]+(?:\s*\{.*?\})?\))")
_NODE = re.compile(r"\((\w+)(?:\)|:[^)]*)")
_MAP = re.compile(r"\{[^}]*\}")


def published_provenance(query: str) -> str | None:
    """A query for the nodes that the public program says a query binds; None: none.

    Example:
        >>> print(published_provenance("MATCH (n:City)-[:inCountry]->(:Country) RETURN n.name"))
        MATCH (n:City)-[edge_0:inCountry]->(node_0:Country)
        WITH collect(DISTINCT elementId(n)) + collect(DISTINCT elementId(node_0)) AS ids
        UNWIND ids AS id RETURN id
        >>> published_provenance("match (n:City) return n.name")
    """
    text, inside = query.strip(), None
    if text.startswith("CALL"):
        inside = _IN_CALL.search(query)
        arms = _UNION.split(inside["arms"]) if inside else [text]
    else:
        arms = _UNION.split(query)
    return "\nUNION\n".join(filter(None, (_of_arm(arm.strip()) for arm in arms))) or None


def _of_arm(arm: str) -> str:
    """The query of an arm; "" where the program sees none."""
    if not arm.startswith("MATCH"):
        return ""
    kept: list[str] = []
    for clause in _clauses(arm):
        if clause.startswith("WITH"):
            if " as " in clause.lower():
                break
            clause = "WITH *"
        elif not clause.startswith((*_MATCHING, "WHERE")):
            break
        kept.append(clause)
    while kept and kept[-1] == "WITH *":
        kept.pop()
    edge, node = count(), count()
    named: list[str] = []
    for clause in kept:
        if clause.startswith(_MATCHING):
            clause = _BARE_EDGE.sub(lambda _: f"[edge_{next(edge)}", clause)
            clause = _BARE_NODE.sub(lambda _: f"(node_{next(node)}", clause)
        named.append(clause)
    matched = " ".join(named)
    variables = sorted(
        {
            variable
            for clause in _clauses(_MAP.sub("{}", matched))
            if clause.startswith(_MATCHING)
            for variable in _NODE.findall(clause)
        }
    )
    ids = " + ".join(f"collect(DISTINCT elementId({variable}))" for variable in variables) or "[]"
    return f"{matched}\nWITH {ids} AS ids\nUNWIND ids AS id RETURN id"


def _clauses(text: str) -> list[str]:
    """A text cut before each word of clauses; what stands before the first goes."""
    starts = [found.start() for found in _CLAUSE.finditer(text)]
    return [text[a:b].strip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
