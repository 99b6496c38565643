"""The commands about graphs: ``mine`` and ``data``, its property graphs, queries and Neo4j."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rulemine.cli.commands import FOLDER, HEAP, PORT, URL
from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    check_output,
    emit,
    expect,
    note,
    refuse_idle,
    say,
)
from rulemine.cli.keys import Tasks, form_of, given, refuse_beside_cluster
from rulemine.cluster import opened
from rulemine.datasets import load_kg, property_graphs, registry
from rulemine.errors import ConfigError, QueryError, UserError, counted, did_you_mean
from rulemine.kg import KnowledgeGraph, Triple
from rulemine.kg.facts import Declarations
from rulemine.kg.property_graph import faults, graph, schema, simplekg
from rulemine.kinds.registry import tool
from rulemine.mining import (
    AmieJar,
    MiningOptions,
    Resources,
    Rules,
    TimeLimit,
    explain_no_rules,
    mine,
)
from rulemine.neo4j import bolt, server
from rulemine.query import (
    Grades,
    QueryGraph,
    cypher,
    evaluate,
    parse,
    query_graph,
    sparql,
    structures,
)
from rulemine.release import Release, records
from rulemine.rules import Rule, formats
from rulemine.text.escaping import printable

INCOMPLETE = 3
"""Exit status of a run that was ended by the time limit."""

MOST_NAMED = 10
"""Number of relations that a message names."""


def run_mine(arguments: Namespace) -> int:
    """Runs ``mine``."""
    resources = Resources(**given(arguments, "resources."))
    limit = TimeLimit(resources.limit_seconds)
    options = MiningOptions(**given(arguments, "mining."))
    check_output(arguments.output)
    jar, line, form = None, Line(), arguments.format
    if arguments.amie_jar is not None:
        refuse_idle(arguments, "this package's miner", "cluster")
        jar = AmieJar.open(arguments.amie_jar)
    refuse_beside_cluster(arguments)
    with line.watch("read") as progress:
        kg = load_kg(arguments.kg, progress, note, arguments.columns, arguments.strict)
    with opened(arguments.cluster, note) as cluster, line.watch("mine") as progress:
        rules: Sequence[Rule] = jar.mine(kg, options, resources, limit) if jar else mine(
            kg, options, resources, progress, limit=limit, on_warning=line.note,
            run=cluster.unordered if arguments.cluster else None,
        )  # fmt: skip
    if not (rules or getattr(rules, "unfinished", ())):
        raise UserError(f"{arguments.kg}: {explain_no_rules(kg, options)}")
    with line.watch("write") as progress:
        if isinstance(rules, Rules):
            emit(rules.text(form, limit, progress), arguments.output)
        else:
            line_of = {"jsonl": formats.json_text, "anyburl": formats.anyburl_line}.get(form)
            emit(
                "".join(map(line_of, rules)) if line_of else formats.format_amie(rules),
                arguments.output,
            )
    by = f", by {jar.path.name} (SHA-256 {jar.digest})" if jar else ""
    say(f"{_made(rules, kg, form)}{by}", sys.stderr)
    unfinished = getattr(rules, "unfinished", ())  # writing may have run out of time, too
    if not unfinished:
        return 0
    named = ", ".join(unfinished[:MOST_NAMED]) + ", …" * (len(unfinished) > MOST_NAMED)
    say(
        f"incomplete: ended after {limit.seconds:g} s; no rules yet for "
        f"{counted(len(unfinished), 'head relation')}: {named}. Give it more time (--limit-seconds), or "
        "raise the thresholds.",
        sys.stderr,
    )
    return INCOMPLETE


def _made(rules: Sequence[Rule], kg: KnowledgeGraph, form: str) -> str:
    """How many rules were made of how many triples."""
    duplicates = f" ({counted(kg.duplicates, 'duplicate line')})" if kg.duplicates else ""
    made = f"{counted(len(rules), 'rule')} from {counted(len(kg), 'triple')}{duplicates}"
    rest = sum(not formats.anyburl_line(rule) for rule in rules) if form == "anyburl" else 0
    return made + f", {rest:,} left out, whose bodies are no paths as AnyBURL has" * (rest > 0)


def run_data(arguments: Namespace) -> None:
    """Runs ``data list`` or ``data get NAME``."""
    if arguments.what == "get":
        expect(
            arguments.name, f"data get: name a data set; {did_you_mean('', registry.data_sets())}"
        )
        with Line().watch("get") as advance:
            paths = registry.get_files(arguments.name, advance, note)
        for path in paths:
            print(path)
        return
    expect(not arguments.name, f"rulemine data get {arguments.name}: data list takes no name.")
    for name in registry.data_sets():
        try:
            entry = registry.data_sets()[name]
        except ConfigError as problem:  # a broken entry of another package must not hide the others
            say(f"{name:16} broken  {problem}")
            continue
        there = "here" if all(registry.find_files(name)) else "to get"
        say(f"{name:16} {there:7} {entry.title}\n{'':25}{entry.license}; {entry.source}")
        for file in entry.files:
            size = f"{file.bytes:,} bytes" if file.bytes else "size not known"
            say(f"{'':25}{file.path}: {size}, {file.digest}")
        if entry.conversion:
            say(f"{'':25}{entry.conversion}")


FORMS = ("simplekg", "schema", "tasks")
"""What a property graph is written as."""


def run_graph(arguments: Namespace) -> None:
    """Runs ``data graph``."""
    output: Path | None = arguments.output
    form, _, rest = (arguments.to or "").partition(":")
    expect(
        not form or form in FORMS, f"--to {arguments.to}: is unknown; {did_you_mean(form, FORMS)}"
    )
    expect(
        not rest or form == "tasks",
        f"--to {arguments.to}: {form} has no options. Give --to {form}.",
    )
    if not form:
        refuse_idle(arguments, "--to", "output")
    check_output(output)
    line, left_out = Line(), faults.Faults()
    with line.watch("graph") as progress:
        declared = schema.read_schema(arguments.schema) if arguments.schema else None
        made = property_graphs.load_property_graph(
            arguments.source, declared, left_out, arguments.labels or "", note, progress,
            arguments.name_property or "name", arguments.language or "en", arguments.columns,
            arguments.strict,
        )  # fmt: skip
    if left_out:
        note(f"left out: {left_out.summary()}, such as\n  " + "\n  ".join(left_out.lines()))
    what = f"{counted(len(made.nodes), 'node')}, {counted(len(made.edges), 'edge')}"
    if form == "tasks":
        how = form_of(arguments.to, "--to", tasks=Tasks)
        with line.watch("tasks") as progress:
            found = tool("tasks").write_tasks(
                made, lambda pieces: emit(pieces, output), progress,
                per_template=how.per_template, seed=how.seed,
            )  # fmt: skip
        what = "\n".join(found)
    elif form == "schema":
        emit(schema.schema_text(made.schema), output)
        types = counted(len(made.schema.entities), "entity type")
        what = f"{types}, {counted(len(made.schema.relations), 'signature')}"
    elif form:
        emit(simplekg.simplekg_pieces(made), output)
    else:
        say("\n".join(graph.describe_counts(made)))
    if output is not None:
        say(f"{output}: {what}", sys.stderr if output == STANDARD_OUTPUT else None)


def run_query(arguments: Namespace) -> None:
    """Runs ``data query``."""
    tree = parse(sys.stdin.read() if arguments.query == "-" else arguments.query)
    if arguments.to:
        refuse_idle(arguments, "answering the query", "removed", "level", "most")
        say({"sparql": sparql.to_sparql, "cypher": cypher.to_cypher}[arguments.to](tree))
        return
    most = 20 if arguments.most is None else arguments.most
    level = query_graph.WHOLE if arguments.level is None else arguments.level
    with Line().watch("read"):
        kg, removals, declarations = _read(arguments)
    levels = {triple: removal.level if removal else 1 for triple, removal in removals.items()}
    try:
        whole = QueryGraph(kg, query_graph.levels_of(kg, levels))
    except QueryError as problem:
        raise QueryError(f"{arguments.removed or arguments.kg}: {problem}") from None
    grades = evaluate(whole, tree, level=level)
    say(str(tree))
    structure = structures.structure_of(tree, declarations)
    named = f"structure {structure.name}, " if structure.name != structure.shape else ""
    say(
        f"{named}shape {structure.shape}, {counted(structure.hops, 'hop')}, "
        f"{counted(structure.atoms, 'atom')}"
    )
    say("\n".join(_graded(grades, removals, most)))


def _graded(
    grades: Grades, removals: Mapping[Triple, records.Missing | None], most: int
) -> Iterator[str]:
    """How many answers there are, and the first of them; below each hard one, what it is derived from."""
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
) -> tuple[KnowledgeGraph, dict[Triple, records.Missing | None], Declarations]:
    """The complete graph, the removed triples, and what is declared about relations."""
    if Path(arguments.kg).is_dir() or Path(arguments.kg).suffix == ".tar":
        refuse_idle(arguments, "a graph without a release", "removed")
        release = Release.open(arguments.kg)
        removals = {row.triple: row for row in release.missing()}
        return release.kg("complete"), {**removals}, release.templates().declarations
    refuse_idle(arguments, "a release", "level")
    removed = KnowledgeGraph.read(arguments.removed).labeled() if arguments.removed else []
    kg = load_kg(arguments.kg, None, note, arguments.columns, arguments.strict)
    return kg, dict.fromkeys(removed), Declarations()


def run_neo4j(arguments: Namespace) -> None:
    """Runs ``data neo4j``."""
    action, line = arguments.action, Line()
    what = "DIR is missing, the release to load." if action == "load" else "takes no DIR."
    expect((arguments.release is None) != (action == "load"), f"data neo4j {action}: {what}")
    if action != "load":
        refuse_idle(arguments, "data neo4j load", "kg", "url", "database", "replace")
    if action != "start":
        refuse_idle(arguments, "data neo4j start", "folder", "port", "heap")
    if action == "load":
        said = _load(arguments, line)
    elif action == "start":
        with line.watch("neo4j"):
            port = PORT if arguments.port is None else arguments.port
            folder = arguments.folder or Path(FOLDER)
            made = server.start(folder, port, arguments.heap or HEAP, line.note)
        where = f"{made.url} (process {made.pid}, data in {made.folder})"
        said = f"{where}; end it: rulemine data neo4j stop"
    else:
        ended = server.stop()
        none = "no Neo4j was started by rulemine data neo4j start"
        said = f"{ended.url} ended" if ended else none
    say(said)


def _load(arguments: Namespace, line: Line) -> str:
    """Loads the graph of a release; says what was loaded."""
    release = Release.open(arguments.release)
    which, url = arguments.kg or "incomplete", arguments.url or URL
    with line.watch("neo4j"), bolt.connected(url, arguments.database) as there:
        if release.has_property_graph:
            made = release.property_graph(which)
            nodes, edges = len(made.nodes), len(made.edges)
            there.load_properties(made, replace=arguments.replace)
        else:
            kg = release.kg(which)
            nodes, edges = len(kg.entities), len(kg)
            there.load(kg, replace=arguments.replace)
    return (
        f"{counted(nodes, 'node')} and {counted(edges, 'relationship')} in {url.rpartition('@')[2]}; the "
        "questions' Cypher: rulemine export DIR --to neo4j"
    )
