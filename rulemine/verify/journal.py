"""The journal of a language model: what it was asked, and whether the questions are what it said.

Checks that the three files about the model are there exactly where a model put the questions into words;
that entries are whole, unique and sorted by key, of the models and purposes of the options, one prompt
each, and about questions of the release; that each text of a model and each paraphrase was said for
its question (in the naming of the prompts), passed the auditor and the round trip where the options
have them; and that every question without a model's text was asked for as often as it says.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from rulemine.verify.collection import Located
from rulemine.verify.fallbacks import STAGE
from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.names import Names
from rulemine.verify.prompts import GLOSSES, PROMPT, Gloss, Prompt, recognised
from rulemine.verify.replies import choice, fold, texts_said, verdict
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import entry
from rulemine.verify.wording import Verbalizer, texts_of

__all__ = ["Asked", "asked_of", "check_journal", "count_journal", "read_journal"]

JOURNAL = "llm/journal.jsonl"
BALANCE = "balance"


class Asked(NamedTuple):
    """What a question asks, kept or not.

    Attributes:
        topic: Its topic.
        relation: Its relation.
        direction: The end asked for.
    """

    topic: str
    relation: str
    direction: str


def asked_of(
    questions: list[Located], rejections: list[Located], *, balanced: bool
) -> dict[str, Asked]:
    """Question id → what it asks, of all that a model may have been asked about.

    Args:
        questions: All questions.
        rejections: All rejections.
        balanced: Whether balancing may have come after the model: it does once more where questions
            were dropped.
    """
    asked = {}
    stages = (STAGE, BALANCE) if balanced else (STAGE,)
    for here in rejections:
        row = here.row
        if row["stage"] in stages and row["question"]:
            s, r, o = row["removed"]
            topic = s if row["direction"] == "object" else o
            asked[row["question"]] = Asked(topic, r, row["direction"])
    for here in questions:
        row = here.row
        asked[row["id"]] = Asked(row["topic"], row["relation"], row["direction"])
    return asked


def read_journal(folder: Folder, verbalizer: Verbalizer, findings: Findings) -> list[Located]:
    """Checks which files about the model are there, and reads the entries of the right shape."""
    listed = folder.manifest["files"]
    for name in (JOURNAL, PROMPT, GLOSSES):
        if verbalizer.is_model and name not in listed:
            expected = "every file about the language model"
            findings.add(MANIFEST_NAME, None, "layout", f"no {name} in files", expected)
        elif not verbalizer.is_model and name in listed:
            expected = "none where no language model was asked (config.verbalizer.name)"
            findings.add(name, None, "layout", "a file about a language model", expected)
    if not folder.has(JOURNAL):
        return []
    entries = [Located(JOURNAL, line, _slim(row)) for line, row in folder.records(JOURNAL, entry)]
    findings.count("calls of a model", len(entries))
    return entries


def _slim(row: dict[str, Any]) -> dict[str, Any]:
    """An entry without what is not looked at again; what many have in common is held once."""
    del row["request"]
    for field in ("purpose", "model", "prompt_version", "prompt_digest", "finish_reason"):
        if field in row:
            row[field] = sys.intern(row[field])
    row["questions"] = list(map(sys.intern, row["questions"]))
    return row


def check_journal(
    entries: list[Located],
    questions: list[Located],
    rejections: list[Located],
    names: Names,
    prompts: Mapping[str, Prompt],
    glosses: Mapping[str, Gloss],
    verbalizer: Verbalizer,
    findings: Findings,
) -> None:
    """Checks the entries, and the questions against them.

    Args:
        entries: All entries.
        questions: All questions.
        rejections: All rejections.
        names: The tables of names.
        prompts: Purpose → its prompt, of those that can be read.
        glosses: What the relations mean.
        verbalizer: The options.
        findings: Takes the problems.
    """
    if not verbalizer.is_model:
        return
    asked = asked_of(questions, rejections, balanced=verbalizer.drops)
    _check_entries(entries, asked, prompts, verbalizer, findings)
    heard: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for here in entries:
        for question in here.row["questions"]:
            heard[here.row["purpose"], question].append(here.row)
    for here in questions:
        if here.row.get("wording") == "model":
            _check_said(here, heard, names, glosses, verbalizer, findings)
    for here in rejections:
        if here.row["stage"] == STAGE:
            # Each code is of one attempt, and each attempt of one call.
            codes = here.row["detail"].count(", ") + 1
            if (calls := len(heard["question", here.row["question"]])) < codes:
                found = f"{calls} call(s) for a text of {here.row['question']}"
                expected = f"{codes} in {JOURNAL}, one for each code"
                findings.add(here.file, here.line, "journal", found, expected)


def _check_entries(
    entries: list[Located],
    asked: Mapping[str, Asked],
    prompts: Mapping[str, Prompt],
    verbalizer: Verbalizer,
    findings: Findings,
) -> None:
    models = {"question": verbalizer.model}
    if verbalizer.auditor:
        models["audit"] = verbalizer.auditor
    if verbalizer.round_trip:
        models["round_trip"] = verbalizer.model
    if verbalizer.paraphrases:
        models["paraphrase"] = verbalizer.model
    last = ""
    lines: dict[str, int] = {}
    for here in entries:
        row = here.row

        def add(invariant: str, found: object, expected: str, line: int = here.line) -> None:
            findings.add(JOURNAL, line, invariant, shown(found), expected)

        if row["key"] in lines:
            add("entries unique", row["key"], f"not the key of line {lines[row['key']]}")
        elif row["key"] < last:
            add("sorted", row["key"], f"a key after {last}")
        lines.setdefault(row["key"], here.line)
        last = row["key"]
        if row["purpose"] not in models:
            add("purpose", row["purpose"], f"one of {', '.join(models)} (manifest, config)")
        elif row["model"] != models[row["purpose"]]:
            add("model", row["model"], f"{shown(models[row['purpose']])} (manifest, config)")
        if row["questions"] != sorted(set(row["questions"])):
            add("questions sorted", row["questions"], "ids in order, each once")
        if lost := sorted({name for name in row["questions"] if name not in asked}):
            add("questions", lost, f"ids of questions, or of those that stage {STAGE} rejected")
        if (prompt := prompts.get(row["purpose"])) is not None:
            if row["prompt_version"] != prompt.version:
                add("prompt", row["prompt_version"], f"{prompt.version} ({PROMPT})")
            if row["prompt_digest"] != prompt.digest:
                add("prompt", row["prompt_digest"], f"{prompt.digest} ({PROMPT})")


def _check_said(
    here: Located,
    heard: Mapping[tuple[str, str], list[dict[str, Any]]],
    names: Names,
    glosses: Mapping[str, Gloss],
    verbalizer: Verbalizer,
    findings: Findings,
) -> None:
    row, question = here.row, here.row["id"]

    def replies(purpose: str) -> list[tuple[str, str]]:
        return [_said(entry) for entry in heard.get((purpose, question), ())]

    def add(found: str, expected: str) -> None:
        findings.add(here.file, here.line, "journal", found, f"{expected} ({JOURNAL})")

    if (entity := names.entities.get(row["topic"])) is not None:
        name = entity.spelled[verbalizer.naming]
        texts = texts_of(row)
        for purpose, own in (("question", texts[:1]), ("paraphrase", texts[1:])):
            said = {text for reply, _ in replies(purpose) if own for text in texts_said(reply)}
            for text, pieces in own:
                if fold(name.join(pieces)) not in said:
                    found = f"{shown(text)}, in no reply of purpose {purpose} for {question}"
                    add(found, "a text that the model said")
    # Each text was judged in a call of its own.
    count = 1 + len(row["paraphrases"])
    if verbalizer.auditor:
        passed = sum(verdict(*reply) is True for reply in replies("audit"))
        if passed < count:
            add(f"{passed} PASS of the auditor for {question}", f"{count}, one for each text")
    if verbalizer.round_trip:
        end = (row["relation"], row["direction"])
        right = sum(recognised(choice(*reply), *end, glosses) for reply in replies("round_trip"))
        if right < count:
            found = f"{right} round trips of {question} to {row['relation']}, {row['direction']}"
            add(found, f"{count}, one for each text")


def _said(entry: dict[str, Any]) -> tuple[str, str]:
    """Reply and finish reason; a call that failed says nothing that can be read."""
    return entry.get("reply", ""), entry.get("finish_reason", "")


def count_journal(
    entries: list[Located], asked: Mapping[str, Asked], glosses: Mapping[str, Gloss]
) -> dict[str, Any]:
    """The counts of the manifest that come from the journal.

    Args:
        entries: All entries.
        asked: What each question asks, see `asked_of`.
        glosses: What the relations mean.
    """
    calls: dict[str, int] = defaultdict(int)
    tokens = {"prompt": 0, "completion": 0}
    audits = {"passed": 0, "failed": 0, "unreadable": 0}
    trips = {"right": 0, "wrong": 0, "unreadable": 0}
    for here in entries:
        row = here.row
        calls[row["purpose"]] += 1
        for kind in tokens:
            tokens[kind] += row["usage"][f"{kind}_tokens"] if "usage" in row else 0
        if row["purpose"] == "audit":
            passed = verdict(*_said(row))
            audits["unreadable" if passed is None else "passed" if passed else "failed"] += 1
        elif row["purpose"] == "round_trip":
            chosen, query = choice(*_said(row)), asked.get(row["questions"][0])
            right = query is not None and recognised(chosen, *query[1:], glosses)
            trips["unreadable" if chosen is None else "right" if right else "wrong"] += 1
    return {
        "model_calls": dict(sorted(calls.items())),
        "model_tokens": tokens,
        "audits": audits,
        "round_trips": trips,
    }
