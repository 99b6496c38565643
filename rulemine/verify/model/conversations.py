"""Whether the texts of a model, and the lack of one, are what came of the calls of the journal.

Checks that each text of a model and each paraphrase was said for its question, and quoted to a judge that
said PASS and in a round trip that named its relation, where the options ask for them; and that each question
without a text has a call for every code it failed with. That calls are those of the prompts, and texts what a
build makes of the replies, is what `--replay` proves byte for byte.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rulemine.verify.model.fallbacks import FAILURES, STAGE, codes_of
from rulemine.verify.model.journal import JOURNAL, Entry, Query
from rulemine.verify.model.replies import fold, texts_said
from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.wording import VerbalizerConfig

__all__ = ["check_conversations"]


def check_conversations(
    entries: list[Entry],
    asked: Mapping[str, Query],
    questions: list[Located],
    rejections: list[Located],
    verbalizer: VerbalizerConfig,
    findings: Findings,
) -> None:
    """Checks the questions, and those that lost their text, against the journal."""
    heard: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        for question in entry.questions:
            heard[question].append(entry)

    def check(here: Located, question: str, problems: Iterator[tuple[str, str]]) -> None:
        for found, expected in problems:
            found = f"{found} for {question}"
            findings.add(here.file, here.line, "journal", found, f"{expected} ({JOURNAL})")

    for here in questions:
        question = here.row["id"]
        check(here, question, _unsaid(asked[question].texts, heard[question]))
        check(here, question, _unjudged(question, asked[question], heard[question], verbalizer))
    for here in rejections:
        if here.row["stage"] == STAGE and (question := here.row["question"]):
            codes = codes_of(here.row)
            check(here, question, _unfailed(codes, heard[question], verbalizer.attempts))
            check(here, question, _unwritten(here.row.get("text", ""), heard[question]))


def _unsaid(texts: Sequence[str], about: list[Entry]) -> Iterator[tuple[str, str]]:
    """The texts that the model did not say; the first answers another call than the rest."""
    said: dict[str, set[str]] = defaultdict(set)
    for entry in about:
        if texts and entry.ended not in ("length", "content_filter"):
            said[entry.purpose] |= texts_said(entry.reply)
    for text, purpose in zip(texts, ["question", *["paraphrase"] * len(texts)], strict=False):
        if fold(text) not in said[purpose]:
            yield f"{shown(text)}, in no reply of purpose {purpose}", "a text that the model said"


def _unjudged(
    question: str, query: Query, about: list[Entry], verbalizer: VerbalizerConfig
) -> Iterator[tuple[str, str]]:
    """The texts that no judge spoke for."""
    wanted = {"audit": "pass", "round_trip": fold(query.relation)}
    for purpose in verbalizer.judges:
        good = {
            quoted
            for entry in about
            if entry.purpose == purpose
            and any(wanted[purpose] in t for t in texts_said(entry.reply))
            for quoted in entry.quoted
        }
        for place, text in enumerate(query.texts):
            if (question, place) not in good:
                yield f"{shown(text)}, in no {purpose} that speaks for it", "one that quotes it"


def _unwritten(text: str, about: list[Entry]) -> Iterator[tuple[str, str]]:
    """The text that was refused, where the model wrote no such text."""
    replies = [entry.reply for entry in about if entry.purpose == "question"]
    if text and not any(fold(text) in {fold(reply), *texts_said(reply)} for reply in replies):
        yield f"{shown(text)}, in no reply", "a text that the model said"


def _unfailed(codes: list[str], about: list[Entry], attempts: int) -> Iterator[tuple[str, str]]:
    """What the codes of a question without a text say, and the calls do not."""
    calls = sum(entry.purpose == "question" for entry in about)
    if calls != len(codes):
        yield f"{calls} call(s) for a text", f"{len(codes)}, one for each code"
    failed = {FAILURES.get(entry.failure, entry.failure) for entry in about if entry.failure}
    if failed != {code for code in codes[-1:] if code in FAILURES.values()}:
        found = f"calls that failed with {', '.join(sorted(failed)) or 'nothing'}"
        yield found, f"what {shown(codes[-1])}, the last code, says"
    if len(codes) > attempts or (len(codes) < attempts and not failed):
        yield f"{len(codes)} codes", f"{attempts}, one for each attempt"
