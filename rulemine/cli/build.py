"""The commands that build by a recipe: ``build``, ``verify``, which may build again, and ``data gloss``."""

import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rulemine.builder import pipeline, rebuild, regenerated, stages
from rulemine.cli.commands import DRAFT, RELEASE
from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    check_output,
    expect,
    note,
    refuse_idle,
    say,
    say_paragraph,
    written,
)
from rulemine.cli.keys import given, pairs_in, refuse_beside_cluster
from rulemine.cluster import opened
from rulemine.config import parse_setting
from rulemine.draft import drafting
from rulemine.errors import ConfigError, LimitError, ReleaseError, counted
from rulemine.evaluation.comparing.variant_runs import compare_runs
from rulemine.evaluation.reporting.made import in_short
from rulemine.files import write_text
from rulemine.kinds.registry import KINDS
from rulemine.llm import call, journal
from rulemine.mining import Resources
from rulemine.neo4j.gold import database_for
from rulemine.recipe import loading
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.recipe import KEYS, Recipe
from rulemine.release import Release, differences, outputs, reader, unpacking
from rulemine.verbalizer import prompts
from rulemine.verify import verify

__all__ = ["chosen_recipe", "fewer_than"]

LEAST_MISSING = 0.3
"""Of the questions about a graph of one's own at least this fraction misses something."""

NEARLY = 0.9
"""So much of a number of questions is as good as all of it."""

MOST = "questions.max_questions"
"""The key that is called ``--questions``."""

OF_MODEL = ("verbalizer.", "endpoint.")
"""Prefixes of the keys that concern a language model."""

Settings = list[tuple[tuple[str, ...], Any]]
"""Keys of a recipe and their values."""


def chosen_recipe(arguments: Namespace, drafted: Sequence[drafting.Chosen] = ()) -> Recipe:
    """Loads the recipe named on the command line and applies the options.

    Args:
        arguments: Those of the command.
        drafted: What was chosen for a graph given in place of a recipe; options win.

    Raises:
        ConfigError: There is no such recipe, or an option does not apply to it.
        InputError: There is nothing to replay.
        ReleaseError: The release to replay cannot be used.
    """
    builds = hasattr(arguments, "replay")  # gloss uses only parts of a recipe
    if builds and arguments.replay is not None and arguments.replay.suffix == ".tar":
        arguments.replay = unpacking.unpacked(arguments.replay)
    replay: Path | None = arguments.replay if builds else None
    chosen, set_keys = settings_given(arguments), pairs_in(arguments)
    most = chosen.pop(MOST, None)
    if not isinstance(most, int | None):
        raise ConfigError(f"--questions: expected a whole number, found {most!r}.")
    settings = [_setting(choice.key, choice.value) for choice in drafted] + _replayed(replay)
    if builds and arguments.not_in:
        earlier = {Release.open(place).identity for place in arguments.not_in}
        settings.append(_setting("not_in", sorted(earlier)))
    if builds and arguments.removed:
        settings.append(_setting("selection.mode", "given"))
    if "verbalizer.name" in chosen:
        settings.append(_setting("verbalizer.name", chosen.pop("verbalizer.name")))
    settings += [*set_keys, *(_setting(key, value) for key, value in chosen.items())]
    recipe = loading.load_recipe(arguments.recipe, settings)
    if most is not None:
        key, parts = amount_of(recipe)
        settings.append(_setting(key, -(-most // parts)))
        recipe = loading.load_recipe(arguments.recipe, settings)
    options = {key.name: key.flag for key in KEYS if key.name in chosen}
    if builds:
        names = [".".join(key) for key, _ in set_keys if key != ("verbalizer", "name")]
        options |= {name: f"--set {name}" for name in names}
    template, leave = recipe.verbalizer.name == "template", "Leave it out."
    expect(
        replay is None or not template,
        f"--replay {replay}: is no release, only replies, so it does not say how they were asked "
        "for. Give --model NAME too, and what else they were asked with.",
    )
    idle = [("endpoint.", "asking a model, and --replay asks none", leave)] * (replay is not None)
    if template:
        what = "the questions of a language model, and those of this recipe are templates"
        idle += [(prefix, what, "Give --model NAME too, or leave it out.") for prefix in OF_MODEL]
    if recipe.rules:
        idle.append(("mining.", "mining, and with rules given nothing is mined", leave))
    for prefix, purpose, advice in idle:
        for name, option in options.items():
            if name.startswith(prefix):
                raise ConfigError(f"{option}: is for {purpose}. {advice}")
    return recipe


def _setting(key: str, value: Any) -> tuple[tuple[str, ...], Any]:
    return tuple(key.split(".")), value


def _replayed(source: Path | None) -> Settings:
    """The model settings that a release was built with, to build it again."""
    if source is None:
        return []
    if not (source / reader.MANIFEST).exists():
        journal.find_journal(source)
        return []
    release = Release.open(source)
    chosen = release.manifest["config"].get("verbalizer")
    if not isinstance(chosen, dict) or chosen.get("name") != "openai":
        raise ConfigError(
            f"--replay {source}: its questions are templates, so there is nothing to replay. Leave "
            "--replay out."
        )
    release.file("llm/journal.jsonl")  # must not have been edited
    files = {key: str(release.file(f"llm/{key}.toml")) for key in ("prompt", "glosses")}
    return [(("verbalizer", key), value) for key, value in {**chosen, **files}.items()]


def settings_given(arguments: Namespace) -> dict[str, Any]:
    """Key of a recipe → value, for the options that were given; a model is one that writes."""
    found = {k: v for k, v in given(arguments).items() if not k.startswith("resources.")}
    return {"verbalizer.name": "openai"} | found if "verbalizer.model" in found else found


def amount_of(recipe: Recipe) -> tuple[str, int]:
    """The key that ``--questions`` sets, and of how many parts of the questions it is the number."""
    kind = KINDS[recipe.kind]
    return (MOST, 1) if kind.Options.has(MOST) else (kind.limits.amount, recipe.own.parts)


def fewer_than(wanted: int, made: int, recipe: Recipe) -> list[str]:
    """Says that there are fewer questions than ``--questions`` asks for; nothing if there are not."""
    if made >= NEARLY * wanted:
        return []
    key, parts = amount_of(recipe)
    each = f", at most {-(-wanted // parts):,} of each of {parts} forms ({key})" * (parts > 1)
    return [
        f"{wanted:,} questions were wanted (--questions){each}; this graph gives {made:,} within the limits "
        "of the recipe."
    ]


def run_build(arguments: Namespace) -> None:
    """Runs ``build``."""
    if arguments.runs is not None:
        _runs(arguments)
        return
    expect(
        not (Path(arguments.recipe) / reader.MANIFEST).is_file(),
        f"{arguments.recipe}: is a release. Fresh questions about its seed texts: --runs N -o OUT; its "
        f"graph: rulemine build {Path(arguments.recipe) / 'kg' / 'complete.tsv.gz'}",
    )
    recipe = chosen_recipe(arguments)
    if arguments.until == DRAFT:
        refuse_idle(arguments, "a build", "replace", "cluster", "not_in", "dry_run", "replay")
    elif arguments.cluster:
        if not recipe.amie_jar:  # which mines in this process
            refuse_beside_cluster(arguments)
        expect(not arguments.dry_run, "--cluster: --dry-run only estimates. Leave one of them out.")
    with opened(arguments.cluster, note) as cluster:
        _build(arguments, recipe, cluster.map, cluster.unordered if arguments.cluster else None)


def _build(arguments: Namespace, recipe: Recipe, run: Any, mines: Any) -> None:
    """Builds or drafts; `run` and `mines` are those of `BuildContext`."""
    usual = Path("out") / recipe.name
    line, is_draft = Line(), arguments.until == DRAFT
    target = usual if is_draft else arguments.output or usual
    # In the published procedure nothing is removed that rules were mined for, and its thresholds are its own.
    is_mined = not recipe.rules and recipe.selection.mode in ("maximal", "given")
    context = _context(
        arguments, line, on_finished=_printed_times(), replay=arguments.replay,
        replace=arguments.replace or is_draft, earlier=tuple(arguments.not_in),
        removed=arguments.removed, on_warning=cache(line.note),
        least_missing=LEAST_MISSING * (is_mined and arguments.recipe not in loading.named_recipes()), run=run,
        mines=mines,
    )  # fmt: skip
    draft = None
    if is_mined and not loading.recipe_file(arguments.recipe):
        keys = {".".join(path) for path, _ in pairs_in(arguments)}
        keys |= {amount_of(recipe)[0] if k == MOST else k for k in settings_given(arguments)}
        recipe_with = partial(chosen_recipe, arguments)
        build_of = partial(pipeline.Build, target=target, context=context)
        draft = drafting.Drafting(recipe_with, build_of, keys, arguments.effort)
    elif arguments.effort:
        raise ConfigError(
            "--effort: is for thresholds chosen for a graph, and here they are given. Leave it out."
        )
    if is_draft:
        _write_draft(arguments, draft, usual)
        return
    made = draft.run() if draft else pipeline.Build(recipe, target, context)
    if arguments.dry_run:
        say(made.estimate())
        return
    with draft.explaining() if draft else nullcontext():
        made.run(arguments.until)
    with line.watch("summary"):
        if arguments.until == RELEASE:
            release = Release.open(target)
            lines = [*made.rules_left_out(), *in_short(release)]
            if wanted := settings_given(arguments).get(MOST):
                lines += fewer_than(wanted, release.manifest["counts"]["questions"], recipe)
        else:
            lines = made.summary(arguments.until).splitlines()
    if draft:
        lines.insert(1, draft.describe())
    for text in lines:
        say_paragraph(text, sys.stdout)


def _write_draft(arguments: Namespace, draft: drafting.Drafting | None, usual: Path) -> None:
    """Runs ``build --until draft``."""
    if draft is None:
        raise ConfigError(
            f"--until draft: {arguments.recipe} is a recipe, or is built with rules of its own or by the "
            "published procedure: nothing is left to choose. Give a graph."
        )
    folder = arguments.output or usual.with_name(f"{usual.name}.draft")
    outputs.check_place(folder)
    for text in drafting.write_draft(draft, folder):
        say(text)
    say(f"Next: edit what you like, then rulemine build {folder}")


def _context(arguments: Namespace, line: Line, **more: Any) -> pipeline.BuildContext:
    """Resources and callbacks of a build, with messages on the console."""
    seconds = getattr(arguments, "limit_seconds", None)
    watch = line.watch if seconds is None else _ending(line, seconds)
    usual = {"observe": watch, "on_warning": line.note, "on_status": line.status}
    return pipeline.BuildContext(Resources(**given(arguments, "resources.")), **{**usual, **more})


def _ending(line: Line, seconds: float) -> Callable[[str], AbstractContextManager[stages.Progress]]:
    """Shows the progress of steps, as `Line.watch` does, and ends the build when its time is over."""
    end = time.monotonic() + seconds

    @contextmanager
    def watch(name: str) -> Iterator[stages.Progress]:
        with line.watch(name) as shown:

            def update(done: int, total: int) -> None:
                if time.monotonic() >= end:
                    raise LimitError(
                        f"{name}: the {seconds:g} seconds of --limit-seconds are over. Finished steps are "
                        "kept, so the same command goes on from there. Less work: --effort."
                    )
                shown(done, total)

            update(0, 0)
            yield update

    return watch


def _printed_times() -> Callable[[str, stages.FinishedStage], None]:
    """Prints how long each stage took, once: a draft runs stages of the build."""
    before, printed = time.monotonic(), set[tuple[str, str]]()

    def finished(name: str, done: stages.FinishedStage) -> None:
        nonlocal before
        since, before = before, time.monotonic()
        if not done.reused or (name, done.digest) not in printed:
            printed.add((name, done.digest))
            seconds = "reused" if done.reused else f"{before - since:.1f} s"
            say(f"{name:9} {seconds:>8}  {done.folder}", sys.stderr)

    return finished


def _runs(arguments: Namespace) -> None:
    """Runs ``build DIR --runs N``."""
    refuse_idle(arguments, "a build", "replace", "effort", "cluster", "not_in", "removed")
    expect(
        arguments.output is not None,
        f"rulemine build {arguments.recipe} --runs {arguments.runs} -o OUT: a folder for the runs is "
        "missing.",
    )
    release = Release.open(arguments.recipe)
    rebuild.check_published(release)
    outputs.check_place(arguments.output, [release.path])
    report = arguments.output / "variants.md", arguments.output / "variants.json"
    check_output(*report)
    pairs = [*settings_given(arguments).items()]
    pairs += [(".".join(key), value) for key, value in pairs_in(arguments)]
    replayed = _replayed(arguments.replay / "run-1") if arguments.replay else None
    files, earlier, settings = rebuild.settings_of(release, pairs, replayed)
    line = Line()
    targets = [release.folder]
    for number in range(1, arguments.runs + 1):
        targets.append(target := arguments.output / f"run-{number}")

        def finished(name: str, done: stages.FinishedStage, target: Path = target) -> None:
            if name == RELEASE:
                say(f"{'reused' if done.reused else 'built':6}  {target}", sys.stderr)

        context = _context(
            arguments, line, on_finished=finished, earlier=earlier,
            observe=lambda name, run=number: line.watch(f"run {run}: {name}"),
            replay=arguments.replay and arguments.replay / target.name,
        )  # fmt: skip
        made = rebuild.prepare_run(release, number, target, files, settings, context, targets[-2])
        if arguments.dry_run:
            say(made.estimate())
            return
        made.run()
    with line.watch("compare"):
        table = compare_runs([release, *map(Release.open, targets[1:])])
    for path, text in zip(report, (table.to_markdown(), table.to_json()), strict=True):
        write_text(path, text)
    say(table.to_table(), end="")


def run_verify(arguments: Namespace) -> int:
    """Runs ``verify``; as the last check, the release's card and counts are written again."""
    if arguments.rebuild:
        Release.open(arguments.release).expect_certificates("--rebuild")
    else:
        refuse_idle(arguments, "--rebuild", "set")
        for option in given(arguments):
            raise ConfigError(f"--{option.split('.')[-1]}: is for --rebuild. Leave it out.")
    line, gold = Line(), None

    def phase(text: str) -> None:
        line.phase(f"verify {text}")

    with ExitStack() as held:
        with suppress(ReleaseError):  # whose faults the report has
            release = Release.open(arguments.release)
            if release.has_property_graph:
                gold = database_for(arguments.neo4j, held)
            elif arguments.neo4j not in (None, "none"):
                raise ConfigError(
                    "--neo4j: is for releases of the kind cypher, this one is of the kind "
                    f"{release.kind}. Leave it out."
                )
        advance = held.enter_context(line.watch("verify"))
        report = verify(arguments.release, advance, phase, thorough=arguments.thorough, gold=gold)
        report = regenerated.regenerated(report, phase)
    say(report.to_text(arguments.most))
    differs = arguments.rebuild and _rebuild(arguments, line)
    return 0 if report.ok and not differs else 1


def _rebuild(arguments: Namespace, line: Line) -> bool:
    """Builds the release again and prints what differs; returns whether anything does."""
    pairs = [(".".join(key), str(value)) for key, value in map(parse_setting, arguments.set)]
    files = dict(pair for pair in pairs if pair[0] not in ("not_in", "removed"))
    removed = next((Path(value) for key, value in pairs if key == "removed"), None)
    earlier = tuple(Path(value) for key, value in pairs if key == "not_in")
    release = Release.open(arguments.release)
    with TemporaryDirectory(prefix="rulemine-") as folder:
        made = Path(folder) / release.name
        rebuild.rebuild(
            release, made, files, _context(arguments, line, earlier=earlier, removed=removed)
        )
        found = list(differences.compare(release, made))
    for difference in found:
        say(f"  {difference}")
    verdict = f"not what its recipe makes: {counted(len(found), 'file')}"
    say(f"{release.path}: {verdict if found else 'every byte is what its recipe makes'}")
    return bool(found)


def run_gloss(arguments: Namespace) -> None:
    """Runs ``data gloss``."""
    # With asyncio, which no build without a model loads.
    from rulemine.llm import Session
    from rulemine.verbalizer import relation_words

    recipe, line = chosen_recipe(arguments), Line()
    inputs = Inputs(recipe, line.note)
    default = Path("out") / f"{recipe.name}.{'book' if arguments.book else 'glosses'}.toml"
    output: Path = arguments.output or default
    outputs.check_file(output)  # a file with descriptions is completed
    calls = prompts.Calls(inputs.prompts, recipe.verbalizer, recipe.seed)
    asks = recipe.verbalizer.name == "openai"
    expect(
        not arguments.book or asks,
        "--book: a model writes it. Give --model NAME; what a build finds without a model, rulemine "
        "build --until draft writes.",
    )
    with ExitStack() as stack:
        advance = session = None
        if asks:
            beside = default if output == STANDARD_OUTPUT else output
            outputs.check_file(kept := beside.with_name(f"{beside.name}.journal.sqlite"))
            advance = stack.enter_context(line.watch("gloss"))
            room = f"--set verbalizer.max_tokens={call.more_tokens(recipe.verbalizer.max_tokens)}"
            session = stack.enter_context(Session(recipe.endpoint, kept, line.note, room=room))
        path = stack.enter_context(written(output))
        how: Any = {"labels": inputs.labels, "progress": advance}
        if session is not None and arguments.book:
            report = relation_words.write_book(
                inputs.kg, inputs.templates, path, session, calls, **how
            )
        else:
            report = relation_words.write_glosses(
                inputs.kg, inputs.templates, inputs.glosses, path, session, calls, **how
            )
    say(replace(report, path=output).to_text(), sys.stderr if output == STANDARD_OUTPUT else None)
