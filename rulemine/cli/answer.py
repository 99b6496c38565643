"""The command ``answer``: answers the questions of a release with a system.

A command imports what it needs when it runs.
"""

import json
import shlex
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    bar,
    check_output,
    note,
    output_file,
    refuse_idle,
    say,
    written,
)
from rulemine.cli.export import split_of
from rulemine.cli.parser import Subcommand, arg, chosen, release_at, switch
from rulemine.errors import AwaitedError, ConfigError, counted

if TYPE_CHECKING:
    from rulemine.llm.options import EndpointOptions
    from rulemine.release.reader import Release
    from rulemine.release.records import Prediction

__all__ = ["ANSWER", "with_program"]


def answer(arguments: Namespace) -> int:
    """Runs ``answer``."""
    from rulemine.cli.keys import ModelOptions
    from rulemine.evaluation.answerers.registry import asks_model, find_answerer, without_limits
    from rulemine.registry import split_names

    names = with_program(split_names(arguments.answerers), arguments.program)
    if not names:
        raise ConfigError("--with names nothing; expected e.g. --with lookup,neighbors:hops=2.")
    endpoint = chosen(arguments, ModelOptions).endpoint
    if endpoint.batch and not any(asks_model(find_answerer(n)) for n in names):
        raise ConfigError(
            "endpoint.batch: is for systems that ask a model, and none here does. Leave it out."
        )
    if arguments.dry_run:
        refuse_idle(arguments, "answering", "cluster")
        say(_estimate(arguments, names, endpoint), end="")
        return 0
    if arguments.output is None:
        raise ConfigError("missing: -o/--output. See rulemine answer --help.")
    if len(names) == 1:
        kept = None if arguments.output == STANDARD_OUTPUT else Path(f"{arguments.output}.work")
        places = {names[0]: (arguments.output, kept)}
    else:
        if arguments.output.exists() and not arguments.output.is_dir():
            raise ConfigError(
                f"{arguments.output}: is no folder; {len(names)} systems write a file each. Name a "
                "folder with -o."
            )
        arguments.output.mkdir(parents=True, exist_ok=True)
        places = {
            name: (
                arguments.output / f"{_file_name(name)}.jsonl",
                arguments.output / f"{_file_name(without_limits(name))}.jsonl.work",
            )
            for name in names
        }
    for output, _ in places.values():
        check_output(output)
    away = _answer_away(arguments, places) if arguments.cluster else set()
    awaited: AwaitedError | None = None
    for name, (output, kept) in places.items():
        try:
            if name not in away:
                _answer(arguments, name, output, kept, endpoint)
        except AwaitedError as found:  # one system does not wait for the replies to another
            awaited = found if awaited is None else AwaitedError(f"{awaited}\n{found}")
    if awaited is not None:
        raise awaited
    return 0


def with_program(names: Sequence[str], program: Sequence[str]) -> list[str]:
    """The answerers with the program after ``--`` as that of the one named ``command``.

    Raises:
        ConfigError: There is a program, but not one such answerer that has none.
    """
    if not program:
        return list(names)
    without = [n for n in names if n.partition(":")[0] == "command" and ":program=" not in n]
    if len(without) != 1:
        raise ConfigError(
            f"-- {shlex.join(program)}: is for one command without a program in --with; found "
            f"{', '.join(names) or 'nothing'}."
        )
    whole = f"{without[0]}:program={json.dumps(shlex.join(program), ensure_ascii=False)}"
    return [whole if name == without[0] else name for name in names]


def _file_name(name: str) -> str:
    """A system's label as a file name."""
    return "".join(c if c.isalnum() or c in "-_=." else "_" for c in name)


def _estimate(arguments: Namespace, names: Sequence[str], endpoint: "EndpointOptions") -> str:
    """What the answers of systems would take, as a table."""
    from rulemine.evaluation.answerers.forecast import forecast
    from rulemine.evaluation.study.costs import Expected, costs_table
    from rulemine.release.groups import sample
    from rulemine.text.tables import text_of

    release, split = release_at(arguments.release), split_of(arguments.split)
    asked = len(sample(release.questions(split), arguments.sample))
    with bar("estimate"):
        costs = [
            Expected(name, 1, asked, *forecast(
                release, name, [arguments.kg], split=split, sample=arguments.sample,
                model=arguments.model,
            ))
            for name in names
        ]  # fmt: skip
    return text_of(costs_table(costs, in_batches=bool(endpoint.batch)))


def _answer(
    arguments: Namespace, name: str, output: Path, kept: Path | None, endpoint: "EndpointOptions"
) -> None:
    """Answers with one system, which keeps what it needs, and writes its predictions."""
    from rulemine.evaluation import answer as answer_questions

    release = release_at(arguments.release)
    line = Line()
    with line.watch(name) as advance:
        predictions = answer_questions(
            release,
            name,
            kg=arguments.kg,
            split=split_of(arguments.split),
            sample=arguments.sample,
            seed=arguments.seed,
            model=arguments.model,
            endpoint=endpoint,
            folder=kept,
            progress=advance,
            note=line.note,
        )
    _write(arguments, release, name, predictions, output)


def _answer_away(arguments: Namespace, places: Mapping[str, tuple[Path, Path | None]]) -> set[str]:
    """Answers with the systems that do so in other processes, and writes their predictions.

    Args:
        arguments: The parsed arguments.
        places: System → the file of its predictions, and the folder of what it keeps.

    Returns:
        These systems.

    Raises:
        ConfigError: There is no such system.
    """
    from rulemine.cluster import opened
    from rulemine.evaluation.answerers.model_free.runs import (
        AnswererRun,
        answer_runs,
        only_spreading,
    )

    release = release_at(arguments.release)
    line, away = Line(), only_spreading(list(places), release)
    runs = [
        AnswererRun(
            name,
            release.naming,
            arguments.kg,
            split_of(arguments.split),
            arguments.sample,
            arguments.seed,
            kept and kept.absolute(),
        )
        for name, (_, kept) in places.items()
        if name in away
    ]
    with opened(arguments.cluster, note) as cluster, line.watch("answer") as advance:
        for run, predictions in answer_runs(
            runs,
            {release.naming: release},
            cluster.unordered,
            progress=advance,
            note=lambda run, text: line.note(f"{run.with_}: {text}"),
        ):
            _write(arguments, release, run.with_, predictions, places[run.with_][0])
    return {run.with_ for run in runs}


def _write(
    arguments: Namespace,
    release: "Release",
    name: str,
    predictions: "Sequence[Prediction]",
    output: Path,
) -> None:
    """Writes the predictions of a system, and says so."""
    from rulemine.evaluation import write_predictions
    from rulemine.evaluation.answerers.registry import run_of

    run = run_of(release, name, kg=arguments.kg, split=split_of(arguments.split),
                 sample=arguments.sample, seed=arguments.seed, model=arguments.model)  # fmt: skip
    with written(output) as path:
        write_predictions(path, predictions, run)
    summary = f"{output}: {counted(len(predictions), 'prediction')} by {name}"
    empty = sum(
        not (p.answers or p.rows or p.cypher or p.sparql or p.raw_output) for p in predictions
    )
    if empty:
        summary += f", {empty:,} of {len(predictions):,} without an answer"
    say(summary, sys.stderr)


ANSWER = Subcommand(
    "answer", answer, "answer the questions of a release with a system",
    (
        "release",
        arg("--with", "NAME[,NAME…]", "e.g. lookup, neighbors:hops=2, prior:k=5", dest="answerers",
            required=True),
        arg("-o --output", "FILE", "predictions; of several systems a folder; - is stdout",
            output_file),
        "kg split sample seed cluster",
        switch("--dry-run", "say what it would take of a model, ask nothing"),
        "model endpoint",
    ),
    "NAME[:key=value…] is one of the answerers of docs/answerers.md, or one that an installed package\n"
    "adds. Everything is kept in FILE.work: the same command after an interruption goes on.\n"
    "Questions over a property graph: --with gold-cypher, reasoner, prior, text-to-cypher or command.\n"
    "A program of yours: rulemine answer DIR --with command -o FILE -- python my_system.py",
    takes_program=True,
)  # fmt: skip
