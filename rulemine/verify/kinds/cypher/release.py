"""A release about rows as a whole: its graphs and questions, in order."""

import json
from collections.abc import Hashable, Iterable, Iterator

from rulemine.verify.contents import Contents, Row
from rulemine.verify.kinds.cypher.gold import check_gold
from rulemine.verify.kinds.cypher.graphs import (
    LabeledGraph,
    check_closed,
    check_property_graph,
    check_taken,
)
from rulemine.verify.kinds.cypher.patterns import read_pattern
from rulemine.verify.kinds.cypher.question import check_rows
from rulemine.verify.kinds.cypher.records import FIELDS, graph_file
from rulemine.verify.protocol import TABLES, KnownKind, Watch
from rulemine.verify.questions.question_set import check_most
from rulemine.verify.report import Findings
from rulemine.verify.triples import Triple

__all__ = ["CHECKS"]


class _Checks(KnownKind):
    fields = FIELDS

    def files(self, levels: Iterable[int]) -> Iterable[str]:
        """Property graphs."""
        return (*TABLES, *map(graph_file, (0, *levels)))

    def check_set(self, contents: Contents, findings: Findings) -> None:
        """Checks how many questions a template has."""
        templates = (f" of {here.row['shape']!r}" for here in contents.questions)
        check_most(contents, templates, "per_template", findings)

    def check_otherwise(self, contents: Contents, findings: Findings, watch: Watch) -> bool:
        """Checks property graphs and questions."""
        watch.on_phase("property graphs")
        graphs = _read_graphs(contents, findings)
        if graphs is None:
            return True
        watch.on_phase("questions")
        for done, here in enumerate(contents.questions):
            if done % 16 == 0:
                watch.progress(done)
            check_rows(here, contents, graphs, findings)
        check_gold(contents, graphs, watch, findings)
        return True

    def shared(self, row: Row, contents: Contents) -> Iterable[tuple[str, Hashable]]:
        """Matches, and signatures or domains."""
        return _matched(row, str(contents.folder.option(row["kind"], "split_by")))

    def constants(self, row: Row) -> Iterable[str]:
        """Named nodes, times and values."""
        try:
            asked = read_pattern(row["query"])
        except ValueError:
            return ()  # a problem of the question
        others = (asked.row.get(key) for key in ("time", "bound"))
        return (*asked.names.values(), *(f"= {value}" for value in others if value is not None))


CHECKS = _Checks()


def _read_graphs(contents: Contents, findings: Findings) -> dict[int, LabeledGraph] | None:
    """Reads and checks the property graphs of all levels; None if one of them cannot be read."""
    folder = contents.folder
    graphs: dict[int, LabeledGraph] = {}
    for level in (0, *folder.levels):
        graph = check_property_graph(folder, level, contents, findings)
        if graph is not None:
            graphs[level] = graph
            check_closed(level, graph, contents, findings)
            if 0 in graphs:
                triples = _triples(contents, level)
                check_taken(level, graph, graphs[0], triples, contents, findings)
    whole = all(
        graph.types == graphs[0].types
        and all({edge.subject, edge.object} <= graph.types.keys() for edge in graph.edges.values())
        for graph in (graphs.values() if 0 in graphs else ())
    )
    if graphs.keys() != {0, *folder.levels} or not whole:
        findings.skip("rows of questions (needs all property graphs)")
        return None
    return graphs


def _triples(contents: Contents, level: int) -> set[Triple]:
    """The triples of the KG of a level, by what is removed; its file is compared with them elsewhere."""
    removed = contents.removed
    return {
        triple
        for triple in contents.complete.triples()
        if triple not in removed or removed[triple].level > level
    }


def _matched(row: Row, way: str) -> Iterator[tuple[str, Hashable]]:
    """Matches, and signatures or domains."""
    try:
        asked = read_pattern(row["query"])
    except ValueError:
        return  # a problem of the question
    keys = ("match", "nodes", "relations", "time")
    yield "matches", json.dumps([asked.row.get(key) for key in keys])
    if way == "domain":
        yield "domain", asked.types["n"]
    elif way == "signature":
        ends = (
            (asked.types[step.subject], step.relation, asked.types[step.object])
            for step in asked.edges
        )
        yield "signature", tuple(sorted(ends)) or asked.types["n"]
