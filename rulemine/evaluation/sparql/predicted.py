"""Predictions that are queries: run on the graph that was answered from, and scored by what they give."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rulemine.errors import counted
from rulemine.evaluation.sparql.running import KINDS, Ran, SparqlRunner
from rulemine.release.guessing import order_of_names
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, translation
from rulemine.text.tables import Table

__all__ = ["RunPredictions", "run_predictions"]

_SHOWN = 300


class RunPredictions(NamedTuple):
    """Predictions with answers in the place of queries.

    Attributes:
        given: The predictions; one that was a query has both.
        notes: What a reader must know.
        tables: How many queries became what; none without a query.
    """

    given: Sequence[Prediction | None]
    notes: list[str]
    tables: tuple[Table, ...]


def run_predictions(
    release: Release,
    given: Sequence[Prediction | None],
    kg: str,
    naming: str,
) -> RunPredictions:
    """Runs the queries of predictions, each text once; where there is none, nothing happens.

    Args:
        release: The release.
        given: The predictions, None where there is none.
        kg: The graph that was answered from.
        naming: The naming of the predictions.

    Raises:
        ConfigError: The system cannot fork, or the graph does not fit into memory.
        ReleaseError: The release has no such graph.
    """
    texts = {p.id: p.sparql for p in given if p is not None and p.sparql is not None}
    if not texts:
        return RunPredictions(given, [], ())
    graph = release.kg(kg)
    if naming != release.naming:
        graph = graph.renamed(translation(release.entities, release.naming, naming))
    how_many = {q.id for q in release.questions() if q.value is not None}
    asked = {id_: (text, id_ in how_many) for id_, text in texts.items()}
    once = list(dict.fromkeys(asked.values()))
    with SparqlRunner(graph, order_of_names(release.entities, naming)) as runner:
        found: Mapping[tuple[str, bool], Ran] = dict(zip(once, runner.run_all(once), strict=True))
    ran = {id_: found[one] for id_, one in asked.items()}
    answered = [replace(p, answers=ran[p.id].answers) if p and p.id in ran else p for p in given]
    notes: list[str] = []
    if wrong := [row.kind for row in ran.values() if row.kind != "run"]:
        many = counted(len(ran), "query", "queries")
        notes.append(f"{len(wrong):,} of {many} give no answer, and count as none.")
    if "too long" in wrong:
        notes.append("Which queries take too long depends on the machine.")
    return RunPredictions(answered, notes, (_table(ran),))


def _table(ran: Mapping[str, Ran]) -> Table:
    """How many queries became what, with the first of each kind."""
    rows, notes = [], []
    for kind, what in KINDS.items():
        if keys := [key for key, row in ran.items() if row.kind == kind]:
            said = ran[keys[0]].said[:_SHOWN]
            rows.append((kind, len(keys)))
            notes.append(f"{kind}: {what}" + f"; first {keys[0]}: {said}" * bool(said))
    return Table("sparql", "What became of queries", ("query", "n"), tuple(rows), tuple(notes))
