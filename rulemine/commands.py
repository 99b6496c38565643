"""What each command of the command line does: call the library, print what came out.

Imports are inside the functions, so that ``--help``, ``show`` and ``evaluate`` never load what only
mining needs. Every function takes the parsed arguments and returns the exit status.
"""

import sys
import time
from argparse import Namespace
from contextlib import ExitStack
from pathlib import Path

from rulemine.console import Line, bar, check_output, emit, note
from rulemine.errors import ConfigError, UserError, did_you_mean

INCOMPLETE = 3
"""Exit status of a run that a limit of time has ended."""

MOST_NAMED = 10
"""How many relations are named in a message."""


def build(arguments: Namespace) -> int:
    """``build`` and its single steps."""
    from rulemine.pipeline import Build, Means
    from rulemine.recipe_options import chosen_recipe
    from rulemine.stage import Done

    recipe = chosen_recipe(arguments)
    target = arguments.output or Path("out") / recipe.name
    started = time.monotonic()

    def finished(name: str, done: Done) -> None:
        seconds = "kept" if done.reused else f"{time.monotonic() - started:.1f} s"
        print(f"{name:8} {seconds:>8}  {done.folder}", file=sys.stderr)

    line = Line()
    means = Means(
        threads=arguments.threads,
        heap=arguments.heap,
        watch=line.watch,
        finished=finished,
        note=line.note,
        status=line.status,
        replay=arguments.replay,
    )
    made = Build(recipe, target, means)
    if arguments.dry_run:
        print(made.estimate())
        return 0
    made.run(arguments.until)
    print(made.summary(arguments.until))
    return 0


def gloss(arguments: Namespace) -> int:
    """``gloss``."""
    from rulemine.builder.verbalizer.calls import Calls
    from rulemine.builder.verbalizer.write_glosses import write_glosses
    from rulemine.inputs import Inputs
    from rulemine.llm.session import open_session
    from rulemine.recipe_options import chosen_recipe

    recipe = chosen_recipe(arguments)
    line = Line()
    inputs = Inputs(recipe, line.note)
    output: Path = arguments.output or Path("out") / f"{recipe.name}.glosses.toml"
    check_output(output)
    inputs.prompts  # noqa: B018  # before anything is asked
    with ExitStack() as stack:
        tell = session = None
        if recipe.verbalizer.name == "openai":
            journal = output.with_name(f"{output.name}.journal.jsonl")
            tell = stack.enter_context(line.watch("gloss"))
            session = stack.enter_context(open_session(inputs.endpoint, journal, status=line.note))
        report = write_glosses(
            inputs.kg,
            inputs.phrases,
            inputs.glosses,
            output,
            session,
            Calls(inputs.prompts, recipe.verbalizer, recipe.seed),
            labels=inputs.labels,
            progress=tell,
        )
    print(report.to_text())
    return 0


def _names(texts: list[str] | None) -> tuple[str, ...] | None:
    """The names that an option lists, each text being ``a,b,…`` or ``@file`` with one a line."""
    from rulemine.files import read_lines

    if texts is None:
        return None
    names: list[str] = []
    for text in texts:
        if text.startswith("@"):
            names += [line.strip() for line in read_lines(Path(text[1:])) if line.strip()]
        else:
            names += [name.strip() for name in text.split(",") if name.strip()]
    return tuple(names)


def mine(arguments: Namespace) -> int:
    """``mine``."""
    import json

    from rulemine.datasets import load_kg
    from rulemine.mining import MiningOptions
    from rulemine.mining import mine as mine_rules
    from rulemine.pipeline import explain_no_rules
    from rulemine.rule_text import format_amie, rule_to_json

    options = MiningOptions(
        max_atoms=arguments.max_atoms,
        min_head_coverage=arguments.min_head_coverage,
        min_std_confidence=arguments.min_std_confidence,
        min_pca_confidence=arguments.min_pca_confidence,
        min_initial_support=arguments.min_initial_support,
        head_relations=_names(arguments.head_relations),
        body_relations=_names(arguments.body_relations),
        exclude_relations=_names(arguments.exclude_relations) or (),
        max_recursion=arguments.max_recursion,
        skyline=not arguments.no_skyline,
        perfect_pruning=not arguments.no_perfect_pruning,
        constants=arguments.constants,
        injective=arguments.injective,
        limit_seconds=arguments.limit_seconds,
        threads=arguments.threads,
        heap=arguments.heap,
    )
    output: Path | None = arguments.output
    check_output(output)
    if arguments.resume and output is None:
        raise ConfigError("mine: --resume goes on from a file beside the output; give -o FILE too.")
    journal, missing = _beside(output, ".journal"), _beside(output, ".missing")
    with bar("read") as tell:
        kg = load_kg(arguments.kg, tell, note)
    with bar("mine") as tell:
        rules = mine_rules(kg, options, tell, journal=journal, resume=arguments.resume)
    if not (rules or rules.unfinished):
        raise UserError(f"{arguments.kg}: {explain_no_rules(kg, options)}")
    if arguments.format == "amie":
        text = format_amie(rules)
    else:
        text = "".join(json.dumps(rule_to_json(r), ensure_ascii=False) + "\n" for r in rules)
    if text or output:
        emit(text, output)
    duplicates = f" ({kg.duplicates} duplicate lines)" if kg.duplicates else ""
    print(f"{len(rules)} rules from {len(kg)} triples{duplicates}", file=sys.stderr)
    if rules.unfinished:
        print(
            _explain_unfinished(rules.unfinished, options.limit_seconds, missing), file=sys.stderr
        )
        return INCOMPLETE
    for leftover in (missing, journal):
        if leftover is not None:
            leftover.unlink(missing_ok=True)
    return 0


def _beside(output: Path | None, ending: str) -> Path | None:
    return None if output is None else output.with_name(output.name + ending)


def _explain_unfinished(heads: tuple[str, ...], seconds: float | None, missing: Path | None) -> str:
    """Says which head relations are missing; all of them are named in a file beside the output."""
    text = (
        f"incomplete: ended after {seconds:g} s; no rules yet for {len(heads)} head relation(s): "
    )
    text += ", ".join(heads[:MOST_NAMED]) + (", …" if len(heads) > MOST_NAMED else "")
    if missing is None:
        return text
    from rulemine.files import write_text

    write_text(missing, "".join(f"{head}\n" for head in heads))
    return f"{text}\nAll are named in {missing}; the same command with --resume goes on from here."


def verify(arguments: Namespace) -> int:
    """``verify``."""
    from rulemine.verify import verify as verify_release

    with bar("verify") as tell:
        report = verify_release(arguments.release, tell)
    print(report.to_text(arguments.most))
    return 1 if report.problems else 0


def show(arguments: Namespace) -> int:
    """``show``."""
    import shutil

    from rulemine.release import Release
    from rulemine.seeds import stream
    from rulemine.show import show as show_question

    width = shutil.get_terminal_size((100, 24)).columns
    ids = list(arguments.id)
    if arguments.sample < 0:
        raise ConfigError(f"show: --sample is {arguments.sample}; expected 0 or more.")
    if arguments.sample:
        release = Release.open(arguments.release)
        everything = [question.id for question in release.questions()]
        order = stream(arguments.seed, "show").permutation(len(everything))
        ids += sorted(everything[i] for i in order[: arguments.sample])
    if not ids:
        raise ConfigError("show: name a question, or give --sample N.")
    for question in ids:
        print(show_question(arguments.release, question, width=width))
    return 0


def rename(arguments: Namespace) -> int:
    """``rename``."""
    from rulemine.builder.publish import rename as rename_release
    from rulemine.release import Release

    rename_release(Release.open(arguments.release), arguments.output, arguments.naming)
    print(f"{arguments.output}: {arguments.release} in {arguments.naming} naming")
    return 0


def answer(arguments: Namespace) -> int:
    """``answer``."""
    from rulemine.evaluation import answer as answer_questions
    from rulemine.evaluation import write_predictions
    from rulemine.release import Release

    check_output(arguments.output)
    release = Release.open(arguments.release)
    with bar("answer") as tell:
        predictions = answer_questions(
            release,
            with_=arguments.answerer,
            kg=arguments.kg,
            split=_split(arguments.split),
            hops=arguments.hops,
            seed=arguments.seed,
            progress=tell,
        )
    write_predictions(arguments.output, predictions)
    print(f"{arguments.output}: {len(predictions)} predictions", file=sys.stderr)
    return 0


def _split(name: str) -> str | None:
    return None if name == "all" else name


def evaluate(arguments: Namespace) -> int:
    """``evaluate``."""
    from rulemine.evaluation import evaluate as score
    from rulemine.release import Release

    check_output(arguments.output)
    report = score(
        Release.open(arguments.release),
        arguments.predictions,
        against=arguments.against,
        matching=arguments.matching,
        split=_split(arguments.split),
        naming=arguments.naming,
        missing=arguments.missing,
        ignore_case=arguments.ignore_case,
        seed=arguments.seed,
    )
    emit(getattr(report, f"to_{arguments.format}")(), arguments.output)
    return 0


def baselines(arguments: Namespace) -> int:
    """``baselines``."""
    from rulemine.evaluation.baselines import baselines as score_all
    from rulemine.evaluation.render import format_markdown, format_table
    from rulemine.release import Release

    check_output(arguments.output)
    release = Release.open(arguments.release)
    layout = format_markdown if arguments.format == "markdown" else format_table
    with bar("baselines") as tell:
        text = score_all(
            release,
            layout,
            split=_split(arguments.split),
            seed=arguments.seed,
            progress=tell,
        )
    emit(text, arguments.output)
    return 0


def generate(arguments: Namespace) -> int:
    """``generate synthetic`` and ``generate demo``."""
    from rulemine.demo_world import generate as generate_demo
    from rulemine.kg import KnowledgeGraph
    from rulemine.synthetic import DEFAULT_RULES, Synthetic, rules_file, write_synthetic

    check_output(arguments.output)
    if arguments.seed < 0:
        raise ConfigError(f"seed is {arguments.seed}; expected an integer ≥ 0.")
    if arguments.what == "demo":
        kg = KnowledgeGraph.from_triples(generate_demo(arguments.seed))
        kg.write(arguments.output)
        print(f"{arguments.output}: {len(kg):,} triples")
        return 0
    graph = Synthetic(
        arguments.triples,
        arguments.relations,
        arguments.seed,
        entities=arguments.entities,
        rules=arguments.rule or DEFAULT_RULES,
    )
    with bar("generate") as tell:
        write_synthetic(graph, arguments.output, tell)
    print(f"{arguments.output}: {graph.triples:,} triples")
    print(f"{rules_file(arguments.output)}: {len(graph.planted)} planted rules")
    return 0


def data(arguments: Namespace) -> int:
    """``data list``, ``data get NAME``, ``data path NAME``."""
    from rulemine.datasets import data_sets, find_files, get_files

    if arguments.what == "list":
        for name, entry in data_sets().items():
            there = "here" if all(find_files(name)) else "to get"
            print(f"{name:16} {there:7} {entry.title}\n{'':25}{entry.licence}; {entry.source}")
        return 0
    if not arguments.name:
        raise ConfigError(
            f"data {arguments.what}: name a data set; {did_you_mean('', data_sets())}"
        )
    with bar("get") as tell:
        paths = (
            get_files(arguments.name, tell)
            if arguments.what == "get"
            else find_files(arguments.name)
        )
    missing = [path for path in paths if path is None]
    if missing:
        raise UserError(
            f"{arguments.name}: is not on this machine. Fetch it: rulemine data get {arguments.name}"
        )
    for path in paths:
        print(path)
    return 0
