"""A model reads the replies that were scored: a second reading beside that of the rules.

For systems that write essays. The model is given a question and what a system replied to it, never an answer
of the release, and lists the names that the reply answers with; these are scored as a list of answers is. A
reply without a word is not asked about.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rulemine.errors import ConfigError, counted
from rulemine.evaluation.notes import where_any
from rulemine.evaluation.predictions import PredictionFile, read_predictions
from rulemine.evaluation.reporting.report import Frame, Report
from rulemine.evaluation.reporting.tables import Tabled
from rulemine.evaluation.reporting.titles import SHOWN, SUBSETS
from rulemine.evaluation.scorer import evaluate
from rulemine.llm.call import Ask, Call, Reply
from rulemine.llm.estimates import Estimate, Purpose, three_prompts, unanswered
from rulemine.llm.journal import reading
from rulemine.llm.options import EndpointOptions, at_addresses
from rulemine.llm.session import Session
from rulemine.release.reader import Release
from rulemine.text.json_reply import TEXTS, json_values, object_schema
from rulemine.text.tables import Table
from rulemine.text.visible_reply import visible_reply

__all__ = ["ReadTwice", "read_twice"]

MAX_TOKENS, USUAL_TOKENS = 1024, 30
"""Tokens of a list at most, and of a usual one."""

_TASK = """\
You are given a question and the reply of a system to it. List the names of what the reply gives as its
answer to the question, each as the reply writes it, the first answer first.
Leave out names that the reply only mentions, that it denies or gives up, and that stand in the question
alone. A reply that refuses, asks back or does not commit itself gives no answer: the list is empty. Do not
say whether the reply is right, and add no name that it does not give.
Write a JSON object and nothing else: {"names": ["…", "…"]}"""


@dataclass(frozen=True)
class ReadTwice(Tabled):
    """The scores of a system as rules and as a model read its replies.

    Attributes:
        report: Of the rules.
        by_model: Of the model, which its system is called.
        notes: What a reader must know, as sentences: how often the two agree is the first.
    """

    report: Report
    by_model: Report
    notes: tuple[str, ...]

    def tables(self) -> list[Table]:
        """Those of the report, and both readings in one."""
        both = Frame.of((("rules", self.report), (self.by_model.system, self.by_model)))
        ordered = sorted(
            both.where(breakdown=SUBSETS).rows, key=lambda row: [*SUBSETS].index(row.breakdown)
        )
        title = "replies as rules and as a model read them; in percent"
        shown = Frame(tuple(ordered)).table("readings", title, SHOWN, rows=("group", "system", "n"))
        return [*self.report.tables(), replace(shown, header=("", "read by", *shown.header[2:]))]

    def content(self) -> dict[str, Any]:
        """What the report has, and ``reader``: the same of the model."""
        of_model = {"model": self.by_model.system} | self.by_model.content()
        return self.report.content() | {"reader": of_model | {"notes": [*self.notes]}}


def read_twice(
    release: Release,
    predictions: PredictionFile,
    report: Report,
    reader: str,
    *,
    dry_run: bool = False,
    status: Callable[[str], object] | None = None,
    progress: Callable[[int, int], object] | None = None,
    endpoint: EndpointOptions | None = None,
    **options: Any,
) -> ReadTwice | str:
    """Has a model read the replies of a file, and scores what it reads.

    Args:
        release: The release.
        predictions: The file; what the model says is kept beside it, in ``FILE.work``.
        report: What the rules read, scored.
        reader: The model, maybe with its address, see `rulemine.llm.options.at_addresses`.
        dry_run: Whether to ask nothing.
        status: Called with what is worth knowing, one sentence at a time.
        progress: Called with (replies read, all replies).
        endpoint: Where the model is, and what may be asked of it.
        options: Those of `rulemine.evaluation.scorer.evaluate` that the report was made with.

    Returns:
        Both readings; of a dry run what it would take, in words.

    Raises:
        ConfigError: Answers are rows, or no prediction is a text.
        EndpointError: The endpoint cannot be used, or failed for too long.
        LimitError: The budget of tokens is spent.
    """
    (model,), (place,) = at_addresses([reader], endpoint or EndpointOptions(), "--reader")
    asked = {q.id: q for q in release.questions() if q.id in {*report.ids}}
    read = read_predictions(predictions, release.questions(), split=None)
    given = {p.id: p for p in read if p.id in asked}
    schema = object_schema(names=TEXTS)
    calls: dict[str, Call] = {}
    for id_, p in given.items():
        if reply := visible_reply(p.raw_output or ""):
            text = f"Question: {asked[id_].question}\n\nReply:\n{reply}"
            messages = [{"role": "system", "content": _TASK}, {"role": "user", "content": text}]
            calls[id_] = Call(model, messages, "read_reply", id_, MAX_TOKENS, 0.0, schema=schema)
    if report.matching == "rows" or not calls:
        raise ConfigError("--reader: no prediction is a text that names entities. Leave it out.")
    journal = Path(f"{predictions.path}.work") / "journal.sqlite"
    if dry_run:
        with reading(journal) as kept:
            left = unanswered([*calls.values()], kept)
        n, note = len(left), "At most: each list as long as allowed."
        purpose = Purpose.of("lists", left, n, n, USUAL_TOKENS, answered=len(calls) - n)
        about = counted(len(calls), "reply", "replies")
        return Estimate(about, [purpose], 0, note, three_prompts([*calls.values()])).to_text()
    with Session(place, journal, status) as session:
        found = session.run([partial(_names, call=call) for call in calls.values()], progress)
    names = dict(zip(calls, found, strict=True))
    for id_ in names:
        given[id_] = replace(given[id_], raw_output=None, answers=names[id_] or ())
    by_model = replace(evaluate(release, given.values(), **options), system=model)
    pairs = zip(by_model.ids, report.answers, by_model.answers, strict=True)
    same = sum({*rules} == {*own} for id_, rules, own in pairs if id_ in names)
    notes = where_any(
        (
            len(names),
            f"Of {{}} replies with a word, rules and {model} read the same names in {same:,} "
            f"({100 * same / len(names):.1f} %).",
        ),
        (
            found.count(None),
            f"Replies of which {model} gave no list: {{}}; they score 0 in its reading.",
        ),
    )
    return ReadTwice(report, by_model, (*notes, *report.notes))


async def _names(ask: Ask, call: Call) -> tuple[str, ...] | None:
    """The names that a model lists; None where it gives no list."""
    answer = await ask(call)
    for value in json_values(answer.text) if isinstance(answer, Reply) else ():
        names = value.get("names") if isinstance(value, dict) else None
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            return tuple(names)
    return None
