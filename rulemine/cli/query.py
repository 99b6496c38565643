"""The command ``query``: queries, and those that others wrote."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.arguments import Subcommand, arg, within
from rulemine.cli.console import (
    bar,
    check_output,
    note,
    output_file,
    refuse_idle,
    say,
    summarize,
    written,
)
from rulemine.errors import QueryError, counted

if TYPE_CHECKING:
    from rulemine.kg import KnowledgeGraph, Triple
    from rulemine.kg.facts import Declarations
    from rulemine.release.reader import Release
    from rulemine.release.records import Missing

__all__ = ["CANDIDATES", "QUERY"]

_LANGUAGE = """\
  "x"             the entity x; names are in double quotes
  (p "r" X)       the objects of r whose subject is in X
  (p- "r" X)      the subjects of r whose object is in X
  (and X Y …)     in all of them
  (or X Y …)      in some of them
  (minus X Y)     in X and not in Y
  (count X)       how many; outermost
"""


def query(arguments: Namespace) -> int:
    """Runs ``query``."""
    from rulemine.query import QueryGraph, evaluate, parse
    from rulemine.query.cypher import to_cypher
    from rulemine.query.query_graph import WHOLE, levels_of
    from rulemine.query.sparql import to_sparql
    from rulemine.query.structures import structure_of
    from rulemine.release.showing.graded import graded_lines

    tree = parse(sys.stdin.read() if arguments.query == "-" else arguments.query)
    if arguments.to:
        refuse_idle(arguments, "answering the query", "removed", "level", "most")
        say({"sparql": to_sparql, "cypher": to_cypher}[arguments.to](tree))
        return 0
    most = 20 if arguments.most is None else arguments.most
    level = WHOLE if arguments.level is None else arguments.level
    with bar("read"):
        kg, removals, declarations = _read(arguments)
    levels = {triple: removal.level if removal else 1 for triple, removal in removals.items()}
    try:
        graph = QueryGraph(kg, levels_of(kg, levels))
    except QueryError as problem:
        raise QueryError(f"{arguments.removed or arguments.kg}: {problem}") from None
    grades = evaluate(graph, tree, level=level)
    say(str(tree))
    structure = structure_of(tree, declarations)
    named = f"structure {structure.name}, " if structure.name != structure.shape else ""
    say(
        f"{named}shape {structure.shape}, {counted(structure.hops, 'hop')}, "
        f"{counted(structure.atoms, 'atom')}"
    )
    say("\n".join(graded_lines(grades, removals, most)))
    return 0


def _release(arguments: Namespace, idle: str) -> "Release | None":
    """The release, if one is named in place of a graph; it makes no use of the option `idle`."""
    from rulemine.release.reader import Release

    if not (Path(arguments.kg).is_dir() or Path(arguments.kg).suffix == ".tar"):
        return None
    refuse_idle(arguments, "a graph without a release", idle)
    return Release.open(arguments.kg)


def _read(
    arguments: Namespace,
) -> "tuple[KnowledgeGraph, dict[Triple, Missing | None], Declarations]":
    """The complete graph, the removed triples, and what is declared about relations."""
    from rulemine.datasets.registry import load_kg
    from rulemine.kg import KnowledgeGraph
    from rulemine.kg.facts import Declarations

    if release := _release(arguments, "removed"):
        removals = {row.triple: row for row in release.missing()}
        return release.kg("complete"), {**removals}, release.templates().declarations
    refuse_idle(arguments, "a release", "level")
    removed = KnowledgeGraph.read(arguments.removed).labeled() if arguments.removed else []
    return load_kg(arguments.kg, note=note), dict.fromkeys(removed), Declarations()


_CANDIDATES = """\
FILE has one candidate a line: {"question": …, "nodes": [names], "answer": name,
"triples": [[subject, relation, object], …], "sparql": …}, in the names of the graph,
which SPARQL writes <entity:NAME> and <relation:NAME>, percent-encoded. "atoms" may say
how many triples there should be, "subgraph" which the writer saw.
"""


def candidates(arguments: Namespace) -> int:
    """Runs ``query candidates``."""
    from rulemine.datasets.registry import load_kg
    from rulemine.files import read_lines, write_jsonl
    from rulemine.kinds.registry import tool

    check_output(arguments.output)
    lines = read_lines(arguments.file)
    with bar("read"):
        kg, declarations = _graph(arguments)
        named = arguments.reference
        reference = frozenset(load_kg(named, note=note).labeled()) if named else None
    by_hand, limits = tool("candidates"), ("max_answers", "timeout", "max_rows")
    with bar("candidates") as advance:
        given = {name: getattr(arguments, name) for name in limits}
        verdicts = by_hand.check_lines(lines, kg, declarations, reference, advance, **given)
    if arguments.output is None:
        say("\n".join(map(by_hand.shown, verdicts)), end="\n\n")
        say(by_hand.summary_of(verdicts))
        return 0
    with written(arguments.output) as path:
        write_jsonl(path, verdicts)
    summarize(by_hand.summary_of(verdicts), arguments.output)
    return 0


def _graph(arguments: Namespace) -> "tuple[KnowledgeGraph, Declarations]":
    """The complete graph, and what is declared about its relations."""
    from rulemine.config import packaged
    from rulemine.datasets.registry import load_kg
    from rulemine.phrasing.templates import load_templates

    if release := _release(arguments, "templates"):
        return release.kg("complete"), release.templates().declarations
    kg, named = load_kg(arguments.kg, note=note), arguments.templates
    if named is None and packaged("datasets", arguments.kg, "templates.toml").is_file():
        named = arguments.kg
    return kg, load_templates(named or "", kg.relations).declarations


_KG = arg(
    "kg", "KG", "the complete graph (.tsv, .nt or .ttl), the name of a data set, or a release"
)

QUERY = Subcommand(
    "query", query, "answer a query and say how much of each answer is missing",
    (
        _KG,
        arg("query", "QUERY", "the query; - reads it from standard input"),
        arg("--removed", "FILE", "TSV of the triples that are removed; a release has its own", Path),
        arg("--level", "N", "grade at this incompleteness level of a release (100)", within(1, 100)),
        arg("--most", "N", "answers to print (20)", within(0)),
        arg("--to", None, "print the query in this language instead of answering it",
            choices=("sparql", "cypher")),
    ),
    _LANGUAGE,
)  # fmt: skip

CANDIDATES = Subcommand(
    "query candidates", candidates, "check questions written for a graph, with their SPARQL",
    (
        _KG,
        arg("file", "FILE", "the candidates, JSON Lines", Path),
        arg("-o --output", "FILE", "write verdicts as JSON Lines instead of printing them",
            output_file),
        arg("--templates", "NAME", "templates that declare which relations state the same facts: a file or a "
            "data set (those of the data set)"),
        arg("--reference", "KG", "a graph that must have the used triples, as a later version"),
        arg("--max-answers", "N", "most answers of a question (10)", within(1, 10**9), default=10),
        arg("--timeout", "S", "seconds that a query may take (10)",
            within(0, 86_400, float, above=True), default=10.0),
        arg("--max-rows", "N", "rows that a query may give (1000)", within(1, 10**9), default=1000),
    ),
    _CANDIDATES,
)  # fmt: skip
