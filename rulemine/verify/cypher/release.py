"""A release of the kind ``cypher`` as a whole: its graphs, values and questions, in order."""

from collections.abc import Callable

from rulemine.verify.contents import Contents
from rulemine.verify.cypher.gold import GoldServer, check_gold
from rulemine.verify.cypher.graphs import LabeledGraph, check_property_graph, check_taken
from rulemine.verify.cypher.question import check_rows
from rulemine.verify.cypher.values import check_values, read_values
from rulemine.verify.report import Findings
from rulemine.verify.triples import Triple

__all__ = ["check_cypher"]


def check_cypher(
    contents: Contents,
    findings: Findings,
    on_phase: Callable[[str], object],
    progress: Callable[[int], object],
    gold: GoldServer | None,
) -> None:
    """Checks what only such a release has.

    Args:
        contents: The contents of the release.
        findings: Collects the problems.
        on_phase: Called with what is checked next.
        progress: Called now and then with questions checked.
        gold: Runs Cypher on a database; None: none is at hand.
    """
    folder = contents.folder
    on_phase("property graphs")
    values = read_values(folder, findings)
    gone = {key: int(row["level"]) for key, (_, row) in values.items()}
    graphs: dict[int, LabeledGraph] = {}
    for level in (0, *folder.levels):
        graph = check_property_graph(folder, level, contents, findings)
        if graph is not None:
            graphs[level] = graph
            if 0 in graphs:
                triples = _triples(contents, level)
                check_taken(level, graph, graphs[0], triples, contents, gone, findings)
    if graphs.keys() != {0, *folder.levels}:
        findings.skip("removed values, rows of questions (needs all property graphs)")
        return
    check_values(folder, values, graphs[0], graphs[100], findings)
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
