"""The journal of a language model, entry by entry.

Checks that the files about the model are there exactly where a model put the questions into words; and that
entries are whole, unique and sorted by key, which is the digest of what was asked; of the models and purposes
of the options; about questions of the release; and told the removed triple of each of them.
"""

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.model.fallbacks import STAGE
from rulemine.verify.names import Names
from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import entry as entry_shape
from rulemine.verify.wording import GLOSSES, PROMPT, VerbalizerConfig, texts_of

__all__ = ["JOURNAL", "Entry", "Query", "asked_of", "check_layout", "count_journal", "read_journal"]

JOURNAL = "llm/journal.jsonl"


class Query(NamedTuple):
    """What a question asks, kept or not.

    Attributes:
        relation: Its relation.
        told: How prompts tell its removed triple; empty where an end has no names.
        texts: Its texts by the model, as prompts name its topic.
    """

    relation: str
    told: str
    texts: Sequence[str]


class Entry(NamedTuple):
    """A call of the journal.

    Attributes:
        purpose: What it was for.
        questions: The ids of the questions that it was asked for.
        quoted: Those of them, and the places of their texts, that an audit or a round trip quotes.
        reply: What the model said; empty where the call failed.
        ended: The finish reason, likewise.
        failure: Why there is no reply; empty where there is one.
        tokens: Sent and received.
    """

    purpose: str
    questions: Sequence[str]
    quoted: Sequence[tuple[str, int]]
    reply: str
    ended: str
    failure: str
    tokens: tuple[int, int]


def asked_of(
    questions: list[Located], rejections: list[Located], names: Names, verbalizer: VerbalizerConfig
) -> dict[str, Query]:
    """Question id → what it asks, of all that the model may have been asked about."""
    # Where questions are dropped for want of a text, the rest is balanced once more.
    stages = (STAGE, "balance") if verbalizer.drops else (STAGE,)
    rows = {h.row["question"]: h.row for h in rejections if h.row["stage"] in stages}
    rows |= {here.row["id"]: here.row for here in questions}
    asked = {}
    for question, row in rows.items():
        s, r, o = row["removed"]
        ends = [names.entities[e].spelled[verbalizer.naming] for e in (s, o) if e in names.entities]
        told, texts = "", []
        if len(ends) == 2:
            told = f"({ends[0]}, {r}, {ends[1]})"
            topic = ends[row["direction"] == "subject"]
            if row.get("wording") == "model":
                texts = [topic.join(pieces) for _, pieces in texts_of(row)]
        asked[question] = Query(r, told, texts)
    return asked


def check_layout(folder: Folder, verbalizer: VerbalizerConfig, findings: Findings) -> None:
    """Checks which files about the model are there."""
    listed = folder.manifest["files"]
    for name in (JOURNAL, PROMPT, GLOSSES):
        if verbalizer.is_model and name not in listed:
            expected = "every file about the language model"
            findings.add(MANIFEST_NAME, None, "layout", f"no {name} in files", expected)
        elif not verbalizer.is_model and name in listed:
            expected = "none where no language model was asked (config.verbalizer.name)"
            findings.add(name, None, "layout", "a file about a language model", expected)
    for name in filter(folder.has, (PROMPT, GLOSSES)):
        try:
            tomllib.loads(folder.text(name))
        except (ValueError, RecursionError) as problem:
            findings.add(name, None, "record", shown(str(problem)), "TOML")


def read_journal(
    folder: Folder, asked: Mapping[str, Query], verbalizer: VerbalizerConfig, findings: Findings
) -> list[Entry]:
    """Reads the entries of the right shape, and notes what is wrong with each."""
    entries: list[Entry] = []
    last = ""
    for line, row in folder.records(JOURNAL, entry_shape) if folder.has(JOURNAL) else ():
        prompt = "\n".join(str(m.get("content")) for m in row["request"]["messages"])
        for invariant, found, expected in _problems(row, prompt, last, asked, verbalizer):
            findings.add(JOURNAL, line, invariant, shown(found), expected)
        last = row["key"]
        reply, usage = row.get("reply", {}), row.get("usage", {})
        quoted = [
            (question, place)
            for question in row["questions"]
            if question in asked and row["purpose"] in verbalizer.judges
            for place, text in enumerate(asked[question].texts)
            if text in prompt
        ]
        tokens = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
        failure = row["failure"]["code"] if "failure" in row else ""
        said = reply.get("text", ""), reply.get("finish_reason", "")
        entries.append(Entry(row["purpose"], row["questions"], quoted, *said, failure, tokens))
    findings.count("calls of a model", len(entries))
    return entries


def _problems(
    row: dict[str, Any],
    prompt: str,
    last: str,
    asked: Mapping[str, Query],
    verbalizer: VerbalizerConfig,
) -> Iterator[tuple[str, object, str]]:
    """Yields the invariant, what was found and what was expected."""
    body = {**row["request"], "sample": row["sample"]}
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    if row["key"] != digest:
        yield "key", row["key"], f"{digest}, of request and sample"
    if row["key"] <= last:
        yield "sorted", row["key"], f"a key after {last}"
    models = verbalizer.models
    if (model := models.get(row["purpose"])) is None:
        yield "purpose", row["purpose"], f"one of {', '.join(models)} (manifest, config)"
    elif row["request"]["model"] != model:
        yield "model", row["request"]["model"], f"{shown(model)} (manifest, config)"
    if row["questions"] != sorted(set(row["questions"])):
        yield "questions sorted", row["questions"], "ids in order, each once"
    for question in row["questions"]:
        if question not in asked:
            yield "questions", question, f"a question, or one that stage {STAGE} rejected"
        elif row["purpose"] != "round_trip" and asked[question].told not in prompt:
            yield "request", prompt, f"{asked[question].told}, the removed triple of {question}"


def count_journal(entries: list[Entry]) -> dict[str, Any]:
    """The counts of the manifest that come from the journal; those of judgements where there are none."""
    sent, received = (sum(here.tokens[i] for here in entries) for i in (0, 1))
    return {
        "model_calls": dict(sorted(Counter(here.purpose for here in entries).items())),
        "model_tokens": {"prompt": sent, "completion": received},
        "audits": {"passed": 0, "failed": 0, "unreadable": 0},
        "round_trips": {"right": 0, "wrong": 0, "unreadable": 0},
    }
