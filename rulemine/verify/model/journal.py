"""The journal of a language model, call by call.

Checks that the files of the model exist exactly if a model verbalized the questions; and that calls are well
formed, unique and sorted by key, the digest of the request; have models and purposes of the options; and are
about questions of the release, each of which has its removed triple in the request.
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
    """What a question asks, accepted or rejected.

    Attributes:
        relation: Its relation.
        triple: Its removed triple, as prompts state it; empty if an end has no names.
        texts: Its texts by the model, in the naming of the prompts.
    """

    relation: str
    triple: str
    texts: Sequence[str]


class Entry(NamedTuple):
    """A call of the journal.

    Attributes:
        purpose: The purpose.
        questions: The ids of the questions it was made for.
        quoted: Question id and index of each text that a judge or a round-trip check is shown.
        reply: The text of the reply; empty if the call failed.
        finish_reason: The finish reason, likewise.
        failure: The failure code; empty if there is a reply.
        tokens: Tokens sent and received.
    """

    purpose: str
    questions: Sequence[str]
    quoted: Sequence[tuple[str, int]]
    reply: str
    finish_reason: str
    failure: str
    tokens: tuple[int, int]


def asked_of(
    questions: list[Located], rejections: list[Located], names: Names, verbalizer: VerbalizerConfig
) -> dict[str, Query]:
    """Question id → what it asks, for every question that the model may have been asked about."""
    # When questions without a text are dropped, the rest is balanced again.
    stages = (STAGE, "balance") if verbalizer.drops else (STAGE,)
    rows = {h.row["question"]: h.row for h in rejections if h.row["stage"] in stages}
    rows |= {here.row["id"]: here.row for here in questions}
    asked = {}
    for question, row in rows.items():
        s, r, o = row["removed"]
        ends = [names.entities[e].spelled[verbalizer.naming] for e in (s, o) if e in names.entities]
        triple, texts = "", []
        if len(ends) == 2:
            triple = f"({ends[0]}, {r}, {ends[1]})"
            topic = ends[row["direction"] == "subject"]
            if row.get("wording") == "model":
                texts = [topic.join(pieces) for _, pieces in texts_of(row)]
        asked[question] = Query(r, triple, texts)
    return asked


def check_layout(folder: Folder, verbalizer: VerbalizerConfig, findings: Findings) -> None:
    """Checks which files of the model exist."""
    listed = folder.manifest["files"]
    for name in (JOURNAL, PROMPT, GLOSSES):
        if verbalizer.is_model and name not in listed:
            expected = "every file of the language model"
            findings.add(MANIFEST_NAME, None, "layout", f"no {name} in files", expected)
        elif not verbalizer.is_model and name in listed:
            expected = "no such file without a language model (config.verbalizer.name)"
            findings.add(name, None, "layout", "a file of a language model", expected)
    for name in filter(folder.has, (PROMPT, GLOSSES)):
        try:
            tomllib.loads(folder.text(name))
        except (ValueError, RecursionError) as problem:
            findings.add(name, None, "record", shown(str(problem)), "TOML")


def read_journal(
    folder: Folder, asked: Mapping[str, Query], verbalizer: VerbalizerConfig, findings: Findings
) -> list[Entry]:
    """Reads the calls of the right shape and checks each."""
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
    """Yields invariant, found and expected."""
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
            yield "questions", question, f"a question, or one rejected by stage {STAGE}"
        elif row["purpose"] != "round_trip" and asked[question].triple not in prompt:
            yield "request", prompt, f"{asked[question].triple}, the removed triple of {question}"


def count_journal(entries: list[Entry]) -> dict[str, Any]:
    """The counts of the manifest from the journal; those of verdicts as they are without a model."""
    sent, received = (sum(here.tokens[i] for here in entries) for i in (0, 1))
    return {
        "model_calls": dict(sorted(Counter(here.purpose for here in entries).items())),
        "model_tokens": {"prompt": sent, "completion": received},
        "audits": {"passed": 0, "failed": 0, "unreadable": 0},
        "round_trips": {"right": 0, "wrong": 0, "unreadable": 0},
    }
