"""A panel of judges over a release: what it is shown, what it says, in lines and tables, and what it takes.

An answer rests on its evidence; in place of each removed triple stand the triples of its certificate, so that
judges see what the incomplete graph states, and the removed triples as conclusions from it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rulemine.errors import ConfigError, counted
from rulemine.judging.agreement import agreement_of
from rulemine.judging.panel import (
    FLAGS,
    GRADES,
    Ballot,
    Judge,
    JudgedQuestion,
    Panel,
    Stated,
    is_accepted,
    purposes_of,
)
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import form_of
from rulemine.llm.call import Call
from rulemine.llm.estimates import Estimate, full_text, unanswered
from rulemine.llm.journal import reading
from rulemine.release.naming import questions_in
from rulemine.release.reader import Release
from rulemine.release.records import Question, translation
from rulemine.text.tables import Show, Table, Values, percent, text_of, under_headings
from rulemine.text.template import fill

__all__ = ["estimate", "judged_questions", "judged_row", "report"]


def judged_questions(
    release: Release, questions: Sequence[Question], naming: str = ""
) -> tuple[JudgedQuestion, ...]:
    """What judges are shown of questions.

    The answer judged is the one that the question asks for; where every answer is stated, the first one in
    its evidence.

    Args:
        release: The release.
        questions: Some of its questions.
        naming: The naming that judges see; "": that of the release.

    Returns:
        In the order of the questions.

    Raises:
        ConfigError: There is no such naming, or the questions are about rows of a property graph.
        ReleaseError: A file is missing or was edited.
    """
    if release.answers != "entities":
        raise ConfigError(
            f"{release.path}: its questions are about rows of a property graph, and judges are shown an "
            "entity and the triples that give it. rulemine build --set "
            "verbalizer.judge_model=NAME has their texts judged as they are written."
        )
    release.expect_certificates("a panel of judges")
    shown = naming or release.naming
    texts = questions if shown == release.naming else questions_in(release, questions, shown)
    names = translation(release.entities, release.naming, shown)
    proofs = {row.triple: row.certificate.body for row in release.removals()}
    statements = {name: row["statement"] for name, row in release.relations().items()}

    def stated(triples: Sequence[Triple]) -> tuple[Stated, ...]:
        named = [(names[s], r, names[o]) for s, r, o in dict.fromkeys(triples)]
        return tuple(
            Stated(", ".join((s, r, o)), fill(statements[r], {"subject": s, "object": o}))
            for s, r, o in named
        )

    def judged(question: Question, text: str) -> JudgedQuestion:
        gone = set(question.removed)
        proof = [body for triple in question.removed for body in proofs[triple]]
        rest = [triple for triple in question.evidence if triple not in gone]
        ends = {end for subject, _, object_ in question.evidence for end in (subject, object_)}
        answer = question.hard_answer or next(
            (answer for answer in question.answers if answer in ends), question.answers[0]
        )
        return JudgedQuestion(
            id=question.id,
            question=text,
            answer=names[answer],
            others=tuple(names[other] for other in question.answers if other != answer),
            facts=stated([*rest, *proof]),
            naming=shown,
            proof=stated(proof),
            conclusions=stated(question.removed),
        )

    return tuple(judged(q, other.question) for q, other in zip(questions, texts, strict=True))


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
    one = f"one model, {names[0]}, judging {len(names)} times"
    return one if len({*names}) == 1 else f"judges: {', '.join(names)}"


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
    votes = ", ".join(f"{grades[grade]:,} {grade}" for grade in GRADES)
    notes = (
        f"Accepted: {sum(accepted):,} of {len(accepted):,}: all judges find it fluent, not giving its answer "
        "away, its answer supported and adequate; what cannot be read rejects.",
        *[f"Votes on proofs: {votes}."] * bool(grades),
        "agree: pairs of judges that agree. kappa: Fleiss, with a 95 % bootstrap interval over questions; – "
        "where all ratings are equal. Both leave out questions with an unreadable reply.",
    )
    header: tuple[str, ...] = (
        *("", "questions", "all good", "most good", "votes good", "agree", "kappa", "unreadable"),
    )
    show: dict[str, Show] = {**dict.fromkeys(header, percent), "kappa": "{:+.2f}".format}
    core = sum(question.core for question in questions)
    title = f"{name}: {counted(len(questions), 'question')}, {core:,} in the core; {_sitting(panel)} (%)"
    first = text_of(Table("flags", title, header, tuple(_flag_rows(ballots, seed)), notes, show))
    groups: dict[tuple[bool, str], list[int]] = defaultdict(list)
    for place, question in enumerate(questions):
        groups[False, form_of(question)].append(place)
        groups[True, "core" if question.core else "not in the core"].append(place)
    labels = ("fluent", "no give-away", "one reading", "supported", "adequate", "proof sound")
    header = ("", "questions", "accepted", *labels)
    rows: list[tuple[str, Values]] = []
    for (is_core, group), places in sorted(groups.items()):
        cast = [ballot for place in places for ballot in ballots[place]]
        good = [[b[f.name].value == f.good for b in cast if f.name in b] for f in FLAGS]
        shares = map(_share, [[accepted[place] for place in places], *good])
        rows.append(("Core" * is_core, (group, len(places), *shares)))
    title = "By type of rule or structure: accepted, and votes good (%)"
    table = Table(
        "groups", title, header, under_headings(rows), show=dict.fromkeys(header, percent)
    )
    return f"{first}\n{text_of(table)}"


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
