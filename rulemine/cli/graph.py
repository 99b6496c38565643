"""The command ``graph``: property graphs, and questions over them.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.arguments import Subcommand, arg
from rulemine.cli.console import (
    bar,
    check_output,
    emit,
    emit_pieces,
    note,
    output_file,
    say,
    summarize,
)
from rulemine.errors import ConfigError, counted

if TYPE_CHECKING:
    from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = ["GRAPH", "TASKS"]

_MORE = """\
From triples, types are induced. Write a draft, edit it (rename and merge types
and relations, delete what is not wanted), then convert with it:
  rulemine graph draft my.tsv -o my-schema.toml
  rulemine graph convert my.tsv --schema my-schema.toml -o my.json
"""


def graph(arguments: Namespace) -> int:
    """Runs ``graph``."""
    from rulemine.kg.property_graph.graph import describe_counts
    from rulemine.kg.property_graph.schema import schema_text
    from rulemine.kg.property_graph.simplekg import simplekg_pieces

    output: Path | None = arguments.output
    if arguments.action == "check" and output is not None:
        raise ConfigError("graph check: prints on standard output. Leave -o out.")
    made = _loaded(arguments)
    what = f"{counted(len(made.nodes), 'node')}, {counted(len(made.edges), 'edge')}"
    if arguments.action == "check":
        for line in describe_counts(made):
            say(line)
    elif arguments.action == "draft":
        emit(schema_text(made.schema), output)
        types = counted(len(made.schema.entities), "entity type")
        what = f"{types}, {counted(len(made.schema.relations), 'signature')}"
    else:
        emit_pieces(simplekg_pieces(made), output)
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


def tasks(arguments: Namespace) -> int:
    """Runs ``graph tasks``."""
    from rulemine.datasets.property_graphs import load_property_graph
    from rulemine.kinds.registry import tool

    output: Path = arguments.output
    check_output(output)
    with bar("graph") as loading:
        graph = load_property_graph(arguments.graph, note=note, progress=loading)
    with bar("tasks") as progress:
        lines = tool("tasks").write_tasks(
            graph,
            lambda pieces: emit_pieces(pieces, output),
            progress,
            per_template=arguments.per_template,
            seed=arguments.seed or 0,
        )
    summarize("\n".join([f"{output}: {lines[0]}", *lines[1:]]), output)
    return 0


GRAPH = Subcommand(
    "graph", graph, "count, convert or describe a property graph",
    (
        arg("action", None, "check: count types, signatures and properties; convert: write SimpleKG JSON; "
            "draft: write the schema", choices=("check", "convert", "draft")),
        arg("source", "SOURCE", "demo, geography, or a file: SimpleKG (.json), tables (.toml), RDF "
            "(.nt, .ttl), else triples in TSV; a data set; or a database, such as bolt://127.0.0.1:7687"),
        arg("--schema", "FILE", "a schema in TOML, in place of the one that the source has or that is "
            "drafted for triples", Path),
        arg("--labels", "FILE", "what the entities of triples are called: TSV or the name of a data set"),
        arg("--name-property", "NAME", "the property that nodes of a database are called by (name)"),
        arg("--language", "TAG", "the language of texts in RDF (en)"),
        "columns strict",
        arg("-o --output", "FILE", "of convert and draft; - or nothing is standard output", output_file),
    ),
    _MORE,
)  # fmt: skip

TASKS = Subcommand(
    "graph tasks", tasks, "ask questions over a property graph, with their Cypher",
    (
        arg("graph", "GRAPH", "demo, geography, or a file that rulemine graph reads, such as SimpleKG JSON"),
        arg("-o --output", "FILE", "the tasks, a line each (JSON); - is standard output", output_file,
            required=True),
        arg("--per-template", "N", "tasks of each MATCH template, at most (40)", int),
        arg("--seed", "N", "which tasks (0)", int),
    ),
)  # fmt: skip
