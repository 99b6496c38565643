"""Predictions that are queries: run on the graph that was answered from, and scored by what they give."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from rulemine.errors import counted
from rulemine.evaluation.sparql.running import KINDS, Ran, SparqlRunner
from rulemine.release.guessing import order_of_names
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, translation
from rulemine.rules.blocks import MapLike
from rulemine.text.tables import Table

__all__ = ["RunPredictions", "run_predictions"]

MOST_QUERIES = 256
"""Queries in a block."""

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
    spread: MapLike = map,
) -> RunPredictions:
    """Runs the queries of predictions, each text once; where there is none, nothing happens.

    Args:
        release: The release.
        given: The predictions, None where there is none.
        kg: The graph that was answered from.
        naming: The naming of the predictions.
        spread: Runs blocks of queries.

    Raises:
        ConfigError: The system cannot fork, or the graph does not fit into memory.
        ReleaseError: The release has no such graph.
    """
    if not any(p is not None and p.sparql is not None for p in given):
        return RunPredictions(given, [], ())
    graph = release.kg(kg)
    if naming != release.naming:
        graph = graph.renamed(translation(release.entities, release.naming, naming))
    order = order_of_names(release.entities, naming)
    how_many = {q.id for q in release.questions() if q.value is not None}
    texts = {p.id: (p.sparql, p.id in how_many) for p in given if p and p.sparql is not None}
    once = list(dict.fromkeys(texts.values()))
    blocks = [once[at : at + MOST_QUERIES] for at in range(0, len(once), MOST_QUERIES)]
    with SparqlRunner(graph, order) as runner:
        results = chain.from_iterable(spread(runner.run_all, blocks))
        found: Mapping[tuple[str, bool], Ran] = dict(zip(once, results, strict=True))
    ran = {key: found[text] for key, text in texts.items()}
    answered = [
        p if p is None or p.id not in ran else replace(p, answers=ran[p.id].answers) for p in given
    ]
    return RunPredictions(answered, _notes(ran), (_table(ran),))


def _notes(ran: Mapping[str, Ran]) -> list[str]:
    wrong = [row for row in ran.values() if row.kind != "run"]
    if not wrong:
        return []
    notes = [
        f"{len(wrong):,} of {counted(len(ran), 'query', 'queries')} give no answer, and count as none."
    ]
    if any(row.kind == "too long" for row in wrong):
        notes.append("Which queries take too long depends on the machine.")
    return notes


def _table(ran: Mapping[str, Ran]) -> Table:
    """How many queries became what, with the first of each kind."""
    many = Counter(row.kind for row in ran.values())
    notes = []
    for kind, what in KINDS.items():
        first = next((key for key in ran if ran[key].kind == kind), None)
        if first is not None:
            example = f"; first {first}: {ran[first].said[:_SHOWN]}" if ran[first].said else ""
            notes.append(f"{kind}: {what}{example}")
    rows = tuple((kind, many[kind]) for kind in KINDS if many[kind])
    return Table("sparql", "What became of queries", ("query", "n"), rows, tuple(notes))
