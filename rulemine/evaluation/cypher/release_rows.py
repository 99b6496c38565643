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
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np

from rulemine.cypher.rows import Failed, NotRun, ResultTable, row_of, row_text
from rulemine.errors import ConfigError, counted
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS, Diagnosis
from rulemine.evaluation.cypher.judging import (
    STATES,
    CypherJudge,
    CypherScores,
    GoldTable,
    Predicted,
    spelled,
    spelling_of,
)  # fmt: skip
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.evaluation.cypher.results import execution_match, matched_rows
from rulemine.evaluation.cypher.runners import (
    SECONDS,
    TIMED_OUT,
    BoltRunner,
    InMemoryRunner,
    Runner,
)
from rulemine.evaluation.metrics import OF_QUERIES, ROW_COLUMNS, Floats
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.spelling import Spelling
from rulemine.evaluation.statistics.score import Score
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question
from rulemine.rules.blocks import MapLike
from rulemine.text.tables import Table, Values
from rulemine.text.visible_reply import visible_reply

__all__ = [
    "CypherRuns",
    "QueryScorer",
    "RowScores",
    "ScoredQuery",
    "notes_on_queries",
    "opened_runner",
    "predicted_of",
    "score_rows",
]

_SHOWN = 300
"""Characters of a query that a note shows, at most."""


class ScoredQuery(NamedTuple):
    """What became of a prediction.

    Attributes:
        id: The id of its question.
        predicted: What was predicted, as text.
        scores: Its scores.
        gold: The rows of the gold, as texts; none if they are not known.
        rows: Its own, as the gold's where they equal those.
        agrees: Whether the gold gives the rows that are stated of it, if any are.
    """

    id: str
    predicted: str
    scores: CypherScores
    gold: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    agrees: bool = True

    @property
    def columns(self) -> dict[str, str]:
        """What became of it beside its scores, by column of a table."""
        scores = self.scores
        return {"state": scores.state, "kinds": "; ".join(scores.kinds), "error": scores.said}


class QueryScorer:
    """Scores predictions for questions of one graph; can be pickled if its runner can.

    Args:
        runner: Runs queries on the graph that was answered from.
        spelling: The letters of the graph's texts, which the constants of predictions are put into.
        elsewhere: Whether the gold was answered on another graph.
    """

    def __init__(self, runner: Runner, spelling: Spelling, elsewhere: bool) -> None:
        self._judge, self._diagnosis = CypherJudge(runner), Diagnosis(runner)
        self._spelling, self._elsewhere = spelling, elsewhere

    def __call__(self, asked: tuple[str, Any, Predicted]) -> ScoredQuery:
        """What becomes of a prediction.

        Args:
            asked: The id and the block of a question, and what was predicted for it.

        Raises:
            EndpointError: The server does not answer any more.
        """
        id_, block, given = asked
        predicted = given if isinstance(given, str) else repr(given or "")
        if isinstance(given, str):
            given = spelled(given, self._spelling)
        table, agrees = self._gold(block)
        scores, found = self._judge.judged(block.cypher, table, given, elsewhere=self._elsewhere)
        texts = tuple(block.rows)
        if isinstance(table, GoldTable) and not block.columns:  # the file does not state the rows
            own = map(row_text, table.rows)
            texts = tuple(sorted(own) if table.keys is None else own)
        rows = texts if scores.state == "same" else ()
        if found is not None and isinstance(table, GoldTable):
            rows = tuple(matched_rows(table.rows, found.rows, table.tied))
            if scores.state == "run" and table.keys is None:
                rows = tuple(sorted(rows))  # any order will do, and each server has its own
        if isinstance(table, GoldTable) and not self._elsewhere:
            kinds = self._diagnosis.kinds(block.cypher, table, given, scores, found)
            scores = replace(scores, kinds=kinds)
        return ScoredQuery(id_, predicted, scores, texts, rows, agrees)

    def _gold(self, block: Any) -> tuple[GoldTable | Failed | NotRun, bool]:
        """What a prediction is compared with, and whether the gold gives what is stated of it."""
        if not block.columns:
            return self._judge.gold(block.cypher), True
        keys = [row_of(key)[0] for key in block.keys] if block.ordered else None
        rows, tied = ([row_of(text) for text in texts] for texts in (block.rows, block.tied))
        stated = GoldTable(rows, keys, tied)
        if self._elsewhere:
            return stated, True
        run = self._judge.gold(block.cypher)
        if isinstance(run, Failed) and TIMED_OUT not in run.code:
            return run, True
        if not isinstance(run, GoldTable):
            return stated, True
        agrees = execution_match(rows, run.rows, keys=keys, tied=tied)
        if agrees and keys is None:  # the file need not say that their order counts
            return run, True
        # As published, rows with equal keys have to come as the gold gives them there.
        return stated._replace(plain=run.rows if run.plain is None else run.plain), agrees


def predicted_of(prediction: Prediction) -> Predicted:
    """The query or the rows of a prediction.

    Of answers these are rows of one column; of a raw output without a query, all of it but
    thoughts, which fails, or counts as no prediction where nothing is left.
    """
    if prediction.rows is not None:
        return tuple(map(row_of, prediction.rows))
    if prediction.answers is not None:
        return tuple((answer,) for answer in prediction.answers)
    if prediction.cypher is not None:
        return prediction.cypher.strip()
    output = prediction.raw_output or ""
    return cypher_of(output)[0] or visible_reply(output).strip()


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
    """

    urls: Mapping[str, str] = field(default_factory=dict)
    neo4j: bool = False
    seconds: float = SECONDS
    note: Callable[[str], None] = lambda _text: None
    progress: Callable[[int, int], None] = lambda _done, _total: None
    graphs: Mapping[str, str] = field(default_factory=dict)


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
        return {found.id: found for found in self.queries}


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
    predicted = [None if one is None else predicted_of(one) for one in given]
    found: dict[int, ScoredQuery] = {}
    left_out: dict[str, int] = {}
    for name, place in _places(release, dict(graphs), runs).items():
        members = [at for at, (own, _) in enumerate(graphs) if own == name]
        if place is None:
            left_out[name] = len(members)
            unscored = CypherScores("gold not run", said=f"its graph, {name}, is not known.")
            found |= {at: ScoredQuery(questions[at].id, "", unscored) for at in members}
            continue
        which = kg if release.has_property_graph else place[0]
        graph = None if which is None else release.property_graph(which)
        with opened_runner(
            graph, url=place[1], neo4j=runs.neo4j, seconds=runs.seconds, note=runs.note
        ) as runner:
            scorer = QueryScorer(runner, spelling_of(graph), elsewhere)
            each = spread if isinstance(runner, InMemoryRunner) else map
            asked = [(questions[at].id, questions[at].block, predicted[at]) for at in members]
            for at, query in zip(members, each(scorer, asked), strict=True):
                found[at] = query
                runs.progress(len(found), len(questions))
    queries = tuple(found[at] for at in range(len(questions)))
    answered = tuple(map(_answered, questions, queries))
    told = [one for one, (name, _) in zip(queries, graphs, strict=True) if name not in left_out]
    notes = notes_on_queries(told, on_server=runs.neo4j or bool(runs.urls))
    if left_out:
        notes.insert(
            0,
            f"{WARNING}{counted(sum(left_out.values()), 'question')} left out, of graphs that were not "
            f"named: {', '.join(sorted(left_out))}. Name each: --graph {min(left_out)}=GRAPH, or --url.",
        )
    return RowScores(
        answered, queries, _scores(answered, queries, level), tables_of_queries(told), tuple(notes)
    )


def _places(
    release: Release, files: Mapping[str, str | None], runs: CypherRuns
) -> dict[str, tuple[str | None, str | None] | None]:
    """The file or name of each graph that questions are about, and its server; None: neither is known.

    A release has its own graph; then both may be missing.
    """
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
        return {"": (None, runs.urls.get(""))}
    found: dict[str, tuple[str | None, str | None] | None] = {}
    for name, file in files.items():
        source = runs.graphs.get(name, runs.graphs.get("", file))
        url = runs.urls.get(name, runs.urls.get(""))
        found[name] = (source, url) if source or url else None
    if not any(found.values()):
        listed = ", ".join(name for name in names[:5] if name) or "none is named"
        raise ConfigError(
            f"{release.path}: which graph are its questions about ({listed})? Name it: --graph, or --url."
        )
    return found


def _answered(question: Question, found: ScoredQuery) -> Question:
    """A question with the rows of its gold, which a file of others need not state."""
    if found.gold == question.block.rows:
        return question
    answers = tuple(sorted(set(found.gold)))
    block = replace(question.block, rows=found.gold)
    return replace(question, answers=answers, stated=answers, block=block)


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


def tables_of_queries(asked: Sequence[ScoredQuery]) -> tuple[Table, ...]:
    """What became of predictions, and the kinds of errors of those that are wrong."""
    states = [(row.scores.state, row.id, row.scores.said) for row in asked]
    errors = [(kind, row.id, row.predicted) for row in asked for kind in row.scores.kinds]
    wrong = sum(bool(row.scores.kinds) for row in asked)
    tables = (
        _counted("states", "What became of predictions", "state", states, STATES),
        _counted("errors", "Kinds of errors", "kind", errors, ERROR_KINDS, wrong),
    )
    return tuple(table for table in tables if table.rows)


def notes_on_queries(asked: Sequence[ScoredQuery], *, on_server: bool) -> list[str]:
    """What a reader of the scores must know; a warning first if no gold finds anything."""
    scores = [row.scores for row in asked]
    scored = [one for one in scores if one.scored]
    states, binds = Counter(one.state for one in scores), Counter(one.binds for one in scored)
    seen = [one for one in scored if one.binds or one.rows is not None]
    empty = bool(seen) and all(
        one.binds == "nothing" or not (one.binds or one.rows) for one in seen
    )
    other = [row.id for row in asked if not row.agrees]

    def first(state: str) -> str:
        said = (f"{r.id}: {r.scores.said}" for r in asked if r.scores.state == state)
        return f"the first, {next(said, '')}"

    advice = "" if on_server else " A Neo4j may run them: --neo4j."
    unbound, no_edges = binds["nothing"], binds["nothing"] + binds["nodes"]
    failed, unrun, lost = states["gold failed"], states["not run"], states["gold not run"]
    notes = (
        (empty, f"{WARNING}no gold query of {counted(len(seen), 'question')} finds anything in this graph, "
         "so the scores say nothing. Is it the graph that the questions are about, and is all of it loaded?"),
        (binds["late"], f"{counted(binds['late'], 'question')} of which what the gold binds takes too long, "
         "or is too much, to find out: left out of PSJS and PSJS edges."),
        (unbound, f"{counted(unbound, 'question')} of which the gold binds no node on this graph: left out "
         "of PSJS."),
        (no_edges, f"{counted(no_edges, 'question')} of which the gold binds no edge on this graph: left "
         "out of PSJS edges."),
        (failed, f"{WARNING}the gold of {counted(failed, 'question')} fails, an error of the data; these "
         f"are not scored; {first('gold failed')}"),
        (other, f"{WARNING}the gold of {counted(len(other), 'question')} gives other rows here than are "
         f"stated of it, first {', '.join(other[:1])}. Is this the graph that they were made from?"),
        (unrun, f"{counted(unrun, 'prediction')} not run, and wrong; {first('not run')}{advice}"),
        (lost, f"{counted(lost, 'question')} of which the gold is not run: in no score; "
         f"{first('gold not run')}{advice}"),
        (states["rows"], f"{counted(states['rows'], 'prediction')} of rows: without PSJS, and not among "
         "what runs."),
    )  # fmt: skip
    return [text for number, text in notes if number]


def _counted(
    id_: str,
    title: str,
    heading: str,
    found: Sequence[tuple[str, str, str]],
    words: Mapping[str, str],
    whole: int = 0,
) -> Table:
    """How many are of each kind, with the share of `whole` if that is given, and below it the first.

    Args:
        id_: The id of the table.
        title: Its title.
        heading: What a kind is called.
        found: Kind, id of the question and what is shown of it, of each.
        words: Kind → in words, in the order of the rows.
        whole: How many are wrong; 0: no share is shown.
    """
    counts, first = Counter(kind for kind, _, _ in found), {row[0]: row for row in reversed(found)}
    kinds = [kind for kind in words if counts[kind]]
    notes = (
        f"{kind}: {words[kind]}"
        + (f"; first {id_}: {text}" if (text := shorten(said, _SHOWN, placeholder=" …")) else "")
        for kind, id_, said in (first[kind] for kind in kinds)
    )
    rows: list[Values] = [
        (kind, counts[kind], *([Score(counts[kind] / whole, None, None)] if whole else []))
        for kind in kinds
    ]
    header = (heading, "n", *["share of wrong ones"] * bool(whole))
    return Table(id_, title, header, tuple(rows), tuple(notes))
