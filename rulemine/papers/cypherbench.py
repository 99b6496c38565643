"""The tables and figures of CypherBench (arXiv 2412.18702v2).

Of questions and graphs: templates with examples, sizes, distributions. Of systems: scores, by template, and
kinds of errors. The authors run queries on whole graphs, so a study counts with its most complete graph;
predictions count with the graph that they say.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rulemine.cypher.questions.templates import CATEGORIES, MATCHES, RETURN_GROUPS, RETURNS
from rulemine.evaluation.comparing.comparison import compare, note_about
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS
from rulemine.evaluation.cypher.release_rows import predicted_of
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.statistics.score import Score
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.registry import tool
from rulemine.papers.material import Material
from rulemine.papers.paper import Exhibit, LackingError, Made, Paper
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Prediction, Question
from rulemine.text.tables import Cell, Table, Value, percent, under_headings

__all__ = ["CYPHERBENCH", "LEVELS_OF_ERRORS", "NAMES_OF_ERRORS"]

_SCORES = ("ex_published", "psjs_published", "executable", "ex", "ex_columns", "psjs")
"""The paper's three, as its program has them; then ours."""

NAMES_OF_ERRORS = {
    "syntax": ("syntax", "limit", "runtime"),
    "schema violation": ("schema:type", "schema:relation", "schema:property"),
    "reversed direction": ("direction",),
    "entity linking": ("name", "wrong:name"),
    "wrong type or relation": ("wrong:type", "wrong:relation"),
    "node objects": ("nodes",),
    "results not aligned": ("columns",),
    "no deduplication": ("duplicates", "order"),
    "grouping": ("grouping",),
    "pattern": ("pattern",),
    "others": ("filter", "missing", "refused", "unread"),
}
"""What errors are called here, after the paper → our kinds of them."""

LEVELS_OF_ERRORS = {
    "not in the graph": ("schema:type", "schema:relation", "schema:property", "direction", "name"),
    "there, not meant": (
        "wrong:name", "wrong:type", "wrong:relation", "filter", "grouping", "pattern",
    ),
    "form of the rows": ("nodes", "columns", "duplicates", "order"),
    "does not run": ("missing", "refused", "syntax", "limit", "runtime"),
    "not known": ("unread",),
}  # fmt: skip
"""The first level: what a query names that the graph lacks, or has the other way round; what it has, and the
question does not mean; and so on."""

_ORDER = {name: at for at, name in enumerate((*CATEGORIES, *RETURN_GROUPS))}

_AS_PUBLISHED = {
    "optional-match": "optional",
    "three-node-groupby": "group-by",
    "time-sensitive": "time",
}
"""Special categories of MATCH as CypherBench's files name them → as ours."""

_WORDS = (5, 10, 15, 20, 25, 30)
"""Upper bounds of the bins of words in a question."""


class _Systems(NamedTuple):
    """Systems that were scored on the same questions.

    Attributes:
        id: Of their tables; "" if there are no others.
        title: What they were scored on.
        release: The release.
        reports: System → report.
        given: System → its predictions.
    """

    id: str
    title: str
    release: Release
    reports: Mapping[str, Report]
    given: Mapping[str, Sequence[Prediction]]


def _systems(material: Material) -> list[_Systems]:
    found: list[_Systems] = []
    for study in material.studies:
        if study.study.release.answers != "rows":
            continue
        level = min(study.study.plan.levels)
        reports = {study.called[name]: report for name, report in study.on(level).items()}
        given = {study.called[name]: study.predictions(name, level) for name in study.on(level)}
        found.append(_Systems("", "", study.study.release, reports, given))
    for release in material.releases:
        scored = material.reports.get(release.identity)
        if scored and release.answers == "rows":
            given = {
                name: read_predictions(
                    path, release.questions(), split=material.split, missing="empty"
                )
                for name, (path, _) in scored.items()
            }
            reports = {name: report for name, (_, report) in scored.items()}
            found.append(_Systems("", "", release, reports, given))
    if not found:
        raise LackingError(
            "a study of a release whose questions ask property graphs for rows, or predictions for one"
        )
    several = len(found) > 1
    return [
        one._replace(id=str(number) if several else "", title=_title(one))
        for number, one in enumerate(found, start=1)
    ]


def _title(systems: _Systems) -> str:
    report = next(iter(systems.reports.values()))
    graphs = dict.fromkeys(one.kg for one in systems.reports.values())
    return f"{systems.release.name}, {report.split} questions, {' and '.join(graphs)} graph"


def scores(material: Material) -> Iterator[Table]:
    """Table 3: systems side by side, and each with each."""
    for one in _systems(material):
        rows: list[tuple[Value, ...]] = []
        notes: dict[str, None] = {}
        for name, report in one.reports.items():
            rows.append((name, report.n, *(report.overall[metric] for metric in _SCORES)))
            for note in report.notes:
                shared = all(note in other.notes for other in one.reports.values())
                notes[note if shared else note_about(name, note)] = None
        header = ("system", "n", *(TITLES[metric] for metric in _SCORES))
        yield Table(one.id, f"scores on {one.title}", header, tuple(rows), tuple(notes))
        if len(one.reports) > 1:
            pairs = compare(one.reports, ("ex_published", "psjs_published", "ex"))
            for table in pairs.tables():
                yield replace(table, id=f"{one.id}-pairs".strip("-"))


def by_template(material: Material) -> Iterator[Picture]:
    """Figure 5: EX by category of MATCH, by RETURN of basic questions, and by graph."""
    for one in _systems(material):
        any_of = next(iter(one.reports.values()))
        match = "match" if any(row.breakdown == "match" for row in any_of.rows) else "structure"
        for breakdown, id_, across in (
            (match, "match", "MATCH"),
            ("return", "return", "RETURN, basic questions"),
            ("graph", "graph", "graph"),
        ):
            rows = [row for row in any_of.rows if row.breakdown == breakdown and row.n]
            rows.sort(key=lambda row: _ORDER.get(row.group.removeprefix("basic_"), len(_ORDER)))
            if not rows:
                continue
            series = []
            for name, report in one.reports.items():
                found = [report.row(breakdown, row.group).scores["ex_published"] for row in rows]
                series.append(Series(name, tuple(found)))
            yield Picture(
                f"{one.id}-{id_}".strip("-"),
                f"EX as published by {across}, {one.title}",
                "In percent, with 95 % bootstrap intervals.",
                "bars",
                across,
                "EX as published",
                tuple(row.group for row in rows),
                tuple(series),
                tuple(row.n for row in rows),
            )


class _Errors(NamedTuple):
    """The kinds of the wrong predictions of a system."""

    kinds: Mapping[str, Sequence[str]]

    def of(self, kinds: Sequence[str]) -> int:
        """Wrong predictions that have one of some kinds."""
        return sum(any(kind in kinds for kind in own) for own in self.kinds.values())

    def share(self, kinds: Sequence[str]) -> float | None:
        return self.of(kinds) / len(self.kinds) if self.kinds else None


def _errors(systems: _Systems) -> dict[str, _Errors]:
    """System → its errors, for those whose errors are known: those that ran on the graph of the gold."""
    found = {}
    for name, report in systems.reports.items():
        queries = report.queries or {}
        kinds = {id_: query.scores.kinds for id_, query in queries.items() if query.scores.kinds}
        wrong = [id_ for id_, query in queries.items() if query.scores.ex == 0.0]
        if kinds or not wrong:
            found[name] = _Errors(kinds)
    return found


def _with_errors(material: Material) -> list[tuple[_Systems, dict[str, _Errors]]]:
    found = [(one, known) for one in _systems(material) if (known := _errors(one))]
    if not found:
        raise LackingError("predictions on the complete graph, where kinds of errors are known")
    return found


def examples(material: Material) -> Iterator[Table]:
    """Table 4: the first wrong prediction of each system that has an error of the paper's."""
    for one, known in _with_errors(material):
        questions = {question.id: question for question in one.release.questions()}
        rows: list[tuple[str, tuple[Value, ...]]] = []
        for system, errors_ in known.items():
            given = {prediction.id: prediction for prediction in one.given[system]}
            for name, kinds in NAMES_OF_ERRORS.items():
                ids = (id_ for id_, own in errors_.kinds.items() if any(k in kinds for k in own))
                if (id_ := next(ids, None)) is None:
                    continue
                asked = questions[id_]
                what = predicted_of(given[id_]) if id_ in given else None
                shown = what if isinstance(what, str) else "–" if what is None else str([*what])
                row = (
                    name,
                    "; ".join(errors_.kinds[id_]),
                    id_,
                    asked.question,
                    asked.block.cypher,
                    shown,
                )
                rows.append((system, row))
        header = ("error", "our kinds", "question", "text", "gold", "predicted")
        yield Table(one.id, f"wrong predictions on {one.title}", header, under_headings(rows))


def errors(material: Material) -> Iterator[Table]:
    """Table 13: the errors, with our kinds, and how many wrong predictions have each."""
    for one, known in _with_errors(material):
        header = ("error", "found by", *known)
        wrong = [len(own.kinds) for own in known.values()]
        rows: list[tuple[Value, ...]] = [("wrong predictions", "EX is 0", *wrong)]
        for name, kinds in NAMES_OF_ERRORS.items():
            rows.append((name,))
            if len(kinds) > 1:
                rows.append(("all", "any of these", *_numbers(known, kinds)))
            rows += [(kind, ERROR_KINDS[kind], *_numbers(known, (kind,))) for kind in kinds]
        note = (
            "A prediction may have several errors. The paper sorts errors by hand; here all wrong "
            "predictions are sorted, by parsing and running them."
        )
        yield Table(one.id, f"errors on {one.title}", header, tuple(rows), (note,))


def _numbers(known: Mapping[str, _Errors], kinds: Sequence[str]) -> list[Value]:
    found: list[Value] = []
    for own in known.values():
        share = own.share(kinds)
        found.append(Cell(f"{own.of(kinds):,}", "" if share is None else f"{percent(share)} %"))
    return found


def error_shares(material: Material) -> Made:
    """Figure 6: shares of wrong predictions that have an error, by system."""
    for one, known in _with_errors(material):
        wrong = ", ".join(f"{name} {len(own.kinds):,}" for name, own in known.items())
        for id_, groups, what in (
            ("", NAMES_OF_ERRORS, "errors"),
            ("level", LEVELS_OF_ERRORS, "errors, first level"),
        ):
            used = {
                name: kinds
                for name, kinds in groups.items()
                if any(own.of(kinds) for own in known.values())
            }
            if not used:
                continue
            yield Picture(
                "-".join(part for part in (one.id, id_) if part),
                f"{what} on {one.title}",
                f"Shares of the wrong predictions ({wrong}) that have the error; one may have several.",
                "bars",
                "error",
                "% of wrong predictions",
                tuple(used),
                tuple(
                    Series(
                        name,
                        tuple(Score(own.share(kinds), None, None) for kinds in used.values()),
                    )
                    for name, own in known.items()
                ),
            )


class _Asked(NamedTuple):
    """A question with its templates.

    Attributes:
        question: The question.
        graph: The name of its graph; "": there is only one.
        category: The category of its MATCH, of `rulemine.cypher.questions.templates.CATEGORIES` if it is one.
        match: Its MATCH template; "": not known.
        returns: Its RETURN template, of `rulemine.cypher.questions.templates.RETURNS` if it is one.
    """

    question: Question
    graph: str
    category: str
    match: str
    returns: str


def _asked(release: Release, split: str | None) -> list[_Asked]:
    found = []
    for question in release.questions(split):
        category, match, returns = tool("published").templates_of(question)
        plain = category.removeprefix("basic_").removeprefix("special_")
        graph, _ = release.graph_of(question)
        found.append(_Asked(question, graph, _AS_PUBLISHED.get(plain, plain), match, returns))
    return found


def _releases(material: Material) -> Iterator[tuple[Release, str]]:
    """The releases that ask property graphs, each with the id of its table: none if it is the only one."""
    found = [release for release in material.releases if release.answers == "rows"]
    if not found:
        raise LackingError("a release whose questions ask property graphs for rows")
    for number, release in enumerate(found, start=1):
        yield release, str(number) if len(found) > 1 else ""


class _Some(NamedTuple):
    """The questions of a template: how many, and the shortest one with its Cypher."""

    n: int = 0
    example: str = "–"
    cypher: str = "–"


def _by(asked: Iterable[_Asked], key: Callable[[_Asked], str]) -> Mapping[str, _Some]:
    groups: dict[str, list[_Asked]] = {}
    for one in asked:
        groups.setdefault(key(one), []).append(one)
    found: dict[str, _Some] = defaultdict(_Some)
    for name, some in groups.items():
        first = min((one.question for one in some), key=lambda q: (len(q.question), q.id))
        found[name] = _Some(len(some), first.question, first.block.cypher)
    return found


def categories(material: Material) -> Iterator[Table]:
    """Table 1: the categories of MATCH, basic and special."""
    for release, id_ in _releases(material):
        asked = _by(_asked(release, material.split), lambda one: one.category)
        names = [*CATEGORIES, *sorted(set(asked) - {*CATEGORIES, ""})]
        rows = under_headings(
            (
                "basic" if name in CATEGORIES and CATEGORIES[name].basic else "special",
                (
                    name,
                    sum(row.category == name for row in MATCHES.values()),
                    asked[name].n,
                    asked[name].example,
                ),
            )
            for name in names
        )
        header = ("MATCH", "templates", "questions", "example")
        yield Table(id_, f"graph patterns of {release.name}", header, rows)


def match_templates(material: Material) -> Iterator[Table]:
    """Table 11: the MATCH templates, which imported questions do not name."""
    some = False
    for release, id_ in _releases(material):
        known = [one for one in _asked(release, material.split) if one.match]
        if not known:
            continue
        some = True
        asked = _by(known, lambda one: one.match)
        rows = under_headings(
            (
                row.category,
                (
                    row.id + (" (not in the paper)" if row.ours else ""),
                    row.words,
                    asked[row.id].n,
                    asked[row.id].example,
                ),
            )
            for row in MATCHES.values()
        )
        header = ("MATCH", "asks for", "questions", "example")
        yield Table(id_, f"MATCH templates of {release.name}", header, rows)
    if not some:
        raise LackingError("a release whose questions were made from MATCH templates here")


def return_templates(material: Material) -> Iterator[Table]:
    """Table 12: the RETURN templates."""
    for release, id_ in _releases(material):
        asked = _by(_asked(release, material.split), lambda one: one.returns)
        rows = under_headings(
            (
                f"{row.family}, {'special' if row.matches else 'basic'} questions",
                (
                    name,
                    row.words,
                    asked[name].n,
                    asked[name].example,
                    asked[name].cypher,
                ),
            )
            for name, row in RETURNS.items()
        )
        header = ("RETURN", "gives", "questions", "example", "Cypher")
        yield Table(id_, f"RETURN templates of {release.name}", header, rows)


def _graphs(release: Release) -> Iterator[tuple[str, PropertyGraph]]:
    """The graphs by name, one after the other."""
    if release.has_property_graph:
        graph = release.property_graph("complete")
        yield graph.schema.name, graph
    for name, path in release.named_graphs.items():
        yield name, release.property_graph(str(path))


_SIZES: Mapping[str, Callable[[PropertyGraph], int]] = {
    "entity types": lambda g: len(g.schema.entities),
    "relation types": lambda g: len({row.label for row in g.schema.relations}),
    "signatures": lambda g: len(g.schema.relations),
    "properties": lambda g: (
        sum(len(row.properties) for row in g.schema.entities)
        + sum(len(row.properties) for row in g.schema.relations)
    ),
    "entities": lambda g: len(g.nodes),
    "relations": lambda g: len(g.edges),
    "values": lambda g: (
        sum(len(node.properties) for node in g.nodes) + sum(len(e.properties) for e in g.edges)
    ),
}


def _sizes_of(release: Release) -> dict[str, list[int]]:
    return {name: [size(graph) for size in _SIZES.values()] for name, graph in _graphs(release)}


def sizes(material: Material) -> Iterator[Table]:
    """Table 2: graphs and questions of each release."""
    rows: list[tuple[Value, ...]] = []
    for release, _ in _releases(material):
        found = _sizes_of(release)
        totals = [sum(column) for column in zip(*found.values(), strict=True)]
        asked = Counter(question.split for question in release.questions())
        rows.append((release.name, len(found), *totals, *(asked[split] for split in SPLITS)))
    header = ("release", "graphs", *_SIZES, *(f"{split} questions" for split in SPLITS))
    note = "Of the complete graphs; where there are several, all numbers are added, those of types too."
    yield Table("", "statistics", header, tuple(rows), (note,))


def graph_sizes(material: Material) -> Iterator[Table]:
    """Table 8: each graph."""
    for release, id_ in _releases(material):
        asked = Counter(one.graph for one in _asked(release, material.split))
        rows = tuple(
            (name, *own, own[5] / own[4] if own[4] else None, asked[name] or asked[""])
            for name, own in _sizes_of(release).items()
        )
        header = ("graph", *_SIZES, "relations per entity", "questions")
        yield Table(id_, f"the graphs of {release.name}", header, rows)


def distributions(material: Material) -> Iterator[Picture]:
    """Figure 4: shares of questions by MATCH, RETURN, graph and length."""
    of: dict[str, Callable[[_Asked], str]] = {
        "MATCH": lambda one: one.category,
        "RETURN": lambda one: (
            RETURNS[one.returns].family if one.returns in RETURNS else one.returns
        ),
        "graph": lambda one: one.graph,
        "words": lambda one: _bin(len(one.question.question.split())),
    }
    orders = {
        "MATCH": tuple(CATEGORIES),
        "RETURN": tuple(dict.fromkeys(row.family for row in RETURNS.values())),
        "words": (*map(_bin, _WORDS), _bin(_WORDS[-1] + 1)),
    }
    for release, id_ in _releases(material):
        asked = _asked(release, material.split)
        for across, key in of.items():
            counts = Counter(map(key, asked))
            known = [name for name in orders.get(across, ()) if counts[name]]
            groups = (*known, *sorted(set(counts) - {*known, ""}))
            if groups:
                yield _shares(
                    f"{id_}-{across}".strip("-").lower(), release.name, across, groups, counts
                )


def _shares(
    id_: str, name: str, across: str, groups: Sequence[str], counts: Counter[str]
) -> Picture:
    total = counts.total()
    return Picture(
        id_,
        f"questions of {name} by {across}",
        f"Shares of {total:,} questions.",
        "bars",
        across,
        "% of questions",
        tuple(groups),
        (Series(name, tuple(Score(counts[g] / total, None, None) for g in groups)),),
        tuple(counts[g] for g in groups),
    )


def _bin(words: int) -> str:
    upper = next((bound for bound in _WORDS if words <= bound), None)
    if upper is None:
        return f"over {_WORDS[-1]}"
    return f"up to {upper}"


_LITERATURE = "It compares published data sets and systems; nothing of it is computed."

_PROMPT = "It is a prompt."

_DRAWING = "It is a drawing."

CYPHERBENCH = Paper(
    name="cypherbench",
    title="CypherBench (Feng et al.)",
    version="arXiv 2412.18702v2",
    exhibits=(
        Exhibit("Table 1", "graph patterns", categories),
        Exhibit("Table 2", "statistics", sizes),
        Exhibit("Table 3", "EX, PSJS and executable queries by model", scores),
        Exhibit("Table 4", "wrong predictions", examples),
        Exhibit("Table 5", "related work", why=_LITERATURE),
        Exhibit("Table 6", "related work", why=_LITERATURE),
        Exhibit("Table 7", "related work", why=_LITERATURE),
        Exhibit("Table 8", "each graph", graph_sizes),
        Exhibit("Table 9", "rewriting of questions by a model", why=_PROMPT),
        Exhibit("Table 10", "zero-shot prompt", why=_PROMPT),
        Exhibit("Table 11", "MATCH templates", match_templates),
        Exhibit("Table 12", "RETURN templates", return_templates),
        Exhibit("Table 13", "errors", errors),
        Exhibit("Table 14", "drafting of a schema", why="See `rulemine graph draft`."),
        Exhibit("Table 15", "drafting of a schema", why="See `rulemine graph draft`."),
        Exhibit("Figure 1", "overview", why=_DRAWING),
        Exhibit("Figure 2", "how the benchmark is made", why=_DRAWING),
        Exhibit("Figure 3", "illustration", why=_DRAWING),
        Exhibit("Figure 4", "questions by MATCH, RETURN, graph and length", distributions),
        Exhibit("Figure 5", "EX by MATCH, RETURN and graph", by_template),
        Exhibit("Figure 6", "errors by model", error_shares),
    ),
)
