"""What a model was asked about each question, and whether the question is what came of it.

Checks that the calls which follow from the release (see `calls`) are in the journal under their keys; that
each text of a model and each paraphrase was said for its question, and itself passed the auditor and the
round trip where the options have them; that every question without a text failed as often as it says, for
reasons that the replies bear out; and that nothing was asked more often than there was reason to.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rulemine.verify.calls import Call, Calls, Query
from rulemine.verify.collection import Located
from rulemine.verify.contexts import Contexts
from rulemine.verify.fallbacks import FAILURES, STAGE, codes_of
from rulemine.verify.journal import BALANCE, JOURNAL, Entry
from rulemine.verify.names import Names
from rulemine.verify.prompts import Gloss, recognised
from rulemine.verify.replies import choice, fold, texts_said, verdict
from rulemine.verify.report import Findings, shown
from rulemine.verify.wording import Verbalizer, texts_of

__all__ = ["Told", "check_conversations"]

_CUT = ("length", "content_filter")
"""How replies end that give no text."""


@dataclass(frozen=True, slots=True)
class Told:
    """What models are told, and how questions are named to them.

    Attributes:
        names: The tables of names.
        glosses: What the relations mean.
        verbalizer: The options.
        calls: Writes the calls out.
        contexts: The contexts of questions.
    """

    names: Names
    glosses: Mapping[str, Gloss]
    verbalizer: Verbalizer
    calls: Calls
    contexts: Contexts


def check_conversations(
    entries: list[Entry],
    asked: Mapping[str, Query],
    questions: list[Located],
    rejections: list[Located],
    told: Told,
    findings: Findings,
) -> None:
    """Checks the questions, and those that were rejected, against the journal.

    Args:
        entries: All entries.
        asked: What each question asks, see `rulemine.verify.journal.asked_of`.
        questions: All questions.
        rejections: All rejections.
        told: What models are told.
        findings: Takes the problems.
    """
    by_key = {entry.key: entry for entry in entries}
    heard: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        for question in entry.questions:
            heard[question].append(entry)

    def talk(here: Located, question: str) -> "_Talk":
        return _Talk(here, question, asked[question], heard[question], by_key, told, findings)

    for here in questions:
        if here.row.get("wording") == "model":
            talk(here, here.row["id"]).check_text()
    for here in rejections:
        question = here.row["question"]
        if here.row["stage"] == STAGE and question:
            talk(here, question).check_failure()
        elif here.row["stage"] == BALANCE and question in asked and heard[question]:
            talk(here, question).first_for_text()


class _Talk:
    """The conversation about one question."""

    def __init__(
        self,
        here: Located,
        question: str,
        query: Query,
        entries: list[Entry],
        by_key: Mapping[bytes, Entry],
        told: Told,
        findings: Findings,
    ) -> None:
        self._here, self._question, self._query = here, question, query
        self._by_key, self._told, self._findings = by_key, told, findings
        self._context = list(map(told.calls.state, told.contexts.of(query)))
        self._entries: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            self._entries[entry.purpose].append(entry)

    def first_for_text(self) -> Entry | None:
        """The entry of the first call for a text."""
        call = self._told.calls.question(self._query, self._context)
        return self._entry("question", call, "the first call for a text")

    def check_text(self) -> None:
        """Checks a question in a model's words."""
        chosen, row = self._told.verbalizer, self._here.row
        asked = self._entries["question"]
        first = self.first_for_text()
        self._check_attempts("question", chosen.attempts)
        self._check_attempts("paraphrase", chosen.attempts)
        for entry in asked:
            if entry.failure:
                found = f"{entry.failure} ({JOURNAL} line {entry.line}) for the text"
                self._add(found, "a reply to each call: a failed one ends the conversation")
        if (entity := self._told.names.entities.get(self._query.topic)) is None:
            return
        name = entity.spelled[chosen.naming]
        texts = [name.join(pieces) for _, pieces in texts_of(row)]
        # Who was asked again had no good text at first.
        later = [entry for entry in asked if entry is not first or len(asked) == 1]
        self._check_said(texts[:1], later, "question")
        if chosen.paraphrases:
            call = self._told.calls.paraphrase(self._query, self._context, texts[0])
            self._entry("paraphrase", call, "the first call for paraphrases of the text")
            self._check_said(texts[1:], self._entries["paraphrase"], "paraphrase")
        for text in texts:
            self._check_judged(text)
        self._check_judgements()

    def check_failure(self) -> None:
        """Checks a question that has no text."""
        codes = codes_of(self._here.row)
        asked, attempts = self._entries["question"], self._told.verbalizer.attempts
        self.first_for_text()
        self._check_attempts("paraphrase", 0)
        if len(asked) != len(codes):
            found = f"{len(asked)} call(s) for a text of {self._question}"
            self._add(
                found, f"{len(codes)}, one for each code of {shown(self._here.row['detail'])}"
            )
        failed = sorted({FAILURES.get(e.failure, e.failure) for e in self._all() if e.failure})
        if failed != [code for code in codes[-1:] if code in FAILURES.values()]:
            found = f"calls that failed with {', '.join(failed) or 'nothing'}"
            self._add(found, f"what {shown(codes[-1])}, the last code, says")
        if len(codes) != attempts and not failed:
            found = f"{len(codes)} codes of {self._question}"
            self._add(found, f"{attempts}, one for each attempt (config.verbalizer.attempts)")
        for code, borne_out in (
            (
                "filtered",
                sum(e.ended == "content_filter" for e in asked) == codes.count("filtered"),
            ),
            ("cut_off", sum(e.ended == "length" for e in asked) <= codes.count("cut_off")),
            ("audit_failed", self._is_refused("audit") == ("audit_failed" in codes)),
            (
                "round_trip_failed",
                self._is_refused("round_trip") == ("round_trip_failed" in codes),
            ),
        ):
            if not borne_out:
                found = f"{codes.count(code)} times {code} in {shown(self._here.row['detail'])}"
                self._add(found, f"what the replies about {self._question} say")
        self._check_judgements()

    def _add(self, found: str, expected: str) -> None:
        here = self._here
        self._findings.add(here.file, here.line, "journal", found, f"{expected} ({JOURNAL})")

    def _all(self) -> Iterable[Entry]:
        return (entry for some in self._entries.values() for entry in some)

    def _entry(self, purpose: str, call: Call | None, what: str) -> Entry | None:
        """The entry of a call that was made for the question."""
        if call is None:
            return None
        entry = self._by_key.get(call.key)
        if entry is None or entry not in self._entries[purpose]:
            found = f"no key {call.key.hex()} of purpose {purpose} for {self._question}"
            expected = f"{what}, by prompt, glosses, options and names ({JOURNAL})"
            self._findings.add(self._here.file, self._here.line, "call", found, expected)
            return None
        if entry.request != call.request:
            expected = f"{call.request.hex()}, that of its key"
            self._findings.add(JOURNAL, entry.line, "request", entry.request.hex(), expected)
        return entry

    def _check_attempts(self, purpose: str, most: int) -> None:
        if (times := len(self._entries[purpose])) > most:
            found = f"{times} calls of purpose {purpose} for {self._question}"
            self._add(found, f"at most {most}")

    def _check_said(self, texts: list[str], entries: list[Entry], purpose: str) -> None:
        said = {t for e in entries if texts for t in _texts(e)}
        for text in texts:
            if fold(text) not in said:
                found = f"{shown(text)}, in no reply of purpose {purpose} for {self._question}"
                self._add(found, "a text that the model said")

    def _check_judged(self, text: str) -> None:
        calls, chosen = self._told.calls, self._told.verbalizer
        if chosen.auditor:
            call = calls.audit(self._query, self._context, text)
            entry = self._entry("audit", call, f"the audit of {shown(text)}")
            if entry is not None and not self._is_good(entry):
                self._add(f"{_told(entry)} about {shown(text)}", "PASS of the auditor")
        if chosen.round_trip:
            call = calls.round_trip(self._query, text)
            entry = self._entry("round_trip", call, f"the round trip of {shown(text)}")
            if entry is not None and not self._is_good(entry):
                end = f"{shown(self._query.relation)}, {self._query.direction}"
                self._add(f"{_told(entry)} about {shown(text)}", f"a round trip to {end}")

    def _is_good(self, entry: Entry) -> bool:
        """Whether an audit or a round trip speaks for its text."""
        if entry.purpose == "audit":
            return verdict(entry.reply, entry.ended) is True
        said = choice(entry.reply, entry.ended)
        query = self._query
        return recognised(said, query.relation, query.direction, self._told.glosses)

    def _is_refused(self, purpose: str) -> bool:
        return any(not e.failure and not self._is_good(e) for e in self._entries[purpose])

    def _check_judgements(self) -> None:
        """Checks that no more was judged than was said."""
        texts = sum(not entry.failure for entry in self._entries["question"])
        texts += sum(len(_texts(e)) for e in self._entries["paraphrase"])
        for purpose in ("audit", "round_trip"):
            if (times := len(self._entries[purpose])) > texts:
                found = f"{times} calls of purpose {purpose} for {self._question}"
                self._add(found, f"at most {texts}, one for each text to be judged")
            if purpose == "audit" and self._told.verbalizer.auditor:
                texts = sum(map(self._is_good, self._entries["audit"]))


def _texts(entry: Entry) -> set[str]:
    """The texts that a reply gives."""
    return set() if entry.ended in _CUT else texts_said(entry.reply)


def _told(entry: Entry) -> str:
    """What came back, and where that stands."""
    return f"{shown(entry.failure or entry.reply)} ({JOURNAL} line {entry.line})"
