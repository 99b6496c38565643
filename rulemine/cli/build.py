"""The commands that build: ``build``, its single stages, and ``gloss``.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs. Every command takes the parsed arguments and returns the exit status.
"""

import argparse
import sys
import time
from argparse import Namespace
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    check_output,
    output_file,
    summarize,
    written,
)
from rulemine.cli.parser import Parser, add_command, add_means

__all__ = ["add_building"]

_KEYS = """\
keys for --set, with their defaults; in a recipe's TOML file what comes before the dot is a [section]:
{keys}
"""


def _describe_keys() -> str:
    from rulemine.builder.recipe_help import describe_keys  # loads numpy

    return _KEYS.format(keys=describe_keys())


def add_building(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the commands that build."""
    steps = {
        "build": "build a benchmark: all steps, resumed where an earlier run stopped",
        "ground": "build as far as the groundings of the rules",
        "select": "build as far as the choice of triples to remove",
        "ask": "build as far as the questions with their answers",
        "balance": "build as far as the balanced questions",
        "verbalize": "build as far as the questions in a language model's words",
        "split": "build as far as train, validation and test",
        "release": "build all steps (the same as build)",
    }
    for step, summary in steps.items():
        parser = add_command(commands, step, build, summary)
        parser.make_epilog = _describe_keys
        parser.set_defaults(until="release" if step == "build" else step)
        parser.add_argument(
            "recipe",
            metavar="RECIPE",
            help="a recipe (demo, family, fb15k237), a .toml file, a data set, or a KG as TSV",
        )
        parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder (out/NAME)")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace a release of another name, or one that was edited",
        )
        add_keys(parser, "override a key, see below")
        parser.add_argument("--seed", type=int, metavar="N", help="seed of everything drawn (0)")
        add_recipe_options(parser)
        add_wording_options(add_endpoint_options(parser))
        add_means(parser)
    parser = add_command(
        commands, "gloss", gloss, "say what relations mean, for the prompts of a model", _GLOSS
    )
    parser.add_argument("recipe", metavar="RECIPE", help="as for build")
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE", help="TOML (out/NAME.glosses.toml)"
    )
    add_keys(parser, "override a key, see rulemine build --help")
    parser.add_argument("--seed", type=int, metavar="N", help="draws the triples shown (0)")
    add_endpoint_options(parser)


def add_keys(parser: Parser, what: str) -> None:
    parser.takes_keys = True
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=what)


def add_recipe_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--selection", metavar="MODE", help="maximal or brink")
    parser.add_argument("--rules", metavar="FILE", help="take these rules instead of mining")
    parser.add_argument("--reference", metavar="KG", help="a larger KG with further answers")
    parser.add_argument(
        "--share", type=float, metavar="X", help="fraction of the chosen triples to remove (1)"
    )
    parser.add_argument("--levels", metavar="LIST", help="nested levels, e.g. 20,40,60,80,100")
    parser.add_argument(
        "--max-answer-share", type=float, metavar="X", help="balance: most of one hard answer"
    )
    parser.add_argument("--split", metavar="MODE", help="group, random or none")
    parser.add_argument("--naming", metavar="NAMING", help="private, entity, text or numeric")


def add_endpoint_options(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    group = parser.add_argument_group(
        "words of a language model",
        "Any endpoint with OpenAI's chat API; its key is taken from $OPENAI_API_KEY and kept nowhere.",
    )
    add = group.add_argument
    add("--verbalizer", metavar="NAME", help="template or openai (template: no key, no network)")
    add("--base-url", metavar="URL", help="of the API (https://api.openai.com/v1)")
    add("--model", metavar="NAME", help="the model")
    add("--temperature", type=float, metavar="X", help="of the model (0); below 0: not sent")
    add("--concurrency", type=int, metavar="N", help="calls in flight at most (16)")
    add("--budget-tokens", type=int, metavar="N", help="tokens of this run at most")
    add("--max-requests-per-minute", type=int, metavar="N", help="requests a minute at most")
    add("--prompt", metavar="FILE", help="a prompt file of your own")
    return group


def add_wording_options(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--glosses", metavar="FILE", help="what relations mean (rulemine gloss)")
    add("--on-failure", metavar="WHAT", help="of texts that fail the checks: template or drop")
    add("--judge-model", metavar="NAME", help="a second model that must agree with every text")
    add("--round-trip", action="store_true",
        help="the model must recognise the relation in its own text")  # fmt: skip
    add("--paraphrases", type=int, metavar="K", help="further texts per question (0)")
    add("--dry-run", action="store_true",
        help="say how many calls and tokens it would take, show three prompts; call nothing")  # fmt: skip
    add("--replay", type=Path, metavar="DIR",
        help="take all replies from this release's journal: no network, no key")  # fmt: skip


_GLOSS = """\
With --verbalizer openai --model NAME a model describes each relation from its name and ten triples;
without, the file is made from the templates, to be edited by hand. What the file has already is kept,
and so is what the recipe's verbalizer.glosses say.
Build with it: rulemine build RECIPE --verbalizer openai --model NAME --glosses FILE
"""


def build(arguments: Namespace) -> int:
    """``build`` and its single steps."""
    from rulemine.builder.pipeline import Build, Means
    from rulemine.builder.stage import Done
    from rulemine.cli.recipe_options import chosen_recipe

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
        replace=arguments.replace,
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
    from rulemine.builder.inputs import Inputs
    from rulemine.cli.recipe_options import chosen_recipe
    from rulemine.llm.session import Session
    from rulemine.verbalizer.gloss_writer import write_glosses
    from rulemine.verbalizer.requests import Calls

    recipe = chosen_recipe(arguments)
    line = Line()
    inputs = Inputs(recipe, line.note)
    default = Path("out") / f"{recipe.name}.glosses.toml"
    output: Path = arguments.output or default
    glosses = Path(recipe.verbalizer.glosses)  # completing them in their place loses none
    read = [path for path in inputs.files() if path != glosses]
    check_output(output, Path(arguments.recipe), *read)
    inputs.prompts  # noqa: B018  # before anything is asked
    with ExitStack() as stack:
        tell = session = None
        if recipe.verbalizer.name == "openai":
            beside = default if output == STANDARD_OUTPUT else output
            journal = beside.with_name(f"{beside.name}.journal.sqlite")
            check_output(journal)
            tell = stack.enter_context(line.watch("gloss"))
            session = stack.enter_context(Session(recipe.endpoint, journal, line.note))
        report = write_glosses(
            inputs.kg,
            inputs.templates,
            inputs.glosses,
            stack.enter_context(written(output)),
            session,
            Calls(inputs.prompts, recipe.verbalizer, recipe.seed),
            labels=inputs.labels,
            progress=tell,
        )
    summarize(replace(report, path=output).to_text(), output)
    return 0
