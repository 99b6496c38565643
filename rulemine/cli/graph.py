"""The command ``graph``: property graphs are counted, converted, and given a schema.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

import argparse
from argparse import Namespace
from pathlib import Path

from rulemine.cli.console import bar, check_output, emit, emit_pieces, note, output_file, summarize
from rulemine.cli.parser import Parser, add_command
from rulemine.errors import ConfigError, counted

__all__ = ["add_graphing"]

_MORE = """\
From triples, types are induced. Write a draft, edit it (rename and merge types
and relations, delete what is not wanted), then convert with it:
  rulemine graph draft my.tsv -o my-schema.toml
  rulemine graph convert my.tsv --schema my-schema.toml -o my.json
"""


def add_graphing(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``graph``."""
    parser = add_command(
        commands, "graph", graph, "count, convert or draft the schema of a property graph", _MORE
    )
    parser.add_argument(
        "action",
        choices=("check", "convert", "draft"),
        help="check: count types, signatures and properties; convert: write SimpleKG JSON; draft: write the "
        "schema",
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="demo, geography, or a file: SimpleKG (.json), tables (.toml), RDF (.nt, .ttl), else "
        "triples in TSV; a data set; or a database, such as bolt://127.0.0.1:7687",
    )
    parser.add_argument(
        "--schema", type=Path, metavar="FILE",
        help="a schema in TOML, in place of the one that the source has or that is drafted for triples",
    )  # fmt: skip
    parser.add_argument(
        "--labels", metavar="FILE",
        help="what the entities of triples are called: TSV or the name of a data set",
    )  # fmt: skip
    parser.add_argument(
        "--name-property",
        metavar="NAME",
        help="the property that nodes of a database are called by (name)",
    )
    parser.add_argument("-o", "--output", type=output_file, metavar="FILE",
                        help="of convert and draft; - or nothing is standard output")  # fmt: skip


def graph(arguments: Namespace) -> int:
    """Runs ``graph``."""
    from rulemine.datasets.property_graphs import load_property_graph
    from rulemine.kg.property_graph.counts import describe_counts
    from rulemine.kg.property_graph.faults import Faults
    from rulemine.kg.property_graph.schema_file import read_schema, schema_text
    from rulemine.kg.property_graph.simplekg import simplekg_pieces

    output: Path | None = arguments.output
    if arguments.action == "check" and output is not None:
        raise ConfigError("graph check: prints on standard output. Leave -o out.")
    check_output(output, arguments.schema, Path(arguments.source))
    left_out = Faults()
    with bar("graph") as progress:
        schema = read_schema(arguments.schema) if arguments.schema else None
        made = load_property_graph(
            arguments.source, schema, left_out, arguments.labels or "", note, progress,
            arguments.name_property or "name",
        )  # fmt: skip
    if left_out:
        note(f"left out: {left_out.summary()}, such as\n  " + "\n  ".join(left_out.lines()))
    if arguments.action == "check":
        for line in describe_counts(made):
            print(line)
    elif arguments.action == "draft":
        emit(schema_text(made.schema), output)
    else:
        emit_pieces(simplekg_pieces(made), output)
    if output is not None:
        what = f"{counted(len(made.nodes), 'node')}, {counted(len(made.edges), 'edge')}"
        if arguments.action == "draft":
            types = counted(len(made.schema.entities), "entity type")
            what = f"{types}, {counted(len(made.schema.relations), 'signature')}"
        summarize(f"{output}: {what}", output)
    return 0
