"""Questions over a property graph, whose answers are rows: the graphs, each question on them, and its gold.

The gold Cypher is run on a database that the caller hands in, so that this package needs none: its rows on
every graph have to be those of the second evaluation. Floats are equal within a relative 1e-9, because an
average depends on the order of its sum; what ORDER BY leaves open may come in any order, and of what ties for
the greatest or least any one is right. Without a database a note says that the gold is not independently
verified; that is no fault of the release.
"""

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter

from rulemine.verify.contents import Contents, Record, Row
from rulemine.verify.kinds.cypher.evaluation import FoundRows, read
from rulemine.verify.kinds.cypher.graphs import LabeledGraph, read_graphs
from rulemine.verify.kinds.cypher.questions import check_rows
from rulemine.verify.protocol import GoldServer, KindChecks, Result, Watch
from rulemine.verify.questions.question_set import check_most, check_splits
from rulemine.verify.report import shown

__all__ = ["CHECKS"]


def _check_whole(contents: Contents) -> None:
    """Checks splits, and how many questions a template has."""
    check_splits(contents)
    check_most(contents, (f"of {at.row['shape']}" for at in contents.questions), "per_template")


def _check_otherwise(contents: Contents, watch: Watch) -> None:
    """Checks property graphs, questions, and their gold on each graph."""
    watch.on_phase("property graphs")
    graphs, found = read_graphs(contents), list[tuple[Record, Mapping[int, FoundRows]]]()
    watch.on_phase("questions")
    for done, at in enumerate(contents.questions):
        watch.progress(done)
        found.append((at, check_rows(contents, at, graphs)))
    if watch.gold is None:
        contents.findings.note(
            "gold not independently verified: its Cypher was run on no database (--neo4j URL; or fetch one: "
            "rulemine serve neo4j start)"
        )
    else:
        _check_gold(contents, graphs, found, watch, watch.gold)


def _check_gold(
    contents: Contents,
    graphs: Mapping[int, LabeledGraph],
    found: Sequence[tuple[Record, Mapping[int, FoundRows]]],
    watch: Watch,
    gold: GoldServer,
) -> None:
    """Checks what the gold of each question gives on each graph."""
    for level, graph in graphs.items():
        watch.on_phase(f"gold on {f'level {level}' if level else 'the complete graph'}")
        run = gold(graph.plain)
        for done, (at, rows) in enumerate(found):
            watch.progress(done)
            given, right = run(at.row["block"]["cypher"]), (at.row["block"]["columns"], rows[level])
            if isinstance(given, str) or not _agree(given, right):
                contents.wrong(at, f"gold at level {level}", given, shown(right))
        contents.findings.count("gold queries run", len(found))


def _agree(given: Result, right: tuple[list[str], FoundRows]) -> bool:
    """Whether a database gives the right columns and rows."""
    columns, (rows, keys, tied) = right
    keyed = groupby(zip(keys or [""] * len(rows), given[1], strict=False), itemgetter(0))
    in_order = chain.from_iterable(sorted(row for _, row in run) for _, run in keyed)
    return ([*given[0]], len(given[1])) == (columns, len(rows)) and (
        {*given[1]} <= {*tied} if tied else all(map(_close, in_order, rows))
    )


def _close(one: str, other: str) -> bool:
    """Whether two rows are equal but for the last digits of floats."""
    return one == other or all(
        repr(a) == repr(b) or (type(a) is type(b) is float and math.isclose(a, b))
        for a, b in zip(json.loads(one), json.loads(other), strict=True)
    )


def _apart(row: Row, contents: Contents) -> list[tuple[str, Hashable]]:
    """Matches, and what ``split_by`` names: signature or domain; questions are apart by their matches."""
    asked, way = read(row["query"]), contents.option(contents.kind, "split_by")
    signature = tuple(sorted((asked.types[s], r, asked.types[o]) for s, r, o in asked.edges))
    shared = {key: asked.row.get(key) for key in ("match", "nodes", "relations", "time")}
    matches, domain = json.dumps(shared), asked.types["n"]
    of_way = {"domain": domain, "signature": signature or domain}.get(way, matches)
    return [("matches", matches), (way, of_way)]


def _constants(row: Row) -> list[str]:
    """Named nodes, times and values."""
    asked = read(row["query"])
    return [
        *asked.names.values(),
        *(f"= {asked.row[key]}" for key in ("time", "bound") if key in asked.row),
    ]


CHECKS = KindChecks(
    whole=_check_whole, otherwise=_check_otherwise, apart=_apart, constants=_constants
)
