"""The command ``query``: answers queries."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.arguments import Subcommand, arg, within
from rulemine.cli.console import bar, note, refuse_idle, say
from rulemine.errors import QueryError, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rulemine.kg import KnowledgeGraph, Triple
    from rulemine.kg.facts import Declarations
    from rulemine.query.grading import Grades
    from rulemine.release.records import Missing

__all__ = ["QUERY"]

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
    say("\n".join(_graded(grades, removals, most)))
    return 0


def _graded(
    grades: "Grades", removals: "Mapping[Triple, Missing | None]", most: int
) -> "Iterator[str]":
    """How many answers there are, and the first of them; below each hard one, what it is derived from."""
    from rulemine.text.escaping import printable

    hard, wrong, value = grades.hard, len(grades.spurious), grades.stated_value
    given = f", and {counted(wrong, 'wrong one', 'wrong ones')} from the incomplete graph"
    stated = f", {len(grades.stated):,} of them stated" * bool(hard) + given * bool(wrong)
    count = f"; the incomplete graph counts {value}" * (value != grades.value)
    yield counted(len(grades), "answer") + stated + count
    for number, answer in enumerate(grades.answers[:most]):
        grade = f"missing {hard[answer]}" if answer in hard else "stated"
        yield f"{grade:10} {printable(answer)}"
        if answer not in hard and (hard or number):
            continue
        for triple in dict.fromkeys(grades.graph.kg.labeled(grades.witness(answer))):
            row, arrow = removals.get(triple), "    {} ──{}──▶ {}".format(*map(printable, triple))
            gone = triple in removals and (row is None or row.level <= grades.level)
            yield arrow + "   ✗ removed" * gone
    if len(grades) > most:
        yield f"… and {len(grades) - most:,} more; --most N prints more"


def _read(
    arguments: Namespace,
) -> "tuple[KnowledgeGraph, dict[Triple, Missing | None], Declarations]":
    """The complete graph, the removed triples, and what is declared about relations."""
    from rulemine.datasets.registry import load_kg
    from rulemine.kg import KnowledgeGraph
    from rulemine.kg.facts import Declarations
    from rulemine.release.reader import Release

    if Path(arguments.kg).is_dir() or Path(arguments.kg).suffix == ".tar":
        refuse_idle(arguments, "a graph without a release", "removed")
        release = Release.open(arguments.kg)
        removals = {row.triple: row for row in release.missing()}
        return release.kg("complete"), {**removals}, release.templates().declarations
    refuse_idle(arguments, "a release", "level")
    removed = KnowledgeGraph.read(arguments.removed).labeled() if arguments.removed else []
    kg = load_kg(arguments.kg, None, note, arguments.columns, arguments.strict)
    return kg, dict.fromkeys(removed), Declarations()


QUERY = Subcommand(
    "query", query, "answer a query and say how much of each answer is missing",
    (
        arg("kg", "KG", "the complete graph (.tsv, .nt or .ttl), the name of a data set, or a release"),
        arg("query", "QUERY", "the query; - reads it from standard input"),
        arg("--removed", "FILE", "TSV of the triples that are removed; a release has its own", Path),
        arg("--level", "N", "grade at this incompleteness level of a release (100)", within(1, 100)),
        arg("--most", "N", "answers to print (20)", within(0)),
        arg("--to", None, "print the query in this language instead of answering it",
            choices=("sparql", "cypher")),
        "columns strict",
    ),
    _LANGUAGE,
)  # fmt: skip
