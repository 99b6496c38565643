"""The command ``judge``: a panel of models judges the questions of a release.

A command imports what it needs when it runs.
"""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulemine.cli.answer import split_of
from rulemine.cli.arguments import Subcommand, add_endpoint, arg, switch
from rulemine.cli.console import STANDARD_OUTPUT, Line, bar, check_output, output_file, say
from rulemine.cli.parser import Parser, given
from rulemine.errors import ConfigError

if TYPE_CHECKING:
    from rulemine.judging.panel import Ballot, Judge, JudgedQuestion, Panel
    from rulemine.llm.options import EndpointOptions

__all__ = ["JUDGE"]

_MORE = """\
Three judges say of each question whether it is fluent, gives its answer away, has one reading,
whether its answer is supported and adequate, and how good the step to the removed triples is.
docs/judging.md says what they are shown and what the tables mean. Replies are kept in FILE.work:
the same command after an interruption goes on."""


def judge(arguments: Namespace) -> int:
    """Runs ``judge``."""
    from rulemine.codec import dump_line
    from rulemine.files import write_lines
    from rulemine.judging.panel import Panel, load_judge_prompts, seat_judges
    from rulemine.judging.report import estimate, judged_questions, judged_row, report
    from rulemine.llm.options import EndpointOptions, at_addresses
    from rulemine.release.groups import sample
    from rulemine.release.reader import Release
    from rulemine.seeds import check_seed
    from rulemine.verbalizer.prompts import SEEDS

    check_seed(arguments.seed)
    if arguments.output == STANDARD_OUTPUT:
        raise ConfigError(
            "-o names no file; replies are kept beside it, so that nothing is asked twice. Name a file."
        )
    if arguments.max_tokens < 1:
        raise ConfigError(f"--max-tokens is {arguments.max_tokens}; expected 1 or more.")
    check_output(arguments.output)
    names = [name.strip() for text in arguments.model for name in text.split(",")]
    usual = EndpointOptions(**given(arguments, "endpoint."))
    models, places = at_addresses(names, usual, "--model")
    panel = Panel(
        seat_judges(models, arguments.temperature),
        load_judge_prompts("" if arguments.prompts is None else str(arguments.prompts)),
        arguments.max_tokens,
        arguments.seed % SEEDS,
    )
    places = places * (len(panel.judges) // len(places))
    release = Release.open(arguments.release)
    drawn = sample(release.questions(split_of(arguments.split)), arguments.sample)
    if not drawn:
        raise ConfigError(f"{release.path}: has no question in --split {arguments.split}.")
    items = judged_questions(release, drawn, arguments.naming)
    journal = Path(f"{arguments.output}.work") / "journal.sqlite"
    if arguments.dry_run:
        with bar("estimate") as advance:
            text = estimate(panel, items, journal, bool(usual.batch), advance)
        say(text)
        return 0
    ballots = _ballots(panel, places, items, journal, usual)
    rows = [
        judged_row(question, item, panel.judges, cast)
        for question, item, cast in zip(drawn, items, ballots, strict=True)
    ]
    write_lines(arguments.output, (dump_line(row) + "\n" for row in rows))
    say(report(release.name, drawn, panel, ballots, arguments.seed), end="")
    return 0


def _ballots(
    panel: "Panel",
    places: Sequence["EndpointOptions"],
    items: "Sequence[JudgedQuestion]",
    journal: Path,
    usual: "EndpointOptions",
) -> "list[list[Ballot]]":
    """The judges' ballots on each question; all endpoints share the journal and the budget."""
    from rulemine.llm.call import more_tokens
    from rulemine.llm.session import Session

    seats = list(zip(panel.judges, places, strict=True))
    line = Line()
    room = f"--max-tokens {more_tokens(panel.max_tokens)}"
    with line.watch("judge") as advance, Session(usual, journal, line.note, room=room) as session:

        def work(item: "JudgedQuestion", judge: "Judge", place: "EndpointOptions") -> Any:
            return lambda _ask: panel.ballot(item, judge, session.at(place))

        cast = session.run([work(item, *seat) for item in items for seat in seats], advance)
    return [cast[at : at + len(seats)] for at in range(0, len(cast), len(seats))]


def _add_judges(parser: Parser) -> None:
    model = arg(
        "--model --judges", "NAME[,NAME,NAME]", "one model, which judges three times, or three; NAME@URL: at "
        "an address of its own, key in OPENAI_API_KEY_1, _2, _3", dest="model", action="append",
        required=True,
    )  # fmt: skip
    add_endpoint(parser, "the judges", model)


JUDGE = Subcommand(
    "judge", judge, "have a panel of three models judge questions, answers and proofs",
    (
        "release split",
        arg("--sample", "N", "the first N questions of one fixed order, the core first (100)", int,
            default=100),
        arg("--naming", "NAMING", "that judges see: private, entity or text (the release's)", default=""),
        arg("--prompts", "FILE", "the prompts of the judges, TOML (the packaged file)", Path),
        arg("--temperature", "X", "of all calls; below 0: not sent (0; 0.7 for a model that sits more than "
            "once)", float),
        arg("--max-tokens", "N", "tokens of a reply (1024)", int, default=1024),
        arg("--seed", "N", "of the calls and of the intervals (0)", int, default=0),
        switch("--dry-run", "say what it would take, show a prompt of each kind, ask nothing"),
        arg("-o --output", "FILE", "judgements, a question a line; replies are kept in FILE.work",
            output_file, required=True),
    ),
    _MORE, _add_judges, beside_output=True,
)  # fmt: skip
