"""The command ``judge``: a panel of models judges the questions of a release.

A command imports what it needs when it runs.
"""

from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulemine.cli.answer import split_of
from rulemine.cli.arguments import RELEASE, SPLIT, WIDE, Subcommand, add_endpoint, arg, switch
from rulemine.cli.console import STANDARD_OUTPUT, Line, bar, check_output, output_file, say
from rulemine.cli.parser import Parser, given
from rulemine.errors import ConfigError, counted

if TYPE_CHECKING:
    from rulemine.judging.panel import Ballot, Judge, JudgedQuestion, Panel
    from rulemine.llm.options import EndpointOptions
    from rulemine.release.records import Question
    from rulemine.text.tables import Show, Value, Values

__all__ = ["JUDGE"]

_MORE = """\
Three judges say of each question whether it is fluent, gives its answer away, has one reading,
whether its answer is supported and adequate, and how good the step to the removed triples is.
docs/judging.md says what they are shown and what the tables mean. Replies are kept in FILE.work:
the same command after an interruption goes on."""


def judge(arguments: Namespace) -> int:
    """``judge``."""
    from rulemine.codec import dump_line
    from rulemine.files import write_lines
    from rulemine.judging.panel import Panel, load_judge_prompts, seat_judges
    from rulemine.judging.panel_inputs import judged_questions
    from rulemine.llm.options import EndpointOptions, at_addresses
    from rulemine.release.reader import Release
    from rulemine.release.sampling_order import sample
    from rulemine.seeds import check_seed
    from rulemine.verbalizer.requests import SEEDS

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
        say(_estimate(panel, items, journal, (usual.price_input, usual.price_output)))
        return 0
    ballots = _ballots(panel, places, items, journal, usual)
    rows = [
        _row(question, item, panel.judges, cast)
        for question, item, cast in zip(drawn, items, ballots, strict=True)
    ]
    write_lines(arguments.output, (dump_line(row) + "\n" for row in rows))
    say(_report(release.name, drawn, panel, ballots, arguments.seed), end="")
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
    with line.watch("judge") as tell, Session(usual, journal, line.note, room=room) as session:

        def work(item: "JudgedQuestion", judge: "Judge", place: "EndpointOptions") -> Any:
            return lambda _ask: panel.ballot(item, judge, session.at(place))

        cast = session.run([work(item, *seat) for item in items for seat in seats], tell)
    return [cast[at : at + len(seats)] for at in range(0, len(cast), len(seats))]


def _row(
    question: "Question",
    item: "JudgedQuestion",
    judges: "Sequence[Judge]",
    cast: "Sequence[Ballot]",
) -> dict[str, Any]:
    """The line of a question: what was judged, and flags and reasons as in Table 2 of Dynamic-KGQA."""
    from rulemine.evaluation.breakdown import form_of
    from rulemine.judging.panel import is_accepted

    row: dict[str, Any] = {
        "id": question.id,
        "group": form_of(question),
        "core": question.core,
        "question": item.question,
        "answer": item.answer,
        "supporting_facts": [fact.triple for fact in item.facts],
        "conclusions": [fact.triple for fact in item.conclusions],
        "accepted": is_accepted(cast),
        "judges": [{"model": one.model, "sample": one.sample} for one in judges],
    }
    for number, ballot in enumerate(cast, start=1):
        for name, mark in ballot.items():
            row[f"{name}_flag_{number}"] = mark.value
            row[f"{name}_reasoning_{number}"] = mark.reasoning
    return row


def _estimate(
    panel: "Panel", items: "Sequence[JudgedQuestion]", journal: Path, prices: tuple[float, float]
) -> str:
    """What judging would take, with a prompt of each kind; the journal's replies are not counted again."""
    from rulemine.judging.panel import panel_takes
    from rulemine.llm.call import Call
    from rulemine.llm.estimates import METHOD, format_takes, full_text, unanswered

    found: dict[str, Call] = {}  # questions may share a text or a proof
    with bar("estimate") as tell:
        for number, item in enumerate(items, start=1):
            found |= {call.key: call for judge in panel.judges for call in panel.calls(item, judge)}
            tell(number, len(items))
    calls = list(found.values())
    missing = unanswered(calls, journal)
    prompts = {call.purpose: full_text(call) for call in reversed(calls)}
    have = len(calls) - len(missing)
    had = f"; the journal already has {counted(have, 'reply', 'replies')}" if have else ""
    lines = [
        f"{counted(len(items), 'question')}, {_sitting(panel)}",
        *format_takes(*panel_takes(missing), prices, len(items), had),
        f"At most: each reply as long as allowed, and asked for once more. Tokens are {METHOD}.",
    ]
    lines += [f"\n── {purpose} ──\n{text}" for purpose, text in sorted(prompts.items())]
    return "\n".join(lines)


def _sitting(panel: "Panel") -> str:
    """Who judges, in words."""
    names = [judge.model for judge in panel.judges]
    if len(set(names)) == 1:
        return f"one model, {names[0]}, judging {len(names)} times"
    return f"judges: {', '.join(names)}"


def _report(
    name: str,
    questions: "Sequence[Question]",
    panel: "Panel",
    ballots: "Sequence[Sequence[Ballot]]",
    seed: int,
) -> str:
    """The tables."""
    from rulemine.evaluation.breakdown import form_of
    from rulemine.judging.panel import FLAGS, GRADES, is_accepted
    from rulemine.text.tables import Table, percent, text_of, under_headings

    accepted = [is_accepted(cast) for cast in ballots]
    grades = Counter(b["proof"].value for cast in ballots for b in cast if "proof" in b)
    notes = [
        f"Accepted: {sum(accepted):,} of {len(accepted):,}: all judges find it fluent, not giving its answer "
        "away, its answer supported and adequate; what cannot be read rejects.",
    ]
    if grades:
        votes = ", ".join(f"{grades[grade]:,} {grade}" for grade in GRADES)
        notes.append(f"Votes on proofs: {votes}.")
    notes.append(
        "agree: pairs of judges that agree. kappa: Fleiss, with a 95 % bootstrap interval over questions; – "
        "where all ratings are equal. Both leave out questions with an unreadable reply."
    )
    header: tuple[str, ...] = (
        *("", "questions", "all good", "most good", "votes good", "agree", "kappa", "unreadable"),
    )
    show: dict[str, Show] = {**dict.fromkeys(header, percent), "kappa": "{:+.2f}".format}
    core = sum(question.core for question in questions)
    title = f"{name}: {counted(len(questions), 'question')}, {core:,} in the core; {_sitting(panel)} (%)"
    rows = tuple(_flag_rows(ballots, seed))
    first = text_of(Table("flags", title, header, rows, tuple(notes), show))
    groups: dict[tuple[bool, str], list[int]] = defaultdict(list)
    for place, question in enumerate(questions):
        groups[False, form_of(question)].append(place)
        groups[True, "core" if question.core else "not in the core"].append(place)
    labels = ("fluent", "no give-away", "one reading", "supported", "adequate", "proof sound")
    header = ("", "questions", "accepted", *labels)
    by_group: list[tuple[str, Values]] = []
    for is_core, name in sorted(groups):
        some = [ballots[place] for place in groups[is_core, name]]
        values: list[Value] = [
            len(some),
            _share([accepted[place] for place in groups[is_core, name]]),
        ]
        for flag in FLAGS:
            marks = [b[flag.name].value for cast in some for b in cast if flag.name in b]
            values.append(_share([value == flag.good for value in marks]))
        by_group.append(("Core" * is_core, (name, *values)))
    title = "By type of rule or structure: accepted, and votes good (%)"
    by_share = dict.fromkeys(header, percent)
    second = text_of(Table("groups", title, header, under_headings(by_group), show=by_share))
    return f"{first}\n{second}"


def _flag_rows(ballots: "Sequence[Sequence[Ballot]]", seed: int) -> "Iterator[Values]":
    """A row of the first table for each flag that was asked for."""
    from rulemine.judging.agreement import agreement_of
    from rulemine.judging.panel import FLAGS

    for flag in FLAGS:
        asked = [[b[flag.name].value for b in cast] for cast in ballots if flag.name in cast[0]]
        if not asked:
            continue
        good = [sum(value == flag.good for value in values) for values in asked]
        seats = len(asked[0])
        read = [values for values in asked if None not in values]
        found = agreement_of(read, seed, flag.name)
        yield (
            flag.label,
            len(asked),
            _share([count == seats for count in good]),
            _share([2 * count > seats for count in good]),
            sum(good) / (seats * len(good)),
            found.raw,
            (found.kappa, found.low, found.high),
            len(asked) - len(read),
        )


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


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
        RELEASE, SPLIT,
        arg("--sample", "N", "the first N questions of one fixed order, the core first (100)", int,
            default=100),
        arg("--naming", "NAMING", "that judges see: private, entity or text (the release's)", default=""),
        arg("--prompts", "FILE", "what the judges are told, TOML (the packaged file)", Path),
        arg("--temperature", "X", "of all calls; below 0: not sent (0; 0.7 for a model that sits more than "
            "once)", float),
        arg("--max-tokens", "N", "tokens of a reply (1024)", int, default=1024),
        arg("--seed", "N", "of the calls and of the intervals (0)", int, default=0),
        switch("--dry-run", "say what it would take, show a prompt of each kind, ask nothing"),
        arg("-o --output", "FILE", "judgements, a question a line; replies are kept in FILE.work",
            output_file, required=True),
        WIDE,
    ),
    _MORE, _add_judges, beside_output=True,
)  # fmt: skip
