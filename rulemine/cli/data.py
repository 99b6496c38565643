"""The command ``data``: data sets, property graphs, queries, descriptions of relations, and Neo4j.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs. Every command takes the parsed arguments and returns the exit status.
"""

import sys
from argparse import Namespace
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    bar,
    check_output,
    emit,
    emit_pieces,
    note,
    output_file,
    refuse_idle,
    say,
    summarize,
    written,
)
from rulemine.cli.parser import Parser, Subcommand, add_flags, arg, release_at, switch, within
from rulemine.errors import ConfigError, QueryError, counted, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rulemine.kg import KnowledgeGraph, Triple
    from rulemine.kg.facts import Declarations
    from rulemine.kg.property_graph.graph import PropertyGraph
    from rulemine.query.grading import Grades
    from rulemine.release.records import Missing

__all__ = ["DATA", "GLOSS", "GRAPH", "NEO4J", "QUERY"]


def data(arguments: Namespace) -> int:
    """Runs ``data list`` or ``data get NAME``."""
    from rulemine.datasets.registry import data_sets, find_files, get_files

    if arguments.what == "get":
        if not arguments.name:
            raise ConfigError(f"data get: name a data set; {did_you_mean('', data_sets())}")
        with bar("get") as advance:
            paths = get_files(arguments.name, advance, note)
        for path in paths:
            print(path)
        return 0
    if arguments.name:
        raise ConfigError(f"rulemine data get {arguments.name}: data list takes no name.")
    for name in data_sets():
        try:
            entry = data_sets()[name]
        except ConfigError as problem:  # a broken entry of another package must not hide the others
            say(f"{name:16} broken  {problem}")
            continue
        there = "here" if all(find_files(name)) else "to get"
        say(f"{name:16} {there:7} {entry.title}\n{'':25}{entry.license}; {entry.source}")
        for file in entry.files:
            size = f"{file.bytes:,} bytes" if file.bytes else "size not known"
            say(f"{'':25}{file.path}: {size}, {file.digest}")
        if entry.conversion:
            say(f"{'':25}{entry.conversion}")
    return 0


FORMS = ("simplekg", "schema", "tasks")
"""What a property graph is written as."""


def graph(arguments: Namespace) -> int:
    """Runs ``data graph``."""
    from rulemine.kg.property_graph.graph import describe_counts
    from rulemine.kg.property_graph.schema import schema_text
    from rulemine.kg.property_graph.simplekg import simplekg_pieces

    form, _, rest = (arguments.to or "").partition(":")
    if form and form not in FORMS:
        raise ConfigError(f"--to {arguments.to}: is unknown; {did_you_mean(form, FORMS)}")
    if rest and form != "tasks":
        raise ConfigError(f"--to {arguments.to}: {form} has no options. Give --to {form}.")
    if not form:
        refuse_idle(arguments, "--to", "output")
    output: Path | None = arguments.output
    made = _loaded(arguments)
    what = f"{counted(len(made.nodes), 'node')}, {counted(len(made.edges), 'edge')}"
    if form == "tasks":
        what = _tasks(made, arguments.to, output)
    elif form == "schema":
        emit(schema_text(made.schema), output)
        types = counted(len(made.schema.entities), "entity type")
        what = f"{types}, {counted(len(made.schema.relations), 'signature')}"
    elif form:
        emit_pieces(simplekg_pieces(made), output)
    else:
        for line in describe_counts(made):
            say(line)
    if output is not None:
        summarize(f"{output}: {what}", output)
    return 0


def _loaded(arguments: Namespace) -> "PropertyGraph":
    """Loads the graph that is named, and prints what is left out of it."""
    from rulemine.datasets.property_graphs import load_property_graph
    from rulemine.kg.property_graph.faults import Faults
    from rulemine.kg.property_graph.schema import read_schema

    check_output(arguments.output)
    left_out = Faults()
    with bar("graph") as progress:
        schema = read_schema(arguments.schema) if arguments.schema else None
        made = load_property_graph(
            arguments.source, schema, left_out, arguments.labels or "", note, progress,
            arguments.name_property or "name", arguments.language or "en", arguments.columns,
            arguments.strict,
        )  # fmt: skip
    if left_out:
        note(f"left out: {left_out.summary()}, such as\n  " + "\n  ".join(left_out.lines()))
    return made


def _tasks(graph: "PropertyGraph", form: str, output: Path | None) -> str:
    """Asks questions over a graph, and writes them with their Cypher; returns what there are."""
    from rulemine.cli.keys import Tasks, form_of
    from rulemine.kinds.registry import tool

    how = form_of(form, "--to", tasks=Tasks)
    with bar("tasks") as progress:
        lines = tool("tasks").write_tasks(
            graph,
            lambda pieces: emit_pieces(pieces, output),
            progress,
            per_template=how.per_template,
            seed=how.seed,
        )
    return "\n".join(lines)


def query(arguments: Namespace) -> int:
    """Runs ``data query``."""
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

    if Path(arguments.kg).is_dir() or Path(arguments.kg).suffix == ".tar":
        refuse_idle(arguments, "a graph without a release", "removed")
        release = release_at(arguments.kg)
        removals = {row.triple: row for row in release.missing()}
        return release.kg("complete"), {**removals}, release.templates().declarations
    refuse_idle(arguments, "a release", "level")
    removed = KnowledgeGraph.read(arguments.removed).labeled() if arguments.removed else []
    kg = load_kg(arguments.kg, None, note, arguments.columns, arguments.strict)
    return kg, dict.fromkeys(removed), Declarations()


_URL = "bolt://127.0.0.1:7687"

_FOLDER, _PORT, _HEAP = Path("out/neo4j"), 7687, "1g"


def neo4j(arguments: Namespace) -> int:
    """Runs ``data neo4j``."""
    loads = arguments.action == "load"
    if (arguments.release is None) == loads:
        what = "DIR is missing, the release to load." if loads else "takes no DIR."
        raise ConfigError(f"data neo4j {arguments.action}: {what}")
    if not loads:
        refuse_idle(arguments, "data neo4j load", "kg", "url", "database", "replace")
    if arguments.action != "start":
        refuse_idle(arguments, "data neo4j start", "folder", "port", "heap")
    if loads:
        return _load(arguments)
    from rulemine.neo4j.server import start, stop

    if arguments.action == "stop":
        made = stop()
        none = "no Neo4j was started by rulemine data neo4j start"
        say(none if made is None else f"{made.url} ended")
        return 0
    line = Line()
    with line.watch("neo4j"):
        port = _PORT if arguments.port is None else arguments.port
        made = start(arguments.folder or _FOLDER, port, arguments.heap or _HEAP, line.note)
    where = f"{made.url} (process {made.pid}, data in {made.folder})"
    say(f"{where}; end it: rulemine data neo4j stop")
    return 0


def _load(arguments: Namespace) -> int:
    from rulemine.neo4j.bolt import connected

    line = Line()
    release = release_at(arguments.release)
    which, url = arguments.kg or "incomplete", arguments.url or _URL
    with line.watch("neo4j"), connected(url, arguments.database) as bolt:
        if release.has_property_graph:
            graph = release.property_graph(which)
            nodes, edges = len(graph.nodes), len(graph.edges)
            bolt.load_properties(graph, replace=arguments.replace)
        else:
            kg = release.kg(which)
            nodes, edges = len(kg.entities), len(kg)
            bolt.load(kg, replace=arguments.replace)
    say(
        f"{counted(nodes, 'node')} and {counted(edges, 'relationship')} in {url.rpartition('@')[2]}; the "
        "questions' Cypher: rulemine export DIR --to neo4j"
    )
    return 0


def gloss(arguments: Namespace) -> int:
    """Runs ``data gloss``."""
    from rulemine.cli.recipe_options import chosen_recipe
    from rulemine.llm.call import more_tokens
    from rulemine.llm.session import Session
    from rulemine.recipe.inputs import Inputs
    from rulemine.release.outputs import check_file
    from rulemine.verbalizer.prompts import Calls
    from rulemine.verbalizer.relation_words import write_book, write_glosses

    recipe = chosen_recipe(arguments)
    line = Line()
    inputs = Inputs(recipe, line.note)
    default = Path("out") / f"{recipe.name}.{'book' if arguments.book else 'glosses'}.toml"
    output: Path = arguments.output or default
    check_file(output)  # a file with descriptions is completed
    inputs.prompts  # noqa: B018  # before anything is asked
    asks = recipe.verbalizer.name == "openai"
    if arguments.book and not asks:
        raise ConfigError(
            "--book: a model writes it. Give --model NAME; what a build finds without a model, rulemine "
            "build --until draft writes."
        )
    calls = Calls(inputs.prompts, recipe.verbalizer, recipe.seed)
    with ExitStack() as stack:
        advance = session = None
        if asks:
            beside = default if output == STANDARD_OUTPUT else output
            journal = beside.with_name(f"{beside.name}.journal.sqlite")
            check_file(journal)
            advance = stack.enter_context(line.watch("gloss"))
            room = f"--set verbalizer.max_tokens={more_tokens(recipe.verbalizer.max_tokens)}"
            session = stack.enter_context(Session(recipe.endpoint, journal, line.note, room=room))
        path = stack.enter_context(written(output))
        if session is not None and arguments.book:
            report = write_book(
                inputs.kg, inputs.templates, path, session, calls,
                labels=inputs.labels, progress=advance,
            )  # fmt: skip
        else:
            report = write_glosses(
                inputs.kg, inputs.templates, inputs.glosses, path, session, calls,
                labels=inputs.labels, progress=advance,
            )  # fmt: skip
    summarize(replace(report, path=output).to_text(), output)
    return 0


def _add_gloss_options(parser: Parser) -> None:
    from rulemine.recipe.recipe import KEYS

    parser.keys = lambda: KEYS
    add_flags(parser, [key for key in KEYS if key.name in ("seed", "verbalizer.model")])


DATA = Subcommand(
    "data", data, "data sets, property graphs, queries, glosses, Neo4j",
    (
        arg("what", None, "list all data sets, or get one and print where its files are",
            choices=("list", "get")),
        arg("name", "NAME", "of the data set", nargs="?"),
    ),
)  # fmt: skip

GRAPH = Subcommand(
    "data graph", graph, "count, convert or describe a property graph, or ask about it",
    (
        arg("source", "SOURCE", "demo, geography, SimpleKG (.json), tables (.toml), RDF, triples (.tsv), a "
            "data set, or a database (bolt://…)"),
        arg("--to", "FORM", "simplekg, schema, or tasks[:per_template=N:seed=N] (count only)"),
        arg("--schema", "FILE", "a schema in TOML, in place of its own or a drafted one", Path),
        arg("--labels", "FILE", "what the entities of triples are called: TSV or a data set"),
        arg("--name-property", "NAME", "the property that nodes of a database are called by (name)"),
        arg("--language", "TAG", "the language of texts in RDF (en)"),
        "columns strict output",
    ),
    "From triples, types are induced. Write a draft, edit it (rename and merge types\n"
    "and relations, delete what is not wanted), then convert with it:\n"
    "  rulemine data graph my.tsv --to schema -o my-schema.toml\n"
    "  rulemine data graph my.tsv --schema my-schema.toml --to simplekg -o my.json\n"
    "tasks are questions with their Cypher, a line each (JSON).",
)  # fmt: skip

QUERY = Subcommand(
    "data query", query, "answer a query and say how much of each answer is missing",
    (
        arg("kg", "KG", "the complete graph, the name of a data set, or a release"),
        arg("query", "QUERY", "the query; - reads it from standard input"),
        arg("--removed", "FILE", "TSV of the triples that are removed; a release has its own", Path),
        arg("--level", "N", "grade at this incompleteness level of a release (100)", within(1, 100)),
        arg("--most", "N", "answers to print (20)", within(0)),
        arg("--to", None, "print the query in this language instead of answering it",
            choices=("sparql", "cypher")),
        "columns strict",
    ),
    """\
  "x"             the entity x; names are in double quotes
  (p "r" X)       the objects of r whose subject is in X
  (p- "r" X)      the subjects of r whose object is in X
  (and X Y …)     in all of them
  (or X Y …)      in some of them
  (minus X Y)     in X and not in Y
  (count X)       how many; outermost""",
)  # fmt: skip

NEO4J = Subcommand(
    "data neo4j", neo4j, "start a Neo4j on this machine, load a release's graph, end it",
    (
        arg("action", None, "start one in the background, fetched with Maven once; load the graph of a "
            "release; stop it", choices=("start", "load", "stop")),
        arg("release", "DIR", "folder or archive of the release, for load", Path, nargs="?"),
        "kg?",
        arg("--url", "URL", f"where to load it, any address of Bolt ({_URL})"),
        arg("--database", "NAME", "a database of that server (its own choice)"),
        switch("--replace", "delete first what the database holds"),
        arg("--folder", "FOLDER", f"folder of the data of a server that is started ({_FOLDER})", Path),
        arg("--port", "N", f"its port on this machine, 0 for any that is free ({_PORT})", int),
        arg("--heap", "SIZE", f"heap of its JVM ({_HEAP})"),
    ),
)  # fmt: skip

GLOSS = Subcommand(
    "data gloss", gloss, "write relation descriptions for the prompts of a language model",
    (
        arg("recipe", "RECIPE", "as in rulemine build"),
        arg("-o --output", "FILE", "TOML (out/NAME.glosses.toml)", output_file),
        switch("--book", "write questions for relations that no phrase book knows, by a model"),
        "set",
    ),
    """\
With --model NAME, a model describes each relation from its name and ten triples. Without, descriptions
are made from the templates, for you to edit. Descriptions already in the file, or in the recipe's
verbalizer.glosses, are never changed. To build with the file:
  rulemine build RECIPE --model NAME --set verbalizer.glosses=FILE
With --book, a model writes templates instead, which word questions without a model:
  rulemine build GRAPH --set questions.templates=FILE""",
    _add_gloss_options,
)  # fmt: skip
