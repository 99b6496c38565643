"""Whether the texts of a model, and the lack of one, are what came of the calls of the journal.

Checks that each text of a model and each paraphrase was said for its question, and passed as many audits and
round trips as the options ask for; and that each question without a text has a call for every code it failed
with. That the calls are those of the prompts is what `rulemine build --replay` proves, byte for byte.
"""

from collections import defaultdict
from collections.abc import Mapping

from rulemine.verify.model.fallbacks import FAILURES, STAGE, codes_of
from rulemine.verify.model.journal import JOURNAL, Entry, Query
from rulemine.verify.model.prompts import Gloss, recognised
from rulemine.verify.model.replies import choice, fold, texts_said, verdict
from rulemine.verify.names import Names
from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.wording import Verbalizer, texts_of

__all__ = ["check_conversations"]

_CUT = ("length", "content_filter")
"""How replies end that give no text."""

Heard = Mapping[str, list[Entry]]
"""Purpose → the entries about a question."""


def check_conversations(
    entries: list[Entry],
    asked: Mapping[str, Query],
    questions: list[Located],
    rejections: list[Located],
    names: Names,
    glosses: Mapping[str, Gloss],
    verbalizer: Verbalizer,
    findings: Findings,
) -> None:
    """Checks the questions, and those that lost their text, against the journal.

    Args:
        entries: All entries.
        asked: What each question asks, see `rulemine.verify.model.journal.asked_of`.
        questions: All questions.
        rejections: All rejections.
        names: The tables of names.
        glosses: What the relations mean.
        verbalizer: The options.
        findings: Takes the problems.
    """
    heard: dict[str, dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        for question in entry.questions:
            heard[question][entry.purpose].append(entry)

    def check(here: Located, question: str, problems: list[tuple[str, str]]) -> None:
        for found, expected in problems:
            found = f"{found} for {question}"
            findings.add(here.file, here.line, "journal", found, f"{expected} ({JOURNAL})")

    for here in questions:
        question = here.row["id"]
        if here.row.get("wording") != "model" or here.row["topic"] not in names.entities:
            continue
        name = names.entities[here.row["topic"]].spelled[verbalizer.naming]
        texts = [name.join(pieces) for _, pieces in texts_of(here.row)]
        problems = _unsaid(texts, heard[question])
        for purpose in verbalizer.judges:
            right = sum(_is_good(e, asked[question], glosses) for e in heard[question][purpose])
            if right < len(texts):
                problems.append((f"{right} good of purpose {purpose}", "one for each text"))
        check(here, question, problems)
    for here in rejections:
        if here.row["stage"] == STAGE and here.row["question"]:
            question = here.row["question"]
            check(
                here,
                question,
                _unfailed(codes_of(here.row), heard[question], verbalizer.attempts),
            )


def _unsaid(texts: list[str], heard: Heard) -> list[tuple[str, str]]:
    """The texts that the model did not say."""
    said = {
        purpose: {t for e in heard[purpose] if e.ended not in _CUT for t in texts_said(e.reply)}
        for purpose in ("question", "paraphrase")
    }
    purposes = ["question", *["paraphrase"] * (len(texts) - 1)]
    return [
        (f"{shown(text)}, in no reply of purpose {purpose}", "a text that the model said")
        for text, purpose in zip(texts, purposes, strict=True)
        if fold(text) not in said[purpose]
    ]


def _unfailed(codes: list[str], heard: Heard, attempts: int) -> list[tuple[str, str]]:
    """What the codes of a question without a text say, and the calls do not."""
    calls, problems = heard["question"], []
    if len(calls) != len(codes):
        problems.append((f"{len(calls)} call(s) for a text", f"{len(codes)}, one for each code"))
    failed = {FAILURES.get(e.failure, e.failure) for es in heard.values() for e in es if e.failure}
    if failed != {code for code in codes[-1:] if code in FAILURES.values()}:
        found = f"calls that failed with {', '.join(sorted(failed)) or 'nothing'}"
        problems.append((found, f"what {shown(codes[-1])}, the last code, says"))
    if len(codes) > attempts or (len(codes) < attempts and not failed):
        problems.append((f"{len(codes)} codes", f"{attempts}, one for each attempt"))
    return problems


def _is_good(entry: Entry, query: Query, glosses: Mapping[str, Gloss]) -> bool:
    """Whether an audit or a round trip speaks for its text."""
    if entry.purpose == "audit":
        return verdict(entry.reply, entry.ended) is True
    said = choice(entry.reply, entry.ended)
    return recognised(said, query.relation, query.direction, glosses)
