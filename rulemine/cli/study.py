"""The commands ``study`` and ``tables``: systems on nested graphs to a page, and the tables of papers.

A command imports what it needs when it runs.
"""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rulemine.cli.console import Line, refuse_idle, say
from rulemine.cli.parser import (
    Parser,
    Subcommand,
    add_flags,
    arg,
    chosen,
    given,
    settings_in,
    several,
    switch,
    within,
)
from rulemine.errors import ConfigError

__all__ = ["STUDY", "TABLES"]

MORE = """\
Everything is kept in OUT: the same command after an interruption goes on where it was. What it costs is
printed before it starts. A file has the same keys as the options, and systems = ["lookup", "bm25"]:
  rulemine study out/demo --with lookup,prior,reasoner -o out/study
  rulemine study study.toml -o out/study"""


def study(arguments: Namespace) -> int:
    """Runs ``study``."""
    from rulemine.cli.answer import with_program
    from rulemine.cluster import opened
    from rulemine.evaluation.reporting.figures import drawable
    from rulemine.evaluation.reporting.tables import WARNING
    from rulemine.evaluation.study.costs import costs_table, expected
    from rulemine.evaluation.study.plan import read_plan
    from rulemine.evaluation.study.results import write_results
    from rulemine.evaluation.study.run import StudyFolder
    from rulemine.registry import split_names
    from rulemine.text.tables import text_of, wrapped

    options = settings_in(arguments) | given(arguments, "study.")
    if arguments.systems is not None:
        options["systems"] = with_program(split_names(arguments.systems), arguments.program)
    plan = read_plan(arguments.source, options)
    line = Line()

    @contextmanager
    def watch(step: str) -> Iterator[Callable[[int, int], None]]:
        if not sys.stderr.isatty():  # a log shows no bar
            say(step, sys.stderr)
        with line.watch(step) as advance:
            yield advance

    found = StudyFolder(plan, arguments.output, watch=watch, note=line.note)
    with watch("estimate"):
        costs = expected(found)
    table = text_of(costs_table(costs, in_batches=bool(plan.endpoint.batch)))
    if arguments.dry_run:
        refuse_idle(arguments, "answering", "cluster")
        say(table, end="")
        return 0
    if any(one.runs for one in costs):
        say(table, sys.stderr, end="")
    with opened(arguments.cluster, line.note) as cluster:
        found.answer(cluster.unordered if arguments.cluster else None)
        document = drawable(write_results(found, watch=watch, spread=cluster.map))
    for text in document.notes:
        if text.startswith(WARNING):
            say(wrapped(text))
    if document.headline is not None:
        say(text_of(document.headline), end="")
    say(f"\n{arguments.output / 'report.html'}")
    return 0


def _add_keys(parser: Parser) -> None:
    from rulemine.config import keys_of
    from rulemine.evaluation.study.options import StudyOptions

    parser.keys = lambda: keys_of(StudyOptions())
    add_flags(parser, keys_of(StudyOptions(), "study."))


STUDY = Subcommand(
    "study", study, "run systems on ever less complete graphs, to a page",
    (
        arg("source", "DIR|FILE.toml", "folder or archive of a release, or a file that describes a study",
            Path),
        arg("--with", "NAME[,NAME…]", "the systems, as for rulemine answer", dest="systems"),
        arg("-o --output", "OUT", "folder of the study", Path, required=True),
        switch("--dry-run", "say what the study costs, and do nothing"),
        "cluster",
        several("--set", "KEY=VALUE", "names, namings, naming_levels, model_levels, matching, resamples, "
                "metrics; of the model: endpoint.base_url, .batch, …"),
    ),
    MORE, _add_keys, beside_output=True, takes_program=True,
)  # fmt: skip


_OF_TABLES = """\
PAPER is brink, synthkgqa, dynamickgqa, complexlogicalqa or cypherbench. DIR is a release, the folder of a
study, predictions (.jsonl, .json) or a filled sheet (.tsv); of a study or predictions, give the release too.
Tables that need what was not given are named, with what would give them:
  rulemine tables brink out/family out/study-family -o out/tables"""


def tables(arguments: Namespace) -> int:
    """Runs ``tables``."""
    from contextlib import ExitStack
    from dataclasses import replace
    from functools import partial

    from rulemine.cli.keys import ModelOptions
    from rulemine.evaluation.answerers.registry import JOURNAL
    from rulemine.evaluation.embedding import embed
    from rulemine.evaluation.reporting.figures import drawable
    from rulemine.evaluation.reporting.files import write_document
    from rulemine.llm.session import Session
    from rulemine.papers.material import read_material
    from rulemine.papers.paper import PAPERS, check_tables, make_tables
    from rulemine.text.tables import text_of, wrapped

    paper, line = PAPERS.find(arguments.paper), Line()
    check_tables(arguments.output, arguments.paths)
    endpoint = chosen(arguments, ModelOptions).endpoint
    if not arguments.model and arguments.set:
        raise ConfigError(
            "tables: an endpoint without a model. Name an embedding model with --model."
        )
    material = read_material(
        arguments.paths,
        split=None if arguments.split == "all" else arguments.split,
        resamples=arguments.resamples,
        seed=arguments.seed,
    )
    arguments.output.mkdir(parents=True, exist_ok=True)
    with ExitStack() as opened:
        if arguments.model:
            session = opened.enter_context(Session(endpoint, arguments.output / JOURNAL, line.note))
            material = replace(material, embed=partial(embed, session, arguments.model))
        document = drawable(make_tables(paper, material, line.watch))
    written = write_document(document, arguments.output)
    for table in document.every_table():
        say(text_of(table))
    for text in document.notes:
        say(wrapped(text))
    say(f"\n{written[-1]}")
    return 0


TABLES = Subcommand(
    "tables", tables, "make the tables and figures of a paper, from your releases",
    (
        arg("paper", "PAPER", "its short name"),
        arg("paths", "DIR|FILE", "releases, studies, predictions, filled sheets", Path, nargs="+"),
        "split",
        arg("--resamples", "N", "resamples of an interval of predictions (1000)", within(1), default=1000),
        "seed",
        arg("-o --output", "OUT", "folder to write", Path, required=True),
        arg("--model", "NAME", "an embedding model, for tables that compare meanings", default=""),
        "endpoint",
    ),
    _OF_TABLES, beside_output=True,
)  # fmt: skip
