"""What the clients of Freebase ask an endpoint, in their shapes, and how they read what comes.

Think-on-Graph ``ToG/freebase_func.py`` and Plan-on-Graph ``PoG/freebase_func.py``: relations, neighbors,
name. Generate-on-Graph ``src/kb_interface/freebase_func.py``: one hop, two hops, the relations between two,
names to ids; ``src/bm25_name2ids.py``: types, and the dump that it reads.
"""

import ast
from collections.abc import Callable, Iterable

NS = "http://rdf.freebase.com/ns/"
PREFIX = f"\nPREFIX ns: <{NS}>\n"

Rows = list[dict[str, dict[str, str]]]
Ask = Callable[[str], Rows]
"""Sends a query and returns the bindings."""


def plain(rows: Rows, name: str) -> list[str]:
    return [row[name]["value"].replace(NS, "") for row in rows]


def relations(ask: Ask, entity: str, incoming: bool, distinct: str = "") -> list[str]:
    ends = f"?x ?relation ns:{entity}" if incoming else f"ns:{entity} ?relation ?x"
    found = ask(f"{PREFIX}SELECT {distinct}?relation\nWHERE {{\n  {ends} .\n}}")
    return plain(found, "relation")


def neighbors(ask: Ask, entity: str, relation: str, incoming: bool) -> list[str]:
    ends = (
        f"?tailEntity ns:{relation} ns:{entity} "
        if incoming
        else f"ns:{entity} ns:{relation} ?tailEntity"
    )
    return plain(ask(f"{PREFIX}SELECT ?tailEntity\nWHERE {{\n{ends} .\n}}"), "tailEntity")


def name(ask: Ask, entity: str, other: str = "<http://www.w3.org/2002/07/owl#sameAs>") -> str:
    """The first of the names; with ``ns:common.topic.alias`` as Generate-on-Graph asks."""
    arms = "UNION".join(
        f"\n  {{\n    ?entity {by} ?tailEntity .\n    FILTER(?entity = ns:{entity})\n  }}\n"
        for by in ("ns:type.object.name", other)
    )
    return ask(f"{PREFIX}SELECT DISTINCT ?tailEntity WHERE {{{arms}}}")[0]["tailEntity"]["value"]


def id_of(ask: Ask, label: str) -> str:
    arms = "UNION".join(
        f' {{ ?entity ns:{by} "{label}"@en . }} '
        for by in ("type.object.name", "common.topic.alias")
    )
    return plain(ask(f"{PREFIX}SELECT ?entity WHERE {{{arms}}}"), "entity")[0]


def types(ask: Ask, entity: str) -> list[str]:
    inner = f"SELECT DISTINCT ?x0 WHERE {{ ns:{entity} ns:type.object.type ?x0 . }}"
    found = plain(ask(f"{PREFIX}SELECT (?x0 AS ?value) WHERE {{ {inner} }}"), "value")
    return [one for one in found if not one.startswith(("common.", "base."))]


def one_hop(ask: Ask, entities: Iterable[str]) -> set[tuple[str, str, str]]:
    """Triples about entities, without the domains that Generate-on-Graph leaves out."""
    given = " ".join(f"ns:{entity}" for entity in entities)
    query = f"""{PREFIX}
    SELECT DISTINCT ?mid ?subject ?predicate ?object WHERE {{
        VALUES ?mid {{ {given} }}
        {{ ?subject ?predicate ?mid }} UNION {{ ?mid ?predicate ?object }}
        FILTER regex(?predicate, "{NS}")
    }}"""
    found = set()
    for row in ask(query):
        read = {key: cell["value"].replace(NS, "") for key, cell in row.items()}
        ends = read.get("subject", read["mid"]), read.get("object", read["mid"])
        if read["predicate"] not in ("type.object.name", "type.object.type"):
            found.add((ends[0], read["predicate"], ends[1]))
    return found


def two_hops(ask: Ask, entity: str, relation: str) -> set[tuple[str, str, str, str]]:
    """What comes after what a relation leads to."""
    query = f"""{PREFIX}SELECT DISTINCT ?x1 ?r1 ?x2 ?r2 WHERE {{
        ?x2 ?r1 ?x1 . ns:{entity} ?r2 ?x2 . VALUES ?r2 {{ ns:{relation} }} .
        FILTER regex(?r1, "{NS}") FILTER regex(?r2, "{NS}") }}"""
    rows = ask(query)
    return set(zip(*(plain(rows, v) for v in ("x1", "r1", "x2", "r2")), strict=True))  # type: ignore[arg-type]


def names_in_dump(lines: Iterable[str]) -> dict[str, set[str]]:
    """Name → ids, from the tab-separated dump, as the index of Generate-on-Graph reads it."""
    found: dict[str, set[str]] = {}
    for line in lines:
        subject, by, text, _ = line.strip().split("\t")
        mid = subject[subject.rfind("/") + 1 : -1]
        if by == f"<{NS}type.object.name>" and mid[:2] in ("m.", "g."):
            read = ast.literal_eval(text[:-3])
            found.setdefault(read.lower(), set()).add(mid)
    return found
