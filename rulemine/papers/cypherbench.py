"""The tables and figures of CypherBench, of releases whose questions ask property graphs for rows.

Of questions and graphs: templates with examples, sizes, distributions, schemas. Of systems: scores, by
template, and kinds of errors. The authors run queries on whole graphs, so a study counts with its most
complete graph; predictions count with the graph that they say.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rulemine.cypher.questions.templates import CATEGORIES, MATCHES, RETURNS
from rulemine.cypher.rows import ROW_GROUPS, rows_group
from rulemine.evaluation.comparing.comparison import compare, note_about
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS
from rulemine.evaluation.cypher.release_rows import predicted_of
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.registry import tool
from rulemine.papers.material import Material, ScoredSystem
from rulemine.papers.paper import Made, Maker, Paper, bars, each, frame_of
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question
from rulemine.text.tables import Cell, Table, Values, percent, under_headings

__all__ = ["CYPHERBENCH", "NAMES_OF_ERRORS"]

_SCORES = ("ex_published", "psjs_published", "executable", "ex", "ex_columns", "psjs")
"""The paper's three, as its program has them; then ours."""

NAMES_OF_ERRORS = {
    "syntax": ("syntax", "limit", "runtime"),
    "wrong type, relation or property": ("wrong:type", "wrong:relation"),
    "reversed direction": ("direction",),
    "entity linking": ("name", "wrong:name"),
    "schema violation": ("schema:type", "schema:relation", "schema:property"),
    "pattern not aligned": ("pattern",),
    "grouping": ("grouping",),
    "filtering": ("filter",),
    "results not aligned": ("nodes", "columns"),
    "deduplication": ("duplicates", "order"),
    "others": ("missing", "refused", "unread"),
}
"""The ten errors of the paper, and others → our kinds of them."""

_AS_PUBLISHED = {
    "optional-match": "optional",
    "three-node-groupby": "group-by",
    "time-sensitive": "time",
}
"""Special categories of MATCH as CypherBench's files name them → as ours."""


# Of questions and graphs


def _asked(release: Release, split: str | None) -> Iterator[tuple[Question, dict[str, str]]]:
    """Questions, and by what they are told apart: templates, their categories, graph, rows of the answer.

    What is not known, and the graph where there is only one, is "".
    """
    for question in release.questions(split):
        category, match, returns = tool("published").templates_of(question)
        plain = category.removeprefix("basic_").removeprefix("special_")
        yield (
            question,
            {
                "MATCH": _AS_PUBLISHED.get(plain, plain),
                "MATCH template": match,
                "RETURN": RETURNS[returns].family if returns in RETURNS else returns,
                "RETURN template": returns,
                "graph": release.graph_of(question)[0],
                "rows": rows_group(len(question.answers)) if question.answers else "",
            },
        )


_Line = tuple[str, str, Values]
"""A template in a table: its heading, its name, and what is said of it."""


def _templates(
    title: str, header: tuple[str, ...], key: str, lines: Callable[[set[str]], Iterable[_Line]]
) -> Maker:
    """Tables 1, 11 and 12: templates, the number of their questions, and the shortest with its Cypher.

    Args:
        title: What they are.
        header: The first columns.
        key: What of a question says which it has, see `_asked`.
        lines: What the templates are, given those that questions have.
    """

    def make(name: str, release: Release, material: Material) -> Made:
        of: dict[str, list[Question]] = {}
        for question, what in _asked(release, material.split):
            of.setdefault(what[key], []).append(question)
        rows = []
        for heading, template, said in lines({*of} - {""}) if {*of} - {""} else ():
            some = sorted(of.get(template, ()), key=lambda q: (len(q.question), q.id))
            example = (some[0].question, some[0].block.cypher) if some else ("–", "–")
            rows.append((heading, (template, *said, len(some), *example)))
        yield Table(
            "",
            f"{title} of {name}",
            (*header, "questions", "example", "Cypher"),
            under_headings(rows),
        )

    return each(make)


def _categories(found: set[str]) -> Iterator[_Line]:
    for name in (*CATEGORIES, *sorted(found - {*CATEGORIES})):
        basic = name in CATEGORIES and CATEGORIES[name].basic
        templates = sum(row.category == name for row in MATCHES.values())
        yield "basic" if basic else "special", name, (templates,)


def _matches(_: set[str]) -> Iterator[_Line]:
    for row in MATCHES.values():
        yield row.category, row.id, ("ours" if row.ours else "the paper's", row.words)


def _returns(_: set[str]) -> Iterator[_Line]:
    for name, row in RETURNS.items():
        questions = "special questions" if row.matches else "basic questions"
        yield f"{row.family}, {questions}", name, (row.words,)


def _graphs(release: Release) -> Iterator[tuple[str, PropertyGraph]]:
    """The graphs by name, one after the other."""
    files = {name: str(path) for name, path in release.named_graphs.items()}
    for name, file in (files or {"": "complete"} if release.has_property_graph else files).items():
        graph = release.property_graph(file)
        yield name or graph.schema.name, graph


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
        sum(len(one.properties) for one in g.nodes) + sum(len(one.properties) for one in g.edges)
    ),
}


def _sizes_of(release: Release) -> dict[str, list[int]]:
    return {name: [size(graph) for size in _SIZES.values()] for name, graph in _graphs(release)}


def _sizes(name: str, release: Release, _: Material) -> Made:
    """Table 2: graphs and questions of a release."""
    found = _sizes_of(release)
    totals = [sum(column) for column in zip(*found.values(), strict=True)]
    asked = Counter(question.split for question in release.questions())
    row = (name, len(found), *totals, *(asked[split] for split in SPLITS))
    yield Table(
        "",
        f"statistics of {name}",
        ("release", "graphs", *_SIZES, *(f"{split} questions" for split in SPLITS)),
        (row,),
        (
            "Of the complete graphs; where there are several, all numbers are added, those of types too.",
        ),
    )


def _graph_sizes(name: str, release: Release, material: Material) -> Made:
    """Table 8: each graph."""
    asked = Counter(release.graph_of(q)[0] for q in release.questions(material.split))
    rows = tuple(
        (graph, *own, own[5] / own[4] if own[4] else None, asked[graph] or asked[""])
        for graph, own in _sizes_of(release).items()
    )
    yield Table(
        "", f"the graphs of {name}", ("graph", *_SIZES, "relations per entity", "questions"), rows
    )


def _schemas(name: str, release: Release, _: Material) -> Made:
    """Table 14: the schema of each graph."""
    types = [
        (graph, label, properties)
        for graph, own in _graphs(release)
        for label, properties in (
            *((row.label, row.properties) for row in own.schema.entities),
            *(
                (f"({r.subject}) {r.label} ({r.object})", r.properties)
                for r in own.schema.relations
            ),
        )
    ]
    rows = under_headings(
        (graph, (label, ", ".join(f"{one.name} {one.datatype}" for one in properties)))
        for graph, label, properties in types
    )
    yield Table("", f"schemas of {name}", ("type", "properties"), rows)


def _distributions(name: str, release: Release, material: Material) -> Made:
    """Figure 4: shares of questions by MATCH, RETURN, graph and rows of the answer."""
    order = [*CATEGORIES, *(row.family for row in RETURNS.values()), *ROW_GROUPS]
    asked = [what for _, what in _asked(release, material.split)]
    for across in ("MATCH", "RETURN", "graph", "rows"):
        counts = Counter(filter(None, (what[across] for what in asked)))
        groups = dict.fromkeys([*(g for g in order if g in counts), *sorted(counts)])
        yield bars(
            f"questions of {name} by {across}", f"Shares of {len(asked):,} questions.", across, "questions",
            {name: counts}, groups, {name: len(asked)}, counts, across.lower(),
        )  # fmt: skip


# Of systems


def _systems(material: Material) -> Iterator[tuple[str, list[ScoredSystem]]]:
    """What systems were scored on, and they: those of a study on its most complete graph."""
    for name, systems in material.systems(rows=True):
        called = [one.called for one in systems]
        some = [one for at, one in enumerate(systems) if one.called not in called[:at]]
        graphs = " and ".join(dict.fromkeys(str(one.report.kg) for one in some))
        yield f"{name}, {some[0].report.split} questions, {graphs} graph", some


def _scores(material: Material) -> Made:
    """Table 3: systems side by side, and each with each."""
    for where, some in _systems(material):
        notes = dict.fromkeys(
            note if all(note in o.report.notes for o in some) else note_about(one.called, note)
            for one in some
            for note in one.report.notes
        )
        frame = frame_of(where, some).where(breakdown="all")
        yield frame.table("", f"scores on {where}", _SCORES, rows=("system", "n"), notes=(*notes,))
        if len(some) > 1:
            reports = {one.called: one.report for one in some}
            pairs = compare(reports, ("ex_published", "psjs_published", "ex"))
            yield from (replace(table, id="pairs") for table in pairs.tables())


def _by_template(material: Material) -> Made:
    """Figure 5: EX and PSJS by category of MATCH, EX by RETURN of basic questions, and by graph."""
    for where, some in _systems(material):
        frame = frame_of(where, some)
        match = "match" if frame.where(breakdown="match").rows else "structure"
        for id_, breakdown, metric in (
            ("match", match, "ex_published"),
            ("psjs", match, "psjs_published"),
            ("return", "return", "ex_published"),
            ("graph", "graph", "ex_published"),
        ):
            across = {match: "MATCH", "return": "RETURN, basic questions"}.get(breakdown, breakdown)
            yield frame.where(breakdown=breakdown, metric=metric).picture(
                id_, f"{TITLES[metric]} by {across}, {where}", "With 95 % intervals.", across=across
            )


Kinds = Mapping[str, Sequence[str]]
"""Id of a question with a wrong prediction → the kinds of its errors."""


def _having(wrong: Kinds, kinds: Sequence[str]) -> int:
    """Wrong predictions that have one of some kinds of errors."""
    return sum(any(kind in kinds for kind in own) for own in wrong.values())


def _errors_of(material: Material) -> Iterator[tuple[str, Mapping[ScoredSystem, Kinds]]]:
    """Where, and the errors of those systems whose errors are known: that ran on the graph of the gold."""
    for where, some in _systems(material):
        every = {one: one.report.queries or {} for one in some}
        known: dict[ScoredSystem, Kinds] = {
            one: {id_: query.scores.kinds for id_, query in own.items() if query.scores.kinds}
            for one, own in every.items()
            if any(q.scores.kinds for q in own.values())
            or all(q.scores.ex != 0 for q in own.values())
        }
        if known:
            yield where, known


def _examples(material: Material) -> Made:
    """Table 4: the first wrong prediction of each system that has an error of the paper's."""
    for where, known in _errors_of(material):
        rows: list[tuple[str, Values]] = []
        for one, wrong in known.items():
            asked, given = {q.id: q for q in one.release.questions()}, one.predictions()
            for name, kinds in NAMES_OF_ERRORS.items():
                for id_ in [i for i, own in wrong.items() if any(k in kinds for k in own)][:1]:
                    what = predicted_of(given[id_]) if id_ in given else None
                    shown = what if isinstance(what, str) else "–" if what is None else str([*what])
                    texts = (asked[id_].question, asked[id_].block.cypher, shown)
                    rows.append((one.called, (name, "; ".join(wrong[id_]), id_, *texts)))
        yield Table(
            "", f"wrong predictions on {where}",
            ("error", "our kinds", "question", "text", "gold", "predicted"), under_headings(rows),
        )  # fmt: skip


def _errors(material: Material) -> Made:
    """Table 13: the errors, with our kinds, and how many wrong predictions have each."""

    def counted(kinds: Sequence[str]) -> Iterator[Cell]:
        for wrong in known.values():
            n = _having(wrong, kinds)
            yield Cell(f"{n:,}", f"{percent(n / len(wrong))} %" if wrong else "")

    for where, known in _errors_of(material):
        rows: list[Values] = [("wrong predictions", "EX is 0", *map(len, known.values()))]
        for name, kinds in NAMES_OF_ERRORS.items():
            rows.append((name,))
            if len(kinds) > 1:
                rows.append(("all", "any of these", *counted(kinds)))
            rows += [(kind, ERROR_KINDS[kind], *counted((kind,))) for kind in kinds]
        yield Table(
            "", f"errors on {where}", ("error", "found by", *(one.called for one in known)), tuple(rows),
            (
                "A prediction may have several errors. The paper sorts 50 wrong predictions of each of two "
                "models by hand; here all wrong ones are sorted, by parsing and running them.",
            ),
        )  # fmt: skip


def _error_shares(material: Material) -> Made:
    """Figure 6: shares of wrong predictions that have an error, by system."""
    for where, known in _errors_of(material):
        wholes = {one.called: len(wrong) for one, wrong in known.items()}
        counts = {
            one.called: {name: _having(wrong, kinds) for name, kinds in NAMES_OF_ERRORS.items()}
            for one, wrong in known.items()
        }
        groups = [name for name in NAMES_OF_ERRORS if any(own[name] for own in counts.values())]
        of = ", ".join(f"{called} {n:,}" for called, n in wholes.items())
        yield bars(
            f"errors on {where}",
            f"Shares of the wrong predictions ({of}) that have the error; one may have several.",
            "error", "wrong predictions", counts, groups, wholes,
        )  # fmt: skip


CYPHERBENCH = Paper(
    "cypherbench",
    {
        "Table 1": _templates("graph patterns", ("MATCH", "templates"), "MATCH", _categories),
        "Table 2": each(_sizes),
        "Table 3": _scores,
        "Table 4": _examples,
        "Table 8": each(_graph_sizes),
        "Table 11": _templates(
            "MATCH templates", ("MATCH", "whose", "asks for"), "MATCH template", _matches
        ),
        "Table 12": _templates(
            "RETURN templates", ("RETURN", "gives"), "RETURN template", _returns
        ),
        "Table 13": _errors,
        "Table 14": each(_schemas),
        "Figure 4": each(_distributions),
        "Figure 5": _by_template,
        "Figure 6": _error_shares,
    },
)
