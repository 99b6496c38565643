"""The command line: arguments in, text out, and nothing else.

Exit status: 0 done; 1 a release has faults (`verify`), or this program failed; 2 something the user
gave cannot be used, said in one paragraph; 3 a limit that the user set has ended it early; 130
interrupted.
"""

import argparse
import contextlib
import errno
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import rulemine
from rulemine.arguments import Parser
from rulemine.errors import LimitError, OutputError, RulemineError, UserError

__all__ = ["main", "make_parser"]

EPILOG = """\
three commands for your own knowledge graph (subject <tab> relation <tab> object):
  rulemine build my.tsv -o out/my        mine, remove, ask: a benchmark in out/my
  rulemine verify out/my                 check every proof and every answer
  rulemine show out/my q00001            look at one question
"""


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands; ``run`` names the command's function in `rulemine.commands`."""
    parser = Parser(
        prog="rulemine",
        description="Question-answering benchmarks over knowledge graphs that no longer state the answer.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rulemine {rulemine.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_building(commands)
    _add_mining(commands)
    _add_reading(commands)
    _add_scoring(commands)
    _add_data(commands)
    return parser


def _command(
    commands: "argparse._SubParsersAction[Parser]",
    name: str,
    run: str,
    summary: str,
    more: str = "",
) -> Parser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=more or None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def _add_means(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--threads", type=int, metavar="N", help="threads of the miner (all)")
    parser.add_argument("--heap", metavar="SIZE", help="Java heap, e.g. 4g (half of the memory)")


_KEYS = """\
keys for --set, with their defaults; in a recipe's TOML file what comes before the dot is a [section]:
{keys}
"""


def _describe_keys() -> str:
    from rulemine.recipe_help import describe_keys  # loads numpy

    return _KEYS.format(keys=describe_keys())


def _add_building(commands: "argparse._SubParsersAction[Parser]") -> None:
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
        parser = _command(commands, step, "build", summary)
        parser.make_epilog = _describe_keys
        parser.set_defaults(until="release" if step == "build" else step)
        parser.add_argument(
            "recipe",
            metavar="RECIPE",
            help="a recipe (demo, family, fb15k237), a .toml file, a data set, or a KG as TSV",
        )
        parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder (out/NAME)")
        _add_keys(parser, "override a key, see below")
        parser.add_argument("--seed", type=int, metavar="N", help="seed of everything drawn (0)")
        _add_recipe_options(parser)
        _add_wording_options(_add_endpoint_options(parser))
        _add_means(parser)
    parser = _command(
        commands, "gloss", "gloss", "say what relations mean, for the prompts of a model", _GLOSS
    )
    parser.add_argument("recipe", metavar="RECIPE", help="as for build")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="TOML (out/NAME.glosses.toml)"
    )
    _add_keys(parser, "override a key, see rulemine build --help")
    parser.add_argument("--seed", type=int, metavar="N", help="draws the triples shown (0)")
    _add_endpoint_options(parser)


def _add_keys(parser: Parser, what: str) -> None:
    parser.takes_keys = True
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=what)


def _add_recipe_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--selection", metavar="MODE", help="maximal or paper")
    parser.add_argument("--rules", metavar="FILE", help="take these rules instead of mining")
    parser.add_argument("--reference", metavar="KG", help="a larger KG with further answers")
    parser.add_argument(
        "--share", type=float, metavar="X", help="fraction of the chosen triples to remove (1)"
    )
    parser.add_argument("--levels", metavar="LIST", help="nested levels, e.g. 20,40,60,80,100")
    parser.add_argument(
        "--max-answer-share", type=float, metavar="X", help="balance: most of one hard answer"
    )
    parser.add_argument("--split", metavar="MODE", help="group, paper or none")
    parser.add_argument("--naming", metavar="NAMING", help="private, entity, text or paper")


def _add_endpoint_options(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
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


def _add_wording_options(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--glosses", metavar="FILE", help="what relations mean (rulemine gloss)")
    add("--on-failure", metavar="WHAT", help="of texts that fail the checks: template or drop")
    add("--auditor-model", metavar="NAME", help="a second model that must agree with every text")
    add("--round-trip", action="store_true",
        help="the model must recognise the relation in its own text")  # fmt: skip
    add("--paraphrases", type=int, metavar="K", help="further texts per question (0)")
    add("--dry-run", action="store_true",
        help="say how many calls and tokens it would take, show three prompts; call nothing")  # fmt: skip
    add("--replay", type=Path, metavar="DIR",
        help="take all replies from this release's journal: no network, no key")  # fmt: skip


_GLOSS = """\
With --verbalizer openai --model NAME a model describes each relation from its name and ten triples;
without, the file is made from the phrases, to be edited by hand. What the file has already is kept,
and so is what the recipe's verbalizer.glosses say.
Build with it: rulemine build RECIPE --verbalizer openai --model NAME --glosses FILE
"""


def _add_mining(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(commands, "mine", "mine", "mine the rules of a knowledge graph")
    parser.add_argument("kg", metavar="KG", help="TSV (plain, .gz, .zst) or the name of a data set")
    parser.add_argument("--max-atoms", type=int, default=3, metavar="N", help="with the head (3)")
    for name, default in (
        ("head-coverage", 0.01),
        ("std-confidence", 0.1),
        ("pca-confidence", 0.1),
    ):
        parser.add_argument(
            f"--min-{name}", type=float, default=default, metavar="X", help=f"({default})"
        )
    parser.add_argument(
        "--min-initial-support", type=int, default=100, metavar="N", help="facts of a head (100)"
    )
    for where, what in (
        ("head", "only these as heads"),
        ("body", "only these in bodies"),
        ("exclude", "these nowhere"),
    ):
        parser.add_argument(
            f"--{where}-relations",
            action="append",
            metavar="NAMES",
            help=f"{what}: a,b,… or @FILE with one a line",
        )
    parser.add_argument(
        "--max-recursion", type=int, default=3, metavar="N", help="atoms of one relation (3)"
    )
    parser.add_argument(
        "--no-skyline", action="store_true", help="keep rules no better than shorter ones"
    )
    parser.add_argument(
        "--no-perfect-pruning", action="store_true", help="extend rules of PCA confidence 1 too"
    )
    parser.add_argument(
        "--constants", action="store_true", help="entities in atoms too; for 3 atoms at most"
    )
    parser.add_argument(
        "--injective", action="store_true", help="different variables: different entities"
    )
    parser.add_argument(
        "--limit-seconds",
        type=float,
        metavar="X",
        help="end then, with the rules of the head relations finished so far; exit status 3",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on from FILE.journal, left beside -o FILE by a run that was killed or limited",
    )
    parser.add_argument("--format", choices=("jsonl", "amie"), default="jsonl", help="(jsonl)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="(standard output)")
    _add_means(parser)


def _add_reading(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(
        commands, "verify", "verify", "check a release: digests, proofs, answers, splits"
    )
    parser.add_argument("release", type=Path, metavar="DIR", help="folder of the release")
    parser.add_argument("--most", type=int, default=20, metavar="N", help="faults to print (20)")
    parser = _command(commands, "show", "show", "show a question with its proof")
    parser.add_argument("release", type=Path, metavar="DIR", help="folder of the release")
    parser.add_argument("id", nargs="*", metavar="ID", help="of a question, e.g. q00001")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N drawn questions (0)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draw (0)")
    parser = _command(commands, "rename", "rename", "write a release again in another naming")
    parser.add_argument("release", type=Path, metavar="DIR", help="folder of the release")
    parser.add_argument(
        "--naming", required=True, metavar="NAMING", help="private, entity, text or paper"
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="folder of the new release"
    )


def _add_scoring(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(commands, "answer", "answer", "answer questions without any model")
    parser.add_argument("release", type=Path, metavar="DIR", help="folder of the release")
    parser.add_argument("--with", dest="answerer", required=True, metavar="NAME",
                        help="lookup, neighbours, reasoner or random")  # fmt: skip
    parser.add_argument("--kg", default="incomplete", help="complete or incomplete (incomplete)")
    parser.add_argument("--split", default="test", help="train, validation, test or all (test)")
    parser.add_argument("--hops", type=int, default=1, metavar="K", help="for neighbours (1)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for random (0)")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="predictions"
    )
    parser = _command(commands, "evaluate", "evaluate", "score predictions")
    parser.add_argument("release", type=Path, metavar="DIR", help="folder of the release")
    parser.add_argument("predictions", type=Path, metavar="FILE", help="JSON Lines, or JSON")
    parser.add_argument("--against", type=Path, metavar="FILE", help="paired difference to these")
    parser.add_argument("--matching", default="vocabulary", metavar="MODE",
                        help="of raw text: ids, vocabulary or brink (vocabulary)")  # fmt: skip
    parser.add_argument("--split", default="test", help="train, validation, test or all (test)")
    parser.add_argument("--naming", metavar="NAMING", help="of the predictions (the release's)")
    parser.add_argument("--ignore-case", action="store_true", help="with --matching vocabulary")
    parser.add_argument("--missing", choices=("error", "empty"), default="error",
                        help="questions without prediction: an error, or empty answers")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the bootstrap (0)")
    parser.add_argument("--format", choices=("table", "json", "csv", "markdown"), default="table",
                        help="of the report (table)")  # fmt: skip
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="(standard output)")
    parser = _command(
        commands, "baselines", "baselines", "answer and score with every model-free answerer"
    )
    parser.add_argument("release", type=Path, metavar="DIR", help="folder of the release")
    parser.add_argument("--split", default="test", help="train, validation, test or all (test)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of random (0)")
    parser.add_argument("--format", choices=("table", "markdown"), default="table", help="(table)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="(standard output)")


_RULES_PLANTED = """\
types of --rule: symmetry, inversion, hierarchy, composition; it may be given again and again.
The planted rules of a synthetic graph are listed in FILE.rules.jsonl.
"""


def _add_data(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(commands, "generate", "generate", "write an invented knowledge graph",
                      _RULES_PLANTED)  # fmt: skip
    parser.add_argument(
        "what", choices=("synthetic", "demo"),
        help="synthetic: random, with planted rules; demo: the world of the demo",
    )  # fmt: skip
    parser.add_argument("--triples", type=int, default=100_000, metavar="N", help="(100000)")
    parser.add_argument("--relations", type=int, default=100, metavar="R", help="(100)")
    parser.add_argument("--entities", type=int, metavar="E", help="to draw from (N / 10)")
    parser.add_argument("--rule", action="append", metavar="TYPE:X",
                        help="plant this rule with standard confidence X (eight rules)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of everything drawn (0)")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="TSV, plain or .gz"
    )
    parser = _command(commands, "data", "data", "list data sets, fetch one, say where it is")
    parser.add_argument("what", choices=("list", "get", "path"), help="what to do")
    parser.add_argument("name", nargs="?", help="of the data set")


@contextlib.contextmanager
def _standard_output() -> Iterator[None]:
    """A reader that stops reading (``| head``) is no error; a full disk behind it is the user's."""
    try:
        yield
        sys.stdout.flush()
    except OSError as problem:
        if problem.filename is not None or problem.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        # Python flushes standard output once more at exit; give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if problem.errno == errno.ENOSPC:
            raise OutputError(
                f"standard output: cannot be written ({problem.strerror}). Free space, or send it "
                "elsewhere."
            ) from None


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        argv: The arguments, without the program's name; None: those of the process.

    Returns:
        The exit status, see the module.
    """
    for channel in (sys.stdout, sys.stderr):
        # Labels are any text. A terminal of another encoding shows what it can; files get it all.
        reconfigure = getattr(channel, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding=None if channel.isatty() else "utf-8", errors="replace")
    try:
        arguments = make_parser().parse_args(argv)
        from rulemine import commands  # what a command needs is imported when it runs

        with _standard_output():
            return int(getattr(commands, arguments.run)(arguments))
    except LimitError as problem:
        print(f"rulemine: {problem}", file=sys.stderr)
        return 3
    except UserError as problem:
        print(f"rulemine: {problem}", file=sys.stderr)
        return 2
    except RulemineError as problem:
        print(f"rulemine: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        if problem.filename is None:  # not about a file: a mistake of this program
            raise
        print(
            f"rulemine: {problem.filename}: cannot be used ({problem.strerror}). Check the name and "
            "the rights of the folders on the way to it.",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print(
            "\nrulemine: interrupted. Finished stages and every reply of a model are kept; the same "
            "command goes on from there.",
            file=sys.stderr,
        )
        return 130
    except MemoryError:
        print("rulemine: out of memory. Use a smaller graph or higher thresholds.", file=sys.stderr)
        return 1
    return 0
