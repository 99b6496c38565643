"""Scores predictions for questions over property graphs: queries, or tables of rows.

A query is run on the graph that was answered from; EX compares its rows with those of the gold on the
complete graph, PSJS what it binds with what the gold binds on the same graph. For the scores of answers, each
row is an answer: a predicted row that equals one of the gold is that one.

Queries are run in memory, on a Neo4j of our own, or on a server that runs already. Tables say what became of
them: states, kinds of errors, and where published scores differ.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rulemine.cypher.rows import ResultTable
from rulemine.errors import ConfigError, counted
from rulemine.evaluation.cypher.constants import spelling_of
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS
from rulemine.evaluation.cypher.judging import STATES, CypherScores, notes_on_provenance
from rulemine.evaluation.cypher.published_differences import DIFFERENCES, PSJS_DIFFERENCES
from rulemine.evaluation.cypher.runners import SECONDS, BoltRunner, InMemoryRunner, Runner
from rulemine.evaluation.cypher.scored_queries import (
    QueryScorer,
    ScoredQuery,
    ScoreJournal,
    predicted_of,
    score_queries,
)
from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.statistics.score import Score
from rulemine.files import describe_content
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question
from rulemine.rules.blocks import MapLike
from rulemine.text.tables import Table

__all__ = [
    "ROW_COLUMNS",
    "ROW_METRICS",
    "CypherRuns",
    "RowScores",
    "opened_runner",
    "score_rows",
]

OF_QUERIES = (
    "ex", "ex_columns", "ex_published", "psjs", "psjs_published", "psjs_edges", "executable",
)  # fmt: skip
"""The scores of a query."""

ROW_METRICS = (*OF_QUERIES, "row_hhr")
"""These, and lost rows given / gold rows given, both as multisets and summed over the questions."""

ROW_COLUMNS = (*OF_QUERIES, "lost_rows_given", "gold_rows_given")
"""The scores of a question."""

_SHOWN = 300
"""Characters of a query that a note shows, at most."""


@dataclass(frozen=True, slots=True)
class CypherRuns:
    """Where predicted queries are run.

    Attributes:
        urls: Name of a graph → the address of a server that has it; "" for all. What has none is run in
            memory.
        neo4j: Whether a Neo4j is started.
        seconds: How long a query may take.
        note: Called with what takes long.
        progress: Called with how many predictions are scored, of how many.
        graphs: Name of a graph that questions of others are about → its file, or what it is called; "" for
            all.
        journal: What is scored already.
    """

    urls: Mapping[str, str] = field(default_factory=dict)
    neo4j: bool = False
    seconds: float = SECONDS
    note: Callable[[str], None] = lambda _text: None
    progress: Callable[[int, int], None] = lambda _done, _total: None
    graphs: Mapping[str, str] = field(default_factory=dict)
    journal: ScoreJournal = field(default_factory=ScoreJournal)


class RowScores(NamedTuple):
    """What became of predictions.

    Attributes:
        questions: The questions, with the rows of their gold.
        queries: What became of the prediction for each.
        scores: Shape (questions, `ROW_COLUMNS`); NaN where a question does not have the score.
        tables: How many predictions became what, and why.
        notes: What a reader must know.
    """

    questions: tuple[Question, ...]
    queries: tuple[ScoredQuery, ...]
    scores: Floats
    tables: tuple[Table, ...]
    notes: tuple[str, ...]

    @property
    def by_id(self) -> dict[str, ScoredQuery]:
        """Question → what became of its prediction."""
        return {q.id: found for q, found in zip(self.questions, self.queries, strict=True)}


def score_rows(
    release: Release,
    questions: Sequence[Question],
    given: Sequence[Prediction | None],
    kg: str,
    level: int,
    runs: CypherRuns,
    spread: MapLike = map,
) -> RowScores:
    """Scores predictions.

    Args:
        release: The release.
        questions: Some of its questions.
        given: The prediction for each; None: there is none.
        kg: The graph that was answered from.
        level: Lost rows are those that this level lacks, 1 … 100.
        runs: Where queries are run.
        spread: Scores those that are run in memory, one at a time.

    Raises:
        ConfigError: See `opened_runner`; or no graph is known, or a name is that of none.
        EndpointError: The server does not answer.
        ReleaseError: The release has no such graph.
    """
    elsewhere = release.has_property_graph and release.level_of(kg) > 0
    graphs = [release.graph_of(question) for question in questions]
    names = [name for name, _ in graphs]
    found: dict[int, ScoredQuery] = {}
    left_out: dict[str, int] = {}
    for name, place in _places(release, dict(graphs), runs).items():
        members = [at for at, own in enumerate(names) if own == name]
        if place is None:
            left_out[name] = len(members)
            unscored = CypherScores("gold not run", said=f"its graph, {name}, is not known.")
            found |= dict.fromkeys(members, ScoredQuery(unscored))
            continue
        which = kg if release.has_property_graph else place.source
        graph = None if which is None else release.property_graph(which)
        with opened_runner(
            graph, url=place.url, neo4j=runs.neo4j, seconds=runs.seconds, note=runs.note
        ) as runner:  # fmt: skip
            scored = score_queries(
                QueryScorer(runner, spelling_of(graph), elsewhere),
                [(questions[at], given[at]) for at in members],
                runs.journal,
                _described(release, kg, place, runs),
                spread if isinstance(runner, InMemoryRunner) else map,
            )
            for at, query in zip(members, scored, strict=True):
                found[at] = query
                runs.progress(len(found), len(questions))
    queries = tuple(found[at] for at in range(len(questions)))
    answered = tuple(map(_answered, questions, queries))
    asked = [
        AskedQuery(question.id, question.block.cypher, _shown(prediction), query)
        for question, prediction, query, name in zip(questions, given, queries, names, strict=True)
        if name not in left_out
    ]
    notes = notes_on_queries(asked, on_server=runs.neo4j or bool(runs.urls))
    if left_out:
        notes.insert(
            0,
            f"{WARNING}{counted(sum(left_out.values()), 'question')} left out, of graphs that were not "
            f"named: {', '.join(sorted(left_out))}. Name each: --graph {min(left_out)}=GRAPH, or --url.",
        )
    return RowScores(
        answered, queries, _scores(answered, queries, level), tables_of_queries(asked), tuple(notes)
    )


class _Place(NamedTuple):
    """Where a graph is: a file or a name, a server; neither: in the release."""

    source: str | None = None
    url: str | None = None


def _places(
    release: Release, files: Mapping[str, str | None], runs: CypherRuns
) -> dict[str, _Place | None]:
    """Where each graph is that questions are about; None: that is not known."""
    names = list(files)
    for option, given in (("--graph", runs.graphs), ("--url", runs.urls)):
        if "" in given and len(names) > 1:
            raise ConfigError(
                f"{option} {given['']}: the questions are about several graphs ({', '.join(names[:5])}). "
                f"Say which: {option} {names[0]}={given['']}; questions of the others are left out."
            )
        if unknown := sorted(set(given) - {"", *names}):
            raise ConfigError(
                f"{option} {unknown[0]}=…: no question is about a graph {unknown[0]!r}; known: "
                f"{', '.join(names[:5])}."
            )
    if runs.graphs and (release.has_property_graph or release.named_graphs):
        raise ConfigError(f"--graph: {release.path} has its graph. Leave it out.")
    if release.has_property_graph:
        return {"": _Place(url=runs.urls.get(""))}
    found: dict[str, _Place | None] = {}
    for name, file in files.items():
        source = runs.graphs.get(name, runs.graphs.get("", file))
        url = runs.urls.get(name, runs.urls.get(""))
        found[name] = _Place(source, url) if source or url else None
    if not any(found.values()):
        listed = ", ".join(name for name in names[:5] if name) or "none is named"
        raise ConfigError(
            f"{release.path}: which graph are its questions about ({listed})? Name it: --graph, or --url."
        )
    return found


def _described(release: Release, kg: str, place: _Place, runs: CypherRuns) -> str:
    """Identifies a graph and the limits of runs on it."""
    path = Path(place.source or "")
    content = describe_content(path) if path.is_file() else (release.identity, kg)
    return f"{place} {content} {runs.neo4j} {runs.seconds}"


def _answered(question: Question, found: ScoredQuery) -> Question:
    """A question with the rows of its gold, which a file of others need not state."""
    if found.gold == question.block.rows:
        return question
    answers = tuple(sorted(set(found.gold)))
    block = replace(question.block, rows=found.gold)
    return replace(question, answers=answers, stated=answers, block=block)


def _shown(prediction: Prediction | None) -> str:
    given = None if prediction is None else predicted_of(prediction)
    return given if isinstance(given, str) else repr(given or "")


def _scores(questions: Sequence[Question], queries: Sequence[ScoredQuery], level: int) -> Floats:
    values = [
        [
            *(getattr(found.scores, name) for name in OF_QUERIES),  # None becomes NaN
            *_shares(question.block, found.rows, level),
        ]
        if found.scores.scored
        else [np.nan] * len(ROW_COLUMNS)
        for question, found in zip(questions, queries, strict=True)
    ]
    return np.array(values, np.float64).reshape(len(questions), len(ROW_COLUMNS))


def _shares(block: Any, given: Sequence[str], level: int) -> tuple[float, float]:
    """How many lost rows and how many rows of the gold are given."""
    lost = next((change.lost for change in reversed(block.levels) if change.level <= level), ())
    there = Counter(block.rows) & Counter(given)
    # Of equal rows, those that the graph still states are given first.
    stated = Counter(block.rows) - Counter(lost)
    return float((there - stated).total()), float(there.total())


@contextmanager
def opened_runner(
    graph: PropertyGraph | None,
    *,
    url: str | None = None,
    neo4j: bool = False,
    seconds: float = SECONDS,
    note: Callable[[str], None] = lambda _text: None,
) -> Iterator[Runner]:
    """A runner for as long as a block runs.

    Args:
        graph: The graph; None: what the server at `url` has, unseen.
        url: The address of a server that has the graph; None: there is none.
        neo4j: Whether a Neo4j is started for the block and loaded with the graph.
        seconds: How long a query may take.
        note: Called with sentences about what takes long.

    Raises:
        ConfigError: The server has another number of nodes or edges than the graph; or both are asked for; or
            there are no seconds.
        EndpointError: No server answers at `url`.
        JavaError: Neo4j cannot be fetched or started.
    """
    if not seconds > 0:
        raise ConfigError(f"--seconds: {seconds:g}; expected more than 0.")
    if url is not None and neo4j:
        raise ConfigError("--neo4j starts a Neo4j, and --url names one that runs. Leave one out.")
    if url is None and graph is None:
        raise ConfigError("there is no graph to run queries on. Name one: --graph, or --url.")
    if url is None and not neo4j and graph is not None:
        yield InMemoryRunner(graph, seconds)
        return
    from rulemine.neo4j.bolt import connected
    from rulemine.neo4j.server import temporary

    if url is not None:
        with connected(url) as bolt:
            runner = BoltRunner(bolt, seconds)
            if graph is not None:
                _check(runner, graph, url)
            yield runner
    elif graph is not None:
        with temporary(note=note) as address, connected(address) as bolt:
            bolt.load_properties(graph)
            yield BoltRunner(bolt, seconds)


def _check(runner: Runner, graph: PropertyGraph, url: str) -> None:
    """Refuses a server that cannot have the graph."""
    wanted = len(graph.nodes), len(graph.edges)
    counts = [runner.rows(f"MATCH {what} RETURN count(*)") for what in ("(n)", "()-[r]->()")]
    found = tuple(each.rows[0][0] for each in counts if isinstance(each, ResultTable))
    if found != wanted:
        nodes, edges = (f"{number:,}" for number in wanted)
        has = " nodes and ".join(f"{number:,}" for number in found)
        raise ConfigError(
            f"{url}: has {has} edges; the graph has {nodes} nodes and {edges} edges. Load the graph "
            "there, or let one be started: --neo4j."
        )


class AskedQuery(NamedTuple):
    """A prediction with what became of it.

    Attributes:
        id: The id of its question.
        gold: The gold query.
        predicted: What was predicted, as text.
        found: What became of it.
    """

    id: str
    gold: str
    predicted: str
    found: ScoredQuery


def tables_of_queries(asked: Sequence[AskedQuery]) -> tuple[Table, ...]:
    """The tables that have a row."""

    def differs(row: AskedQuery) -> str:
        return f"; first {row.id}: {_cut(row.predicted)}, where the gold is {_cut(row.gold)}"

    tables = (
        _counted(
            "states", "What became of predictions", "state", asked, STATES,
            lambda row: (row.found.scores.state,),
            lambda row: f"; first {row.id}: {_cut(message)}" if (message := row.found.scores.said) else "",
        ),
        _errors(asked),
        _counted("differences", "Where EX as published differs", "why", asked, DIFFERENCES,
                 lambda row: (row.found.difference,), differs),
        _counted("differences-psjs", "Where PSJS as published differs", "why", asked, PSJS_DIFFERENCES,
                 lambda row: (row.found.psjs_difference,), differs),
    )  # fmt: skip
    return tuple(table for table in tables if table.rows)


def notes_on_queries(asked: Sequence[AskedQuery], *, on_server: bool) -> list[str]:
    """What a reader of the scores must know."""
    scores = [row.found.scores for row in asked]
    notes = notes_on_provenance(scores)
    if bad := [row for row in asked if row.found.scores.state == "gold failed"]:
        notes.append(
            f"{WARNING}the gold of {counted(len(bad), 'question')} fails, an error of the data; these are "
            f"not scored. The first, {bad[0].id}: {bad[0].found.scores.said}"
        )
    if other := [row for row in asked if not row.found.agrees]:
        notes.append(
            f"{WARNING}the gold of {counted(len(other), 'question')} gives other rows here than are stated "
            f"of it, first {other[0].id}. Is this the graph that they were made from?"
        )
    if unrun := [row for row in asked if row.found.scores.state in ("not run", "gold not run")]:
        advice = "" if on_server else " A Neo4j may run them: --neo4j."
        notes.append(
            f"{counted(len(unrun), 'prediction')} not run, and in no score; the first, {unrun[0].id}: "
            f"{unrun[0].found.scores.said}{advice}"
        )
    scored = [one for one in scores if one.scored]
    if tables := sum(one.state == "rows" for one in scored):
        notes.append(
            f"{counted(tables, 'prediction')} of rows: without PSJS, and not among what runs."
        )
    if lost := sum(
        one.psjs is None and one.binds in ("", "edges", "nodes") and one.state != "rows"
        for one in scored
    ):
        notes.append(
            f"{counted(lost, 'prediction')} without PSJS: what they bind cannot be found out."
        )
    return notes


def _counted(
    id_: str,
    title: str,
    heading: str,
    asked: Sequence[AskedQuery],
    words: Mapping[str, str],
    of: Callable[[AskedQuery], Sequence[str]],
    first: Callable[[AskedQuery], str],
) -> Table:
    """How many are of each group, and below it what the group is and what the first of it is."""
    groups = {name: some for name in words if (some := [row for row in asked if name in of(row)])}
    notes = tuple(f"{name}: {words[name]}{first(some[0])}" for name, some in groups.items())
    rows = tuple((name, len(some)) for name, some in groups.items())
    return Table(id_, title, (heading, "n"), rows, notes)


def _errors(asked: Sequence[AskedQuery]) -> Table:
    wrong = [row.found.scores.kinds for row in asked if row.found.scores.kinds]
    table = _counted(
        "errors", "Kinds of errors", "kind", asked, ERROR_KINDS, lambda row: row.found.scores.kinds,
        lambda row: f"; first {row.id}" + f": {_cut(row.predicted)}" * bool(row.predicted),
    )  # fmt: skip
    counts = Counter(kind for kinds in wrong for kind in kinds)
    rows = tuple((*row, Score(counts[str(row[0])] / len(wrong), None, None)) for row in table.rows)
    notes = table.notes
    if several := sum(len(kinds) > 1 for kinds in wrong):
        has = "has" if several == 1 else "have"
        note = f"{counted(several, 'prediction')} of {len(wrong):,} wrong ones {has} several kinds."
        notes = (note, *notes)
    return replace(table, header=(*table.header, "share of wrong ones"), rows=rows, notes=notes)


def _cut(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
