"""Scores one predicted query, or one predicted table, against a gold query on the same graph.

EX, PSJS and the share that runs are those of CypherBench (Feng, Papicchio, Rahman, arXiv 2412.18702,
sections 5.1 and 5.2), with EX mended as `rulemine.evaluation.cypher.results` says. Zero cases: a prediction
that fails, takes too long or is refused has EX 0 and does not run; one that the runner does not take is *not
run*: it has no score, and is counted. The same text as the gold's is right without being run. A question of
which the gold binds nothing on the graph has no PSJS, whatever is predicted, and one of which it binds no
edge none over edges; as published, that is 0.

PSJS, the provenance subgraph Jaccard similarity, compares what the result of a query comes from with what the
gold's comes from: a query that finds the right part of the graph scores even if it returns the wrong thing of
it. `rulemine.cypher.language.provenance` reads Cypher for that. For comparison with published figures,
`published_provenance` is what CypherBench's public program takes for it (github.com/megagonlabs/cypherbench),
which reads the text by patterns: clauses are words in capitals wherever they stand, an arm counts only if it
begins with MATCH, a node only if it has a variable, or one label of letters alone; what follows the clauses
that match is never run. The queries written here bind the same nodes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, TypedDict

from rulemine.cypher.language.parser import parse
from rulemine.cypher.language.provenance import provenance_query
from rulemine.cypher.language.sort_keys import keyed_query
from rulemine.cypher.language.syntax import CypherError, Statement
from rulemine.cypher.rows import Failed, NotRun, ResultTable
from rulemine.errors import counted
from rulemine.evaluation.cypher.constants import spelled
from rulemine.evaluation.cypher.results import alike, execution_match, published_match
from rulemine.evaluation.cypher.runners import REFUSED, TIMED_OUT, InMemoryRunner, Runner
from rulemine.evaluation.spelling import Spelling

__all__ = [
    "STATES",
    "CypherJudge",
    "CypherScores",
    "GoldTable",
    "notes_on_provenance",
    "provenance_similarity",
    "published_provenance",
    "sorted_as_published",
]

STATES = {
    "same": "the gold's text, not run",
    "run": "run",
    "rows": "a table was given",
    "failed": "fails",
    "refused": "refused: it may only read the graph",
    "missing": "no prediction",
    "not run": "not run: it is outside what is run here",
    "gold failed": "the gold fails",
    "gold not run": "the gold is not run: it is outside what is run here",
}
"""What became of a prediction → in words. The last three have no scores."""

_Predicted = str | Sequence[Sequence[Any]] | None

_UNSCORED = ("not run", "gold failed", "gold not run")


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
    """The nodes and edges that a query binds."""

    nodes: frozenset[object] = frozenset()
    edges: frozenset[object] = frozenset()

    @property
    def what(self) -> str:
        return "edges" if self.edges else "nodes" if self.nodes else "nothing"


class _Similar(TypedDict, total=False):
    """The scores of what a prediction binds, by their names in `CypherScores`."""

    psjs: float
    psjs_published: float | None
    psjs_edges: float
    binds: str


class _Matches(TypedDict):
    ex: float
    ex_published: float
    ex_columns: float


_RIGHT = _Matches(ex=1.0, ex_published=1.0, ex_columns=1.0)

_WRONG = _Matches(ex=0.0, ex_published=0.0, ex_columns=0.0)


class _Size(TypedDict, total=False):
    rows: int
    columns: int | None


_NOTHING = _Bound()

_NO_ROWS = ResultTable((), [])


class CypherJudge:
    """Scores predictions on one graph; what a gold query gives is asked once.

    Args:
        runner: Runs queries on the graph.
        spelling: The letters of the graph's texts, which the constants of predictions are put into.
    """

    def __init__(self, runner: Runner, spelling: Spelling | None = None) -> None:
        self.runner = runner
        self._spelling = spelling or Spelling(())
        self._golds: dict[str, GoldTable | Failed | NotRun] = {}
        self._bound: dict[str, _Bound | Failed | None] = {}
        self._published: dict[str, frozenset[object] | None] = {}

    def gold(self, query: str) -> GoldTable | Failed | NotRun:
        """The result of a gold query, with what its rows are sorted by and the rows that tie.

        Raises:
            EndpointError: The server does not answer any more.
        """
        if query not in self._golds:
            self._golds[query] = self._asked(query)
        return self._golds[query]

    def spelled(self, predicted: _Predicted) -> _Predicted:
        """A prediction, its constants in the letters of the graph."""
        return spelled(predicted, self._spelling) if isinstance(predicted, str) else predicted

    def judged(
        self,
        gold: str,
        table: GoldTable | Failed | NotRun,
        predicted: _Predicted,
        *,
        elsewhere: bool = False,
    ) -> tuple[CypherScores, ResultTable | None]:
        """The scores of a prediction, and its result, if it was run or given.

        Args:
            gold: The gold query.
            table: Its result, or why it has none.
            predicted: The predicted query, as in `spelled`, or its rows; None if there is no prediction.
            elsewhere: Whether the table is of another graph than the runner's: then the same text
                may give another result, and is run like any other.

        Raises:
            EndpointError: See `gold`.
        """
        size = _size(table)
        same = isinstance(predicted, str) and predicted.strip() == gold.strip()
        if same and not elsewhere:
            similar = self._similar(gold, gold, True)
            return CypherScores("same", **_RIGHT, executable=1.0, **size, **similar), None
        if isinstance(table, Failed):
            return CypherScores("gold failed", said=f"{table.code}: {table.text}"), None
        if isinstance(table, NotRun):
            return CypherScores("gold not run", said=table.reason), None
        if predicted is None or predicted == "":
            similar = self._similar(gold, "", False)
            return CypherScores("missing", **_WRONG, executable=0.0, **size, **similar), None
        if not isinstance(predicted, str):
            given = ResultTable((), [tuple(row) for row in predicted])
            return CypherScores("rows", **_matches(gold, table, given), **size), given
        found = self.runner.rows(predicted)
        if isinstance(found, NotRun):
            return CypherScores("not run", said=found.reason, **size), None
        late = isinstance(found, Failed) and TIMED_OUT in found.code  # what it binds would be, too
        similar = self._similar(gold, "" if late else predicted, isinstance(found, ResultTable))
        if isinstance(found, Failed):
            state = "refused" if found.code.startswith(REFUSED) else "failed"
            text = f"{found.code}: {found.text}"
            return CypherScores(state, **_WRONG, executable=0.0, said=text, **size, **similar), None
        in_memory = isinstance(self.runner, InMemoryRunner)
        matches = _matches(gold, table, found, chance=_unsorted(predicted), in_memory=in_memory)
        return CypherScores("run", **matches, executable=1.0, **size, **similar), found

    def _asked(self, query: str) -> GoldTable | Failed | NotRun:
        found = self.runner.rows(query)
        read = _read(query)
        if not isinstance(found, ResultTable) or read is None:
            return found if not isinstance(found, ResultTable) else GoldTable(found.rows)
        if (keyed := keyed_query(read)) is None:
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

    def _similar(self, gold: str, predicted: str, runs: bool) -> _Similar:
        """PSJS over nodes and edges, and as published."""
        wanted = self._gold_binding(gold)
        published = self._similar_as_published(gold, predicted)
        if isinstance(wanted, Failed):
            return {"psjs_published": published, "binds": "late"}
        if wanted is None:
            return {"psjs_published": published}
        scores: _Similar = {"psjs_published": published, "binds": wanted.what}
        same = predicted.strip() == gold.strip()
        found = wanted if same else self._binding(predicted, None if runs else _NOTHING)
        if isinstance(found, Failed):
            found = None if "TooMany" in found.code else _NOTHING
        if found is not None and wanted.nodes:
            scores["psjs"] = provenance_similarity(wanted.nodes, found.nodes)
        if found is not None and wanted.edges:
            scores["psjs_edges"] = provenance_similarity(wanted.edges, found.edges)
        return scores

    def _similar_as_published(self, gold: str, predicted: str) -> float | None:
        """As the paper's program has it: the same text 1; neither binding anything, or failing, 0."""
        if predicted.strip() == gold.strip():
            return 1.0
        if gold not in self._published:
            self._published[gold] = self._bound_as_published(gold)
        wanted, found = self._published[gold], self._bound_as_published(predicted)
        return None if wanted is None or found is None else provenance_similarity(wanted, found)

    def _bound_as_published(self, query: str) -> frozenset[object] | None:
        """The nodes that a query binds as published; None if it is not run here."""
        asked = published_provenance(query)
        found = self.runner.rows(asked) if asked else _NO_ROWS
        if isinstance(found, NotRun):
            return None
        return (
            frozenset(i for (i,) in found.rows) if isinstance(found, ResultTable) else frozenset()
        )

    def _gold_binding(self, gold: str) -> _Bound | Failed | None:
        """What a gold query binds."""
        if gold not in self._bound:
            self._bound[gold] = self._binding(gold, None)
        return self._bound[gold]

    def _binding(self, query: str, otherwise: _Bound | None) -> _Bound | Failed | None:
        """What a query binds; `otherwise` if our parser does not read it, None if it cannot be found out.

        A failure says nothing of what it binds.
        """
        try:
            asked = provenance_query(parse(query))
        except CypherError as problem:
            return None if problem.kind in ("ways", "unsupported") else otherwise
        if asked is None:
            return _NOTHING
        found = self.runner.rows(asked)
        if not isinstance(found, ResultTable):
            return None if isinstance(found, NotRun) else found
        kinds = {
            kind: frozenset(i for k, i in found.rows if k == kind) for kind in ("node", "edge")
        }
        return _Bound(kinds["node"], kinds["edge"])


def sorted_as_published(query: str) -> bool:
    """Whether the order of a gold's rows counts as published: the text has ``order by`` anywhere."""
    return "order by" in query.lower()


def notes_on_provenance(scored: Sequence[CypherScores]) -> list[str]:
    """How many questions have no PSJS because of their gold; a warning first if none has it."""
    notes = []
    seen = [one for one in scored if one.scored and (one.binds or one.rows is not None)]
    if seen and all(one.binds == "nothing" or not (one.binds or one.rows) for one in seen):
        notes.append(
            f"Warning: no gold query of {counted(len(seen), 'question')} finds anything in this graph, so "
            "the scores say nothing. Is it the graph that the questions are about, and is all of it loaded?"
        )
    known = [one.binds for one in scored if one.scored and one.binds not in ("", "late")]
    if late := sum(one.scored and one.binds == "late" for one in scored):
        notes.append(
            f"{counted(late, 'question')} of which what the gold binds takes too long, or is too much, to "
            "find out: left out of PSJS and PSJS edges."
        )
    for name, lacking, what in (
        ("PSJS", known.count("nothing"), "node"),
        ("PSJS edges", len(known) - known.count("edges"), "edge"),
    ):
        if lacking:
            notes.append(
                f"{counted(lacking, 'question')} of which the gold binds no {what} on this graph: left out "
                f"of {name}."
            )
    return notes


def _unsorted(query: str) -> bool:
    """Whether a query sorts nothing, so that the order of its rows is chance."""
    return re.search(r"\border\s+by\b", query, re.IGNORECASE) is None


def _matches(
    gold: str,
    table: GoldTable,
    found: ResultTable,
    *,
    chance: bool = False,
    in_memory: bool = False,
) -> _Matches:
    """EX, ours and as published.

    Args:
        gold: The gold query.
        table: Its result.
        found: The predicted one.
        chance: Whether the order of its rows is chance: where order counts, it is not the gold's.
        in_memory: Whether it comes from memory; a server's chance is left to the published score.
    """
    plain = table.rows if table.plain is None else table.plain
    ours = execution_match(table.rows, found.rows, keys=table.keys, tied=table.tied)
    more = ours or execution_match(
        table.rows, found.rows, keys=table.keys, tied=table.tied, more_columns=True
    )
    published = published_match(plain, found.rows, ordered=sorted_as_published(gold))
    if chance:
        in_any_order = table.keys is None or alike(table.keys)
        ours, more = ours and in_any_order, more and in_any_order
        published &= not (in_memory and sorted_as_published(gold)) or alike(plain)
    return {"ex": float(ours), "ex_published": float(published), "ex_columns": float(more)}


def _plain_keys(keys: list[tuple[Any, ...]]) -> list[Any]:
    """Keys as `execution_match` compares them; several of a row are a map, because lists have no order."""
    if keys and len(keys[0]) == 1:
        return [key for (key,) in keys]
    return [{str(at): value for at, value in enumerate(key)} for key in keys]


def _size(table: GoldTable | Failed | NotRun) -> _Size:
    """How many rows and columns the gold has, as far as that is known."""
    if not isinstance(table, GoldTable):
        return {}
    return {"rows": len(table.rows), "columns": len(table.rows[0]) if table.rows else None}


def _read(query: str) -> Statement | None:
    try:
        return parse(query)
    except CypherError:
        return None


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
