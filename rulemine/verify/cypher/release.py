"""A release of the kind ``cypher`` as a whole: its graphs, values and questions, in order."""

from collections.abc import Callable
from dataclasses import dataclass

from rulemine.verify.contents import Contents
from rulemine.verify.cypher.gold import GoldServer, check_gold
from rulemine.verify.cypher.graphs import (
    LabeledGraph,
    NodeProperty,
    check_closed,
    check_property_graph,
    check_taken,
)
from rulemine.verify.cypher.question import check_rows
from rulemine.verify.cypher.values import Values, check_values, read_values
from rulemine.verify.report import Findings
from rulemine.verify.triples import Triple

__all__ = ["PropertyFiles", "check_cypher", "read_property_files"]


@dataclass(frozen=True)
class PropertyFiles:
    """The property graphs and removed values of a release.

    Attributes:
        graphs: Level → graph; 0 is the complete one.
        values: The removed values.
    """

    graphs: dict[int, LabeledGraph]
    values: Values

    @property
    def gone(self) -> dict[NodeProperty, int]:
        """Removed value → the level from which on it is gone."""
        return {key: int(row["level"]) for key, (_, row) in self.values.items()}


def read_property_files(contents: Contents, findings: Findings) -> PropertyFiles | None:
    """Reads and checks the property graphs; None if one of them cannot be read."""
    folder = contents.folder
    values = read_values(folder, findings)
    gone = {key: int(row["level"]) for key, (_, row) in values.items()}
    graphs: dict[int, LabeledGraph] = {}
    for level in (0, *folder.levels):
        graph = check_property_graph(folder, level, contents, findings)
        if graph is not None:
            graphs[level] = graph
            check_closed(level, graph, contents, findings)
            if 0 in graphs:
                triples = _triples(contents, level)
                check_taken(level, graph, graphs[0], triples, contents, gone, findings)
    whole = all(
        graph.types == graphs[0].types
        and all({edge.subject, edge.object} <= graph.types.keys() for edge in graph.edges.values())
        for graph in (graphs.values() if 0 in graphs else ())
    )
    if graphs.keys() != {0, *folder.levels} or not whole:
        findings.skip("removed values, rows of questions (needs all property graphs)")
        return None
    return PropertyFiles(graphs, values)


def check_cypher(
    contents: Contents,
    files: PropertyFiles,
    findings: Findings,
    on_phase: Callable[[str], object],
    progress: Callable[[int], object],
    gold: GoldServer | None,
) -> None:
    """Checks removed values and questions.

    Args:
        contents: The contents of the release.
        files: Its property graphs.
        findings: Collects the problems.
        on_phase: Called with what is checked next.
        progress: Called now and then with questions checked.
        gold: Runs Cypher on a database; None: none is at hand.
    """
    graphs, gone = files.graphs, files.gone
    check_values(contents.folder, files.values, graphs[0], graphs[100], findings)
    on_phase("questions")
    for done, here in enumerate(contents.questions):
        if done % 16 == 0:
            progress(done)
        check_rows(here, contents, graphs, gone, findings)
    check_gold(contents, graphs, gold, findings, on_phase, progress)


def _triples(contents: Contents, level: int) -> set[Triple]:
    """The triples of the KG of a level, by what is removed; its file is compared with them elsewhere."""
    removed = contents.removed
    return {
        triple
        for triple in contents.complete.triples()
        if triple not in removed or removed[triple].level > level
    }
