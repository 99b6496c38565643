"""The journal of a language model: its entries, one by one, and what is counted of them.

Checks that the three files about the model are there exactly where a model put the questions into words; and
that entries are whole, unique and sorted by key, of the models and purposes of the options, with the
system messages of the prompts, and about questions of the release. What they have to do with the questions
is for `conversations`.
"""

import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.model.fallbacks import STAGE
from rulemine.verify.model.prompts import GLOSSES, PROMPT, Gloss, recognised
from rulemine.verify.model.replies import choice, verdict
from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import entry as entry_shape
from rulemine.verify.wording import Verbalizer

__all__ = [
    "BALANCE",
    "JOURNAL",
    "Entry",
    "Query",
    "asked_of",
    "check_entries",
    "count_journal",
    "read_journal",
]

JOURNAL = "llm/journal.jsonl"
BALANCE = "balance"


class Query(NamedTuple):
    """What a question asks, kept or not.

    Attributes:
        relation: Its relation.
        direction: The end asked for.
    """

    relation: str
    direction: str


class Entry(NamedTuple):
    """A call of the journal.

    Attributes:
        line: Its line.
        key: SHA-256 of what was asked.
        asked: The same, of the request as it stands in the line.
        purpose: What it was for.
        model: Who was asked.
        system: The first message.
        questions: The ids of the questions that it was asked for.
        reply: What the model said; empty where the call failed.
        ended: The finish reason, likewise.
        failure: Why there is no reply; empty where there is one.
        tokens: Sent and received.
    """

    line: int
    key: bytes
    asked: bytes
    purpose: str
    model: str
    system: str
    questions: tuple[str, ...]
    reply: str
    ended: str
    failure: str
    tokens: tuple[int, int]


def asked_of(
    questions: list[Located], rejections: list[Located], *, balanced: bool
) -> dict[str, Query]:
    """Question id → what it asks, of all that a model may have been asked about.

    Args:
        questions: All questions.
        rejections: All rejections.
        balanced: Whether balancing may have come after the model: it does once more where questions
            were dropped.
    """
    stages = (STAGE, BALANCE) if balanced else (STAGE,)
    rows = {
        here.row["question"]: here.row
        for here in rejections
        if here.row["stage"] in stages and here.row["question"]
    }
    rows |= {here.row["id"]: here.row for here in questions}
    return {question: Query(row["removed"][1], row["direction"]) for question, row in rows.items()}


def read_journal(folder: Folder, verbalizer: Verbalizer, findings: Findings) -> list[Entry]:
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
    entries = [_entry(line, row) for line, row in folder.records(JOURNAL, entry_shape)]
    findings.count("calls of a model", len(entries))
    return entries


def _entry(line: int, row: dict[str, Any]) -> Entry:
    """An entry in little memory: what many have in common is held once."""
    usage, reply, request = row.get("usage", {}), row.get("reply", {}), row["request"]
    asked = {**request, "sample": row["sample"]}
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return Entry(
        line,
        bytes.fromhex(row["key"]),
        hashlib.sha256(text.encode()).digest(),
        sys.intern(row["purpose"]),
        sys.intern(request["model"]),
        sys.intern(request["messages"][0]["content"]),
        tuple(map(sys.intern, row["questions"])),
        reply.get("text", ""),
        sys.intern(reply.get("finish_reason", "")),
        sys.intern(row["failure"]["code"] if "failure" in row else ""),
        (usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)),
    )


def check_entries(
    entries: list[Entry],
    asked: Mapping[str, Query],
    prompts: Mapping[str, str],
    verbalizer: Verbalizer,
    findings: Findings,
) -> None:
    """Checks the entries one by one.

    Args:
        entries: All entries.
        asked: What each question asks, see `asked_of`.
        prompts: Purpose → its system message, of those that can be read.
        verbalizer: The options.
        findings: Takes the problems.
    """
    models = {"question": verbalizer.model}
    if verbalizer.judge:
        models["audit"] = verbalizer.judge
    if verbalizer.round_trip:
        models["round_trip"] = verbalizer.model
    if verbalizer.paraphrases:
        models["paraphrase"] = verbalizer.model
    last = b""
    lines: dict[bytes, int] = {}
    for here in entries:

        def add(invariant: str, found: object, expected: str, line: int = here.line) -> None:
            findings.add(JOURNAL, line, invariant, shown(found), expected)

        if here.key in lines:
            add("entries unique", here.key.hex(), f"not the key of line {lines[here.key]}")
        elif here.key < last:
            add("sorted", here.key.hex(), f"a key after {last.hex()}")
        lines.setdefault(here.key, here.line)
        last = here.key
        if here.purpose not in models:
            add("purpose", here.purpose, f"one of {', '.join(models)} (manifest, config)")
        elif here.model != models[here.purpose]:
            add("model", here.model, f"{shown(models[here.purpose])} (manifest, config)")
        if list(here.questions) != sorted(set(here.questions)):
            add("questions sorted", list(here.questions), "ids in order, each once")
        if lost := sorted({name for name in here.questions if name not in asked}):
            add("questions", lost, f"ids of questions, or of those that stage {STAGE} rejected")
        if here.asked != here.key:
            add("key", here.key.hex(), f"{here.asked.hex()}, the SHA-256 of request and sample")
        if here.system != prompts.get(here.purpose, here.system):
            add("prompt", here.system, f"the system message of [{here.purpose}] ({PROMPT})")


def count_journal(
    entries: list[Entry], asked: Mapping[str, Query], glosses: Mapping[str, Gloss]
) -> dict[str, Any]:
    """The counts of the manifest that come from the journal.

    Args:
        entries: All entries.
        asked: What each question asks, see `asked_of`.
        glosses: What the relations mean.
    """
    calls: dict[str, int] = defaultdict(int)
    audits = {"passed": 0, "failed": 0, "unreadable": 0}
    trips = {"right": 0, "wrong": 0, "unreadable": 0}
    for here in entries:
        calls[here.purpose] += 1
        if here.purpose == "audit":
            passed = verdict(here.reply, here.ended)
            audits["unreadable" if passed is None else "passed" if passed else "failed"] += 1
        elif here.purpose == "round_trip":
            said, query = choice(here.reply, here.ended), asked.get(here.questions[0])
            right = query is not None and recognised(said, query.relation, query.direction, glosses)
            trips["unreadable" if said is None else "right" if right else "wrong"] += 1
    sent, received = (sum(here.tokens[i] for here in entries) for i in (0, 1))
    return {
        "model_calls": dict(sorted(calls.items())),
        "model_tokens": {"prompt": sent, "completion": received},
        "audits": audits,
        "round_trips": trips,
    }
