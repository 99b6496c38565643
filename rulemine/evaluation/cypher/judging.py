"""Scores one predicted query, or one predicted table, against a gold query on the same graph.

EX, PSJS and the share that runs are those of CypherBench (Feng, Papicchio, Rahman, arXiv 2412.18702,
sections 5.1 and 5.2), with EX mended as `rulemine.evaluation.cypher.results` says. Zero cases: a prediction
that fails, takes too long, is refused, or has what the runner does not take, has EX 0 and does not run. So
nothing that a system may write leaves a question out of a mean. The same text as the gold's is right without
being run. A question of which the gold binds nothing on the graph has no PSJS, whatever is predicted, and one
of which it binds no edge none over edges; as published, that is 0.

PSJS, the provenance subgraph Jaccard similarity, compares what the result of a query comes from with what the
gold's comes from: a query that finds the right part of the graph scores even if it returns the wrong thing of
it. `rulemine.cypher.language.rewriting` reads Cypher for that. For comparison with published figures,
`published_provenance` is what CypherBench's public program takes for it (github.com/megagonlabs/cypherbench),
which reads the text by patterns: clauses are words in capitals wherever they stand, an arm counts only if it
begins with MATCH, a node only if it has a variable, or one label of letters alone; what follows the clauses
that match is never run. The queries written here bind the same nodes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, NamedTuple

from rulemine.cypher.language.expressions import unescaped
from rulemine.cypher.language.parser import parse
from rulemine.cypher.language.rewriting import keyed_query, provenance_query
from rulemine.cypher.language.syntax import CypherError
from rulemine.cypher.language.tokens import Tokens
from rulemine.cypher.questions.render import quoted_value
from rulemine.cypher.rows import Failed, NotRun, ResultTable
from rulemine.evaluation.cypher.results import alike, execution_match, published_match
from rulemine.evaluation.cypher.runners import REFUSED, TIMED_OUT, InMemoryRunner, Runner
from rulemine.evaluation.spelling import Spelling
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = [
    "STATES",
    "CypherJudge",
    "CypherScores",
    "GoldTable",
    "Predicted",
    "provenance_similarity",
    "published_provenance",
    "spelled",
    "spelling_of",
]

STATES = {
    "same": "the gold's text, not run",
    "run": "run",
    "rows": "a table was given",
    "failed": "fails",
    "refused": "refused: it may only read the graph",
    "not run": "wrong: it is outside what is run here",
    "missing": "no prediction",
    "gold failed": "the gold fails",
    "gold not run": "in no score: the gold is outside what is run here",
}
"""What became of a prediction → in words. The last two have no scores."""

_UNSCORED = ("gold failed", "gold not run")

Predicted = str | Sequence[Sequence[Any]] | None
"""A query, or rows; None: neither is known."""


class GoldTable(NamedTuple):
    """What a predicted result is compared with.

    Attributes:
        rows: The gold's rows.
        keys: What each is sorted by, if their order counts; else None.
        tied: Rows of which any one is right, as of a gold query that asks for the greatest.
        plain: The rows in the order in which the gold gives them, which is the published score's; None:
            that of `rows`.
    """

    rows: Sequence[Sequence[Any]]
    keys: Sequence[Any] | None = None
    tied: Sequence[Sequence[Any]] = ()
    plain: Sequence[Sequence[Any]] | None = None


@dataclass(frozen=True, slots=True)
class CypherScores:
    """The scores of a prediction; None where it does not have the score.

    Attributes:
        state: One of `STATES`.
        ex: Execution accuracy, 0 or 1.
        ex_published: The same as published.
        psjs: The provenance similarity over nodes, 0 to 1; None where the gold binds none.
        psjs_published: The same as published: what the paper's program computes.
        psjs_edges: As `psjs`, over edges.
        executable: 1 if it runs, or is the gold; 0 if it does not.
        rows: How many rows the gold has; None if that is not known.
        columns: How many columns it has; None if that is not known, or if it has no rows.
        binds: What the gold binds on the graph: ``edges`` (and nodes), ``nodes`` or ``nothing``;
            ``late`` if finding it out takes too long or fails; "": it is not known for another reason.
        said: Why it failed, was refused or not run.
        kinds: The kinds of its errors, see `rulemine.evaluation.cypher.error_kinds`.
        ex_columns: As `ex`, where columns beside the gold's do not count.
    """

    state: str
    ex: float | None = None
    ex_published: float | None = None
    psjs: float | None = None
    psjs_published: float | None = None
    psjs_edges: float | None = None
    executable: float | None = None
    rows: int | None = None
    columns: int | None = None
    binds: str = ""
    said: str = ""
    kinds: tuple[str, ...] = ()
    ex_columns: float | None = None

    @property
    def scored(self) -> bool:
        """Whether it counts in means."""
        return self.state not in _UNSCORED


class _Bound(NamedTuple):
    """The nodes and edges that a query binds; `what` is `CypherScores.binds`."""

    nodes: frozenset[object] = frozenset()
    edges: frozenset[object] = frozenset()
    what: str = ""


@dataclass(frozen=True)
class CypherJudge:
    """Scores predictions on one graph.

    Attributes:
        runner: Runs queries on the graph.
    """

    runner: Runner

    def gold(self, query: str) -> GoldTable | Failed | NotRun:
        """The result of a gold query, with what its rows are sorted by and the rows that tie.

        Raises:
            EndpointError: The server does not answer any more.
        """
        found = self.runner.rows(query)
        if not isinstance(found, ResultTable):
            return found
        try:
            keyed = keyed_query(parse(query))
        except CypherError:
            keyed = None
        if keyed is None:
            return GoldTable(found.rows)
        more = self.runner.rows(keyed.text)
        if not isinstance(more, ResultTable) or (
            not keyed.first and len(more.rows) != len(found.rows)
        ):
            # The keys cannot be had: each row has its own place.
            return GoldTable(found.rows, list(range(len(found.rows))))
        keys = [row[-keyed.keys :] for row in more.rows]
        bare = [row[: -keyed.keys] for row in more.rows]
        if keyed.first:
            tied = [row for row, key in zip(bare, keys, strict=True) if key == keys[0]]
            return GoldTable(found.rows, _plain_keys(keys[: len(found.rows)]), tied)
        return GoldTable(bare, _plain_keys(keys), plain=found.rows)

    def judged(
        self,
        gold: str,
        table: GoldTable | Failed | NotRun,
        predicted: Predicted,
        *,
        elsewhere: bool = False,
    ) -> tuple[CypherScores, ResultTable | None]:
        """The scores of a prediction, and its result, if it was run or given.

        Args:
            gold: The gold query.
            table: Its result, or why it has none.
            predicted: The predicted query, see `spelled`, or its rows; None if there is no prediction.
            elsewhere: Whether the table is of another graph than the runner's: then the same text
                may give another result, and is run like any other.

        Raises:
            EndpointError: See `gold`.
        """
        size: dict[str, Any] = {}
        if isinstance(table, GoldTable):
            columns = len(table.rows[0]) if table.rows else None
            size = {"rows": len(table.rows), "columns": columns}
        if isinstance(predicted, str) and predicted.strip() == gold.strip() and not elsewhere:
            size |= self._similar(gold, gold)
            return CypherScores("same", **_RIGHT, executable=1.0, **size), None
        if not isinstance(table, GoldTable):
            state = "gold failed" if isinstance(table, Failed) else "gold not run"
            return CypherScores(state, said=_said(table)), None
        if predicted is not None and not isinstance(predicted, str):
            given = ResultTable((), [tuple(row) for row in predicted])
            return CypherScores("rows", **_matches(gold, table, given), **size), given
        found = self.runner.rows(predicted) if predicted else None
        if isinstance(found, ResultTable):
            size |= self._similar(gold, str(predicted))
            in_memory = isinstance(self.runner, InMemoryRunner)
            matches = _matches(gold, table, found, str(predicted), in_memory=in_memory)
            return CypherScores("run", **matches, executable=1.0, **size), found
        # One that fails may still bind the right nodes; finding that of one that is late would be late, too.
        seen = isinstance(found, Failed) and TIMED_OUT not in found.code
        size |= self._similar(gold, str(predicted) if seen else "")
        said = "" if found is None else _said(found)
        return CypherScores(_state(found), **_WRONG, executable=0.0, said=said, **size), None

    def _similar(self, gold: str, predicted: str) -> dict[str, Any]:
        """PSJS over nodes and edges and as published, of a prediction that binds nothing if it is ""."""
        wanted = self._bound(gold)
        if predicted.strip() == gold.strip():
            found, scores = wanted, dict[str, Any](psjs_published=1.0)
        else:
            found, scores = self._bound(predicted), {}
            ours, theirs = (self._bound_as_published(query) for query in (gold, predicted))
            if ours is not None:
                scores["psjs_published"] = provenance_similarity(ours, theirs or ())
        if wanted.nodes:
            scores["psjs"] = provenance_similarity(wanted.nodes, found.nodes)
        if wanted.edges:
            scores["psjs_edges"] = provenance_similarity(wanted.edges, found.edges)
        return scores | {"binds": wanted.what}

    def _bound(self, query: str) -> _Bound:
        """What a query binds, as far as that can be found out."""
        try:
            asked = provenance_query(parse(query))
        except CypherError:
            return _Bound()
        found = self.runner.rows(asked) if asked else _NO_ROWS
        if not isinstance(found, ResultTable):
            return _Bound(what="late" if isinstance(found, Failed) else "")
        nodes, edges = (
            frozenset(i for k, i in found.rows if k == kind) for kind in ("node", "edge")
        )
        return _Bound(nodes, edges, "edges" if edges else "nodes" if nodes else "nothing")

    def _bound_as_published(self, query: str) -> frozenset[object] | None:
        """The nodes that a query binds as published, none if it fails; None if it is not run here."""
        asked = published_provenance(query)
        found = self.runner.rows(asked) if asked else _NO_ROWS
        if isinstance(found, NotRun):
            return None
        return frozenset(i for (i,) in (found.rows if isinstance(found, ResultTable) else ()))


_NO_ROWS = ResultTable((), [])

_EX = ("ex", "ex_published", "ex_columns")
_RIGHT: dict[str, Any] = dict.fromkeys(_EX, 1.0)
_WRONG: dict[str, Any] = dict.fromkeys(_EX, 0.0)


def _state(found: Failed | NotRun | None) -> str:
    """What became of a prediction without a result."""
    if isinstance(found, Failed):
        return "refused" if found.code.startswith(REFUSED) else "failed"
    return "missing" if found is None else "not run"


def _said(found: Failed | NotRun) -> str:
    return f"{found.code}: {found.text}" if isinstance(found, Failed) else found.reason


def _matches(
    gold: str,
    table: GoldTable,
    found: ResultTable,
    query: str | None = None,
    *,
    in_memory: bool = False,
) -> dict[str, Any]:
    """EX, ours and as published.

    Args:
        gold: The gold query.
        table: Its result.
        found: The predicted one.
        query: The query that gave it. If that sorts nothing, the order of its rows is chance: where
            order counts, it is not the gold's.
        in_memory: Whether it comes from memory; a server's chance is left to the published score.
    """
    plain = table.rows if table.plain is None else table.plain
    ordered = "order by" in gold.lower()  # as published
    ours = execution_match(table.rows, found.rows, keys=table.keys, tied=table.tied)
    more = ours or execution_match(
        table.rows, found.rows, keys=table.keys, tied=table.tied, more_columns=True
    )
    published = published_match(plain, found.rows, ordered=ordered)
    if query is not None and re.search(r"\border\s+by\b", query, re.IGNORECASE) is None:
        in_any_order = table.keys is None or alike(table.keys)
        ours, more = ours and in_any_order, more and in_any_order
        published &= not (in_memory and ordered) or alike(plain)
    return {"ex": float(ours), "ex_published": float(published), "ex_columns": float(more)}


def _plain_keys(keys: list[tuple[Any, ...]]) -> list[Any]:
    """Keys as `execution_match` compares them; several of a row are a map, because lists have no order."""
    if keys and len(keys[0]) == 1:
        return [key for (key,) in keys]
    return [{str(at): value for at, value in enumerate(key)} for key in keys]


def spelling_of(graph: PropertyGraph | None) -> Spelling:
    """The letters of the names and texts of a graph; of a graph that is not known, none."""
    things: Iterable[Any] = chain(graph.nodes, graph.edges) if graph else ()
    values = (
        value
        for thing in things
        for value in (getattr(thing, "name", ""), thing.id, *thing.properties.values())
    )
    items = (item for value in values for item in (value if isinstance(value, tuple) else [value]))
    return Spelling(item for item in items if isinstance(item, str))


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
            text = unescaped(token.text[1:-1])
            if (own := spelling.of_part(text)) != text:
                query = query[: token.start] + quoted_value(own) + query[token.end :]
    return query


def provenance_similarity(gold: Iterable[object], predicted: Iterable[object]) -> float:
    """The Jaccard similarity of two provenance sets.

    Args:
        gold: What the gold query binds, as the rows of `provenance_query` say: its nodes (as
            the paper's program has it), or its edges, or both (the subgraph that the paper speaks of).
        predicted: The same of the predicted query; empty if it failed.

    Returns:
        The share of those bound by either query that both bind, from 0 to 1; 0 if neither binds any.

    Example:
        >>> provenance_similarity(["n1", "n2", "n3"], ["n2", "n3", "n4"])
        0.5
    """
    one, other = set(gold), set(predicted)
    return len(one & other) / len(one | other) if one or other else 0.0


_MATCHING = ("MATCH", "OPTIONAL MATCH")
_CLAUSE = re.compile(
    r"\b(?:MATCH|OPTIONAL MATCH|WHERE|RETURN|UNION|WITH|CREATE|SET|DELETE|MERGE|UNWIND|ORDER BY|LIMIT|SKIP"
    r"|FOREACH|CALL|YIELD)\b"
)
_UNION = re.compile(r"\bUNION\b")
_IN_CALL = re.compile(r"CALL\s*\{(?P<arms>.*?)\}\s*(?:WITH|RETURN|WHERE|UNWIND)", re.DOTALL)
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
    inside = _IN_CALL.search(query)
    if query.strip().startswith("CALL"):
        query = inside["arms"] if inside else ""
    arms = _UNION.split(query)
    return "\nUNION\n".join(filter(None, (_of_arm(arm.strip()) for arm in arms))) or None


def _of_arm(arm: str) -> str:
    """The query of an arm; "" where the program sees none."""
    if not arm.startswith("MATCH"):
        return ""
    kept: list[str] = []
    for clause in _clauses(arm):
        joins = clause.startswith("WITH")
        if " as " in clause.lower() if joins else not clause.startswith((*_MATCHING, "WHERE")):
            break
        kept.append("WITH *" if joins else clause)
    while kept and kept[-1] == "WITH *":
        kept.pop()
    edge, node = count(), count()
    for at, clause in enumerate(kept):
        if clause.startswith(_MATCHING):
            named = _BARE_EDGE.sub(lambda _: f"[edge_{next(edge)}", clause)
            kept[at] = _BARE_NODE.sub(lambda _: f"(node_{next(node)}", named)
    matched = " ".join(kept)
    parts = [part for part in _clauses(_MAP.sub("{}", matched)) if part.startswith(_MATCHING)]
    variables = sorted({variable for part in parts for variable in _NODE.findall(part)})
    ids = " + ".join(f"collect(DISTINCT elementId({variable}))" for variable in variables) or "[]"
    return f"{matched}\nWITH {ids} AS ids\nUNWIND ids AS id RETURN id"


def _clauses(text: str) -> list[str]:
    """A text cut before each word of clauses; what stands before the first goes."""
    starts = [found.start() for found in _CLAUSE.finditer(text)]
    return [text[a:b].strip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
