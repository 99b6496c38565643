"""What CypherBench's tables show of questions and graphs: templates with examples, sizes, distributions."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rulemine.cypher.questions.templates import CATEGORIES, MATCHES, RETURNS
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.statistics.score import Score
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.registry import kind_named
from rulemine.papers.material import Material
from rulemine.papers.paper import LackingError
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question
from rulemine.text.tables import Table, Value, under_headings

__all__ = [
    "categories",
    "distributions",
    "graph_sizes",
    "match_templates",
    "return_templates",
    "sizes",
]

_AS_PUBLISHED = {
    "optional-match": "optional",
    "three-node-groupby": "group-by",
    "time-sensitive": "time",
}
"""Special categories of MATCH as CypherBench's files name them → as ours."""

_WORDS = (5, 10, 15, 20, 25, 30)
"""Upper bounds of the bins of words in a question."""


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
    kind = kind_named(release.kind)
    found = []
    for question in release.questions(split):
        category, match, returns = kind.cypher_templates(question)
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
