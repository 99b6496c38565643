"""Whether the texts of a model, or their absence, follow from the calls of the journal.

Checks that each text and each paraphrase is in a reply for its question, and is quoted to a judge that
replied PASS and in a round-trip check that named its relation, if the options ask for them; and that each
question without a text has a call for every code it failed with. That calls come from the prompts and texts
from the replies, `--replay` proves byte for byte.
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
    """Checks questions and rejected texts against the journal."""
    calls: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        for question in entry.questions:
            calls[question].append(entry)

    def check(here: Located, question: str, problems: Iterator[tuple[str, str]]) -> None:
        for found, expected in problems:
            found = f"{found} for {question}"
            findings.add(here.file, here.line, "journal", found, f"{expected} ({JOURNAL})")

    for here in questions:
        question = here.row["id"]
        check(here, question, _unsaid(asked[question].texts, calls[question]))
        check(here, question, _unjudged(question, asked[question], calls[question], verbalizer))
    for here in rejections:
        if here.row["stage"] == STAGE and (question := here.row["question"]):
            codes = codes_of(here.row)
            check(here, question, _unfailed(codes, calls[question], verbalizer.attempts))
            check(here, question, _unwritten(here.row.get("text", ""), calls[question]))


def _unsaid(texts: Sequence[str], about: list[Entry]) -> Iterator[tuple[str, str]]:
    """Yields texts in no reply; the first text answers another purpose than the paraphrases."""
    said: dict[str, set[str]] = defaultdict(set)
    for entry in about:
        if texts and entry.finish_reason not in ("length", "content_filter"):
            said[entry.purpose] |= texts_said(entry.reply)
    for text, purpose in zip(texts, ["question", *["paraphrase"] * len(texts)], strict=False):
        if fold(text) not in said[purpose]:
            yield f"{shown(text)}, in no reply of purpose {purpose}", "a text from a reply"


def _unjudged(
    question: str, query: Query, about: list[Entry], verbalizer: VerbalizerConfig
) -> Iterator[tuple[str, str]]:
    """Yields texts that did not pass the judge or the round-trip check."""
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
                yield f"{shown(text)}, in no passed {purpose}", "one that quotes and passes it"


def _unwritten(text: str, about: list[Entry]) -> Iterator[tuple[str, str]]:
    """Yields a rejected text that is in no reply."""
    replies = [entry.reply for entry in about if entry.purpose == "question"]
    if text and not any(fold(text) in {fold(reply), *texts_said(reply)} for reply in replies):
        yield f"{shown(text)}, in no reply", "a text from a reply"


def _unfailed(codes: list[str], about: list[Entry], attempts: int) -> Iterator[tuple[str, str]]:
    """Yields contradictions between the codes of a question without a text and its calls."""
    asked = sum(entry.purpose == "question" for entry in about)
    if asked != len(codes):
        yield f"{asked} call(s) for a text", f"{len(codes)}, one for each code"
    failed = {FAILURES.get(entry.failure, entry.failure) for entry in about if entry.failure}
    if failed != {code for code in codes[-1:] if code in FAILURES.values()}:
        found = f"calls that failed with {', '.join(sorted(failed)) or 'nothing'}"
        yield found, f"the failure that the last code, {shown(codes[-1])}, states"
    if len(codes) > attempts or (len(codes) < attempts and not failed):
        yield f"{len(codes)} codes", f"{attempts}, one for each attempt"
