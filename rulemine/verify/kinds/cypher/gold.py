"""The gold Cypher on a database: its rows on every graph are those of the record.

The database is handed in by the caller, so that this package needs none. Floats are equal within a relative
1e-9, because an average depends on the order of its sum; what ORDER BY leaves open may come in any order, and
of what ties for the greatest or least any one is right. Without a database a note says that the gold is not
independently verified; that is no fault of the release.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.verify.contents import Contents, Row
from rulemine.verify.kinds.cypher.graphs import LabeledGraph
from rulemine.verify.kinds.cypher.patterns import read_pattern
from rulemine.verify.kinds.cypher.rows import rows_of
from rulemine.verify.protocol import Result, Watch
from rulemine.verify.report import Findings, shown

__all__ = ["check_gold"]

_CLOSE = 1e-9


def check_gold(
    contents: Contents,
    graphs: Mapping[int, LabeledGraph],
    watch: Watch,
    findings: Findings,
) -> None:
    """Runs the gold of every question on every graph."""
    if watch.gold is None:
        findings.note(
            "gold not independently verified: its Cypher was run on no database (--neo4j URL; or fetch one: "
            "rulemine serve neo4j start)"
        )
        return
    for level, graph in graphs.items():
        watch.on_phase(f"gold on {f'level {level}' if level else 'the complete graph'}")
        run = watch.gold(graph.plain)
        for done, here in enumerate(contents.questions):
            if done % 16 == 0:
                watch.progress(done)
            block = here.row["block"]
            # Which rows tie on a graph that lacks something, no record says.
            tied = _tied(graph, here.row["query"]) if level and block["tied"] else block["tied"]
            if (problem := _problem(block, level, tied, run(block["cypher"]))) is not None:
                findings.add(here.file, here.line, f"gold at level {level}", *problem)
        findings.count("gold queries run", len(contents.questions))


def _tied(graph: LabeledGraph, query: str) -> list[str]:
    try:
        return rows_of(graph, read_pattern(query)).tied
    except ValueError:
        return []  # another problem


def _problem(
    block: Row, level: int, ties: Sequence[str], answer: Result | str
) -> tuple[str, str] | None:
    """How the result of a gold differs from the record, or from what ties; None if it does not."""
    if isinstance(answer, str):
        return shown(answer), "rows"
    columns, rows = list(answer[0]), list(answer[1])
    if columns != block["columns"]:
        return shown(columns), f"the columns {shown(block['columns'])}"
    if ties:
        return None if len(rows) == 1 and rows[0] in ties else (shown(rows), shown(sorted(ties)))
    if level == 0:
        if block["ordered"] and not _in_order(rows, block):
            return shown(rows), f"{shown(block['rows'])}, but for equal keys"
        return _differs(rows, block["rows"])
    change = next((one for one in block["levels"] if one["level"] == level), None)
    if change is None:
        return None  # another problem
    if len(rows) != change["rows"]:
        return f"{len(rows)} rows", str(change["rows"])
    kept: Counter[str] = Counter(block["rows"])
    kept.subtract(change["lost"])
    return _differs(rows, [*kept.elements(), *change["spurious"]])


def _in_order(rows: Sequence[str], block: Row) -> bool:
    """Whether rows come as the record has them, but for rows with equal keys."""
    if not len(rows) == len(block["rows"]) == len(block["keys"]):
        return False
    runs: dict[str, list[int]] = {}
    for at, key in enumerate(block["keys"]):
        runs.setdefault(key, []).append(at)
    return all(
        _differs([rows[at] for at in run], [block["rows"][at] for at in run]) is None
        for run in runs.values()
    )


def _differs(rows: Sequence[str], expected: Sequence[str]) -> tuple[str, str] | None:
    """What only one of two multisets of rows has; None: they are equal."""
    here, there = Counter(rows), Counter(expected)
    extra, lacking = sorted((here - there).elements()), sorted((there - here).elements())
    for text in list(extra):
        close = next((other for other in lacking if _close(*map(json.loads, (text, other)))), None)
        if close is not None:
            extra.remove(text)
            lacking.remove(close)
    return (shown(extra), shown(lacking)) if extra or lacking else None


def _close(one: Any, other: Any) -> bool:
    """Whether two values are equal but for the last digits of floats."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_CLOSE)
    return type(one) is type(other) and bool(one == other)
