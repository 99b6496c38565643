"""What a panel says of questions: a line for each, tables, and what judging would take."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rulemine.errors import counted
from rulemine.judging.agreement import agreement_of
from rulemine.judging.panel import (
    FLAGS,
    GRADES,
    Ballot,
    Judge,
    JudgedQuestion,
    Panel,
    is_accepted,
    purposes_of,
)
from rulemine.kinds.registry import form_of
from rulemine.llm.call import Call
from rulemine.llm.estimates import Estimate, full_text, unanswered
from rulemine.llm.journal import reading
from rulemine.release.records import Question
from rulemine.text.tables import Show, Table, Value, Values, percent, text_of, under_headings

__all__ = ["estimate", "judged_row", "report"]


def judged_row(
    question: Question,
    item: JudgedQuestion,
    judges: Sequence[Judge],
    cast: Sequence[Ballot],
) -> dict[str, Any]:
    """The line of a question: what was judged, and flags and reasons as in Table 2 of Dynamic-KGQA."""
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


def estimate(
    panel: Panel,
    items: Sequence[JudgedQuestion],
    journal: Path,
    in_batches: bool,
    tell: Callable[[int, int], None],
) -> str:
    """What judging would take, with a prompt of each kind; the journal's replies are not counted again."""
    found: dict[str, Call] = {}  # questions may share a text or a proof
    for number, item in enumerate(items, start=1):
        found |= {call.key: call for judge in panel.judges for call in panel.calls(item, judge)}
        tell(number, len(items))
    calls = list(found.values())
    with reading(journal) as kept:
        missing = unanswered(calls, kept)
    prompts = {call.purpose: full_text(call) for call in reversed(calls)}
    return Estimate(
        f"{counted(len(items), 'question')}, {_sitting(panel)}",
        purposes_of(missing, len(calls) - len(missing)),
        len(items),
        "At most: each reply as long as allowed, and asked for once more.",
        dict(sorted(prompts.items())),
        in_batches,
        (bool(missing), 2 * bool(missing)),
    ).to_text()


def _sitting(panel: Panel) -> str:
    """Who judges, in words."""
    names = [judge.model for judge in panel.judges]
    if len(set(names)) == 1:
        return f"one model, {names[0]}, judging {len(names)} times"
    return f"judges: {', '.join(names)}"


def report(
    name: str,
    questions: Sequence[Question],
    panel: Panel,
    ballots: Sequence[Sequence[Ballot]],
    seed: int,
) -> str:
    """The tables."""
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


def _flag_rows(ballots: Sequence[Sequence[Ballot]], seed: int) -> Iterator[Values]:
    """A row of the first table for each flag that was asked for."""
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
