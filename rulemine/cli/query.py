"""The command ``query``."""

import argparse
import shutil
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.console import bar, note, refuse_idle, say
from rulemine.cli.parser import Parser, add_command
from rulemine.errors import ConfigError, QueryError, counted

if TYPE_CHECKING:
    from rulemine.kg import KnowledgeGraph, Triple
    from rulemine.kg.facts import Declarations
    from rulemine.query import Grades
    from rulemine.release.records import Removal

__all__ = ["add_querying"]

_LANGUAGE = """\
  "x"            the entity x            (p "r" X)    the objects of r whose subject is in X
  (and X Y …)    in all of them          (p- "r" X)   the subjects of r whose object is in X
  (or X Y …)     in some of them         (minus X Y)  in X and not in Y
  (count X)      how many; outermost     Names are in double quotes.
"""


def add_querying(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``query``."""
    parser = add_command(commands, "query", query,
                         "answer a query and say how much of each answer is missing", _LANGUAGE)  # fmt: skip
    parser.add_argument(
        "kg",
        metavar="KG",
        help="the complete graph (.tsv, .nt or .ttl), the name of a data set, or a release",
    )
    parser.add_argument("query", metavar="QUERY", help="the query; - reads it from standard input")
    parser.add_argument("--removed", type=Path, metavar="FILE",
                        help="TSV of the triples that are removed; a release has its own")  # fmt: skip
    parser.add_argument("--level", type=int, metavar="N",
                        help="grade at this incompleteness level of a release (100)")  # fmt: skip
    parser.add_argument("--most", type=int, metavar="N", help="answers to print (20)")
    parser.add_argument("--to", choices=("sparql", "cypher"),
                        help="print the query in this language instead of answering it")  # fmt: skip


def query(arguments: Namespace) -> int:
    """``query``."""
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
    if most < 0:
        raise ConfigError(f"query: --most is {most}; expected 0 or more.")
    level = WHOLE if arguments.level is None else arguments.level
    if not 1 <= level <= WHOLE:
        raise ConfigError(f"query: --level is {level}; expected 1 … {WHOLE}.")
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
    say(_summary(grades))
    for line in _answers(grades, removals, most):
        say(line)
    return 0


def _read(
    arguments: Namespace,
) -> "tuple[KnowledgeGraph, dict[Triple, Removal | None], Declarations]":
    """The complete graph, the removed triples, and what is declared about relations."""
    from rulemine.datasets.registry import load_kg
    from rulemine.kg import KnowledgeGraph
    from rulemine.kg.facts import Declarations
    from rulemine.phrasing.templates import Templates
    from rulemine.release import Release

    if Path(arguments.kg).is_dir() or Path(arguments.kg).suffix == ".tar":
        refuse_idle(arguments, "a graph without a release", "removed")
        release = Release.open(arguments.kg)
        declarations = Templates.from_plain(release.relations().values()).declarations
        removals = {removal.triple: removal for removal in release.removals()}
        return release.kg("complete"), {**removals}, declarations
    refuse_idle(arguments, "a release", "level")
    removed = KnowledgeGraph.read(arguments.removed).labeled() if arguments.removed else []
    return load_kg(arguments.kg, note=note), dict.fromkeys(removed), Declarations()


def _summary(grades: "Grades") -> str:
    text = counted(len(grades), "answer")
    if grades.hard:
        text += f", {len(grades.stated):,} of them stated"
    if grades.spurious:
        text += f", and {counted(len(grades.spurious), 'wrong one', 'wrong ones')} from the incomplete graph"
    if grades.value is not None and grades.value != grades.stated_value:
        text += f"; the incomplete graph counts {grades.stated_value:,}"
    return text


def _answers(grades: "Grades", removals: "dict[Triple, Removal | None]", most: int) -> "list[str]":
    """The answers with their grades; below each hard one, or the first if none is, its derivation."""
    from rulemine.release.showing.drawing import draw_proof
    from rulemine.text.printing import printable

    width = shutil.get_terminal_size((100, 24)).columns
    hard = grades.hard
    lines: list[str] = []
    for number, answer in enumerate(grades.answers[:most]):
        grade = f"missing {hard[answer]}" if answer in hard else "stated"
        lines.append(f"{grade:10} {printable(answer)}")
        if answer not in hard and (hard or number):
            continue
        for triple in dict.fromkeys(grades.graph.kg.labeled(grades.witness(answer))):
            subject, relation, target = map(printable, triple)
            removal = removals.get(triple)
            is_removed = triple in removals and (removal is None or removal.level <= grades.level)
            end = "   ✗ removed" if is_removed else ""
            lines.append(f"    {subject} ──{relation}──▶ {target}{end}")
            if is_removed and removal is not None:
                names = {
                    n: printable(n) for t in (*removal.certificate.body, triple) for n in t[::2]
                }
                proof = draw_proof(removal.certificate.body, triple, names, width - 8)
                lines.append(f"        proved by rule {removal.certificate.rule}:")
                lines += [f"        {line}" for line in proof]
    if len(grades) > most:
        lines.append(f"… and {len(grades) - most:,} more; --most N prints more")
    return lines
