"""The command ``graph``: property graphs, their values, and questions over them.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.arguments import Subcommand, arg, switch
from rulemine.cli.console import (
    bar,
    check_output,
    emit,
    emit_pieces,
    note,
    output_file,
    refuse_idle,
    say,
    summarize,
)
from rulemine.errors import ConfigError, counted

if TYPE_CHECKING:
    from rulemine.kg.property_graph.graph import PropertyGraph
    from rulemine.rules.values.value_rules import ValueRule

__all__ = ["GRAPH", "TASKS"]

_MORE = """\
From triples, types are induced. Write a draft, edit it (rename and merge types
and relations, delete what is not wanted), then convert with it:
  rulemine graph draft my.tsv -o my-schema.toml
  rulemine graph convert my.tsv --schema my-schema.toml -o my.json
"""


def graph(arguments: Namespace) -> int:
    """Runs ``graph``."""
    from rulemine.datasets.property_graphs import load_property_graph
    from rulemine.kg.property_graph.counts import describe_counts
    from rulemine.kg.property_graph.faults import Faults
    from rulemine.kg.property_graph.schema_file import read_schema, schema_text
    from rulemine.kg.property_graph.simplekg import simplekg_pieces
    from rulemine.rules.values.value_rule_file import value_rules_text

    output: Path | None = arguments.output
    _check_values(arguments)
    if arguments.action == "check" and output is not None:
        raise ConfigError("graph check: prints on standard output. Leave -o out.")
    check_output(output)
    left_out = Faults()
    with bar("graph") as progress:
        schema = read_schema(arguments.schema) if arguments.schema else None
        made = load_property_graph(
            arguments.source, schema, left_out, arguments.labels or "", note, progress,
            arguments.name_property or "name", arguments.language or "en",
        )  # fmt: skip
    if left_out:
        note(f"left out: {left_out.summary()}, such as\n  " + "\n  ".join(left_out.lines()))
    if arguments.action == "check":
        for line in describe_counts(made):
            say(line)
    elif arguments.action == "draft":
        emit(schema_text(made.schema), output)
    elif arguments.action == "values":
        rules = _value_rules(made, arguments)
        emit(value_rules_text(made, rules), output)
    else:
        emit_pieces(simplekg_pieces(made), output)
    if output is not None:
        what = f"{counted(len(made.nodes), 'node')}, {counted(len(made.edges), 'edge')}"
        if arguments.action == "values":
            what = counted(len(rules), "value rule")
        if arguments.action == "draft":
            types = counted(len(made.schema.entities), "entity type")
            what = f"{types}, {counted(len(made.schema.relations), 'signature')}"
        summarize(f"{output}: {what}", output)
    return 0


def _check_values(arguments: Namespace) -> None:
    """Options of ``values`` have no effect elsewhere, nor thresholds on given rules."""
    for name in ("rules", "confidence", "support"):
        if getattr(arguments, name) is None:
            continue
        if arguments.action != "values":
            raise ConfigError(
                f"graph {arguments.action}: --{name} is of graph values. Leave it out."
            )
        if name != "rules" and arguments.rules:
            raise ConfigError(f"graph values: --{name} has no effect on --rules. Leave one out.")


def _value_rules(made: "PropertyGraph", arguments: Namespace) -> "tuple[ValueRule, ...]":
    from rulemine.rules.values.value_mining import mine_value_rules
    from rulemine.rules.values.value_rule_file import read_value_rules

    if arguments.rules:
        return read_value_rules(arguments.rules, made)
    with bar("value rules") as progress:
        return mine_value_rules(
            made,
            min_confidence=1.0 if arguments.confidence is None else arguments.confidence,
            min_support=20 if arguments.support is None else arguments.support,
            progress=progress,
        )


_PER_TEMPLATE = 40

_MOST = 10_000
"""As many instances of each pattern are looked at, again and again."""


def cypher_tasks(arguments: Namespace) -> int:
    """``graph tasks``."""
    from rulemine.codec import dump_line
    from rulemine.datasets.property_graphs import load_property_graph
    from rulemine.kinds.cypher.instantiate import Tally, make_tasks, task_row
    from rulemine.kinds.cypher.realism import (
        characteristics_text,
        draft_characteristics,
        read_characteristics,
    )

    output: Path = arguments.output
    if arguments.draft:
        refuse_idle(arguments, "tasks", "per_template", "seed", "characteristics")
    per_template = _PER_TEMPLATE if arguments.per_template is None else arguments.per_template
    if not 1 <= per_template <= _MOST:
        raise ConfigError(f"--per-template is {per_template}; expected 1 … {_MOST:,}.")
    check_output(output)
    with bar("graph") as loading:
        graph = load_property_graph(arguments.graph, note=note, progress=loading)
    if arguments.draft:
        emit(characteristics_text(draft_characteristics(graph)), output)
        summarize(f"{output}: {counted(len(graph.schema.relations), 'relation')}", output)
        return 0
    given = arguments.characteristics
    known = read_characteristics(given, graph.schema) if given else draft_characteristics(graph)
    tally = Tally()

    def lines() -> Iterator[str]:
        with bar("tasks") as progress:
            tasks = make_tasks(
                graph, known, per_template=per_template, seed=arguments.seed or 0, tally=tally
            )
            for made, task in enumerate(tasks, start=1):
                progress(made, 0)  # how many there can be is not known
                yield f"{dump_line(task_row(task))}\n"

    emit_pieces(lines(), output)
    made = {match: number for (match, what), number in tally.items() if what == "tasks"}
    summarize(f"{output}: {counted(sum(made.values()), 'task')}", output)
    dropped: dict[str, int] = {}
    for (_, what), number in tally.items():
        if what not in ("tasks", "patterns"):
            dropped[what] = dropped.get(what, 0) + number
    if dropped:
        summarize(
            "  patterns dropped: " + ", ".join(f"{n:,} {what}" for what, n in dropped.items()),
            output,
        )
    if empty := [match for match, number in made.items() if not number]:
        summarize(f"  no task of: {', '.join(empty)}", output)
    return 0


GRAPH = Subcommand(
    "graph", graph,
    "count, convert or describe a property graph",
    (
        arg("action", None, "check: count types, signatures and properties; convert: write SimpleKG JSON; "
            "draft: write the schema; values: write the rules by which one fact determines another value, "
            "which a build may then remove", choices=("check", "convert", "draft", "values")),
        arg("source", "SOURCE", "demo, geography, or a file: SimpleKG (.json), tables (.toml), RDF (.nt, "
            ".ttl), else triples in TSV; a data set; or a database, such as bolt://127.0.0.1:7687"),
        arg("--schema", "FILE", "a schema in TOML, in place of the one that the source has or that is "
            "drafted for triples", Path),
        arg("--labels", "FILE", "what the entities of triples are called: TSV or the name of a data set"),
        arg("--name-property", "NAME", "the property that nodes of a database are called by (name)"),
        arg("--rules", "FILE", "of values: count these rules instead of mining, e.g. what values wrote, "
            "edited", Path),
        arg("--confidence", "X", "of values: the least share of the nodes of which a rule says a value where "
            "it is right (1.0)", float),
        arg("--support", "N", "of values: of how many nodes a rule is right (20)", int),
        arg("--language", "TAG", "the language of texts in RDF (en)"),
        arg("-o --output", "FILE", "of convert, draft and values; - or nothing is standard output",
            output_file),
    ),
    _MORE,
)  # fmt: skip

TASKS = Subcommand(
    "graph tasks", cypher_tasks, "ask questions over a property graph, with their Cypher",
    (
        arg("graph", "GRAPH", "demo, geography, or a file that rulemine graph reads, such as SimpleKG JSON"),
        arg("-o --output", "FILE", "the tasks, a line each (JSON); - is standard output", output_file,
            required=True),
        arg("--per-template", "N", f"tasks of each MATCH template, at most ({_PER_TEMPLATE})", int),
        arg("--seed", "N", "which tasks (0)", int),
        arg("--characteristics", "FILE", "what relations are like, in TOML, for the checks of realism; what "
            "the graph shows if not given", Path),
        switch("--draft", "write what the graph shows of its relations instead, to be edited"),
    ),
)  # fmt: skip
