"""The tiny release with questions by a language model, its journal written by hand.

As `tests.verify.tiny`; the prompts name entities by their text labels, whatever the release does.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.verify.tiny import (
    MANIFEST,
    NAMES,
    RELATIONS,
    REMOVED,
    read_file,
    tiny_files,
    write_file,
    write_release,
)

JOURNAL, PROMPT, GLOSSES = "llm/journal.jsonl", "llm/prompt.toml", "llm/glosses.toml"

# id, split, topic, patterns
WORDED = [
    (
        "q0",
        "test",
        "Eve O'Hara",
        [
            "Who are the grandparents of {topic}?",
            "Whose grandchild is {topic}?",
            "{topic} has which grandparents?",
        ],
    ),
    ("q2", "train", "Dan Berg", ["To whom is {topic} married as the husband {{today}}?"]),
]

# purpose, question, the place of the text that is judged, reply; None: the call failed
SAID: list[tuple[str, str, int, str | None]] = [
    ("question", "q0", 0, '{"question": "Who are the grandparents of Eve O’Hara?"}'),
    ("audit", "q0", 0, '{"verdict": "PASS", "reason": ""}'),
    ("round_trip", "q0", 0, '{"relation": "grandparent", "direction": "subject"}'),
    (
        "paraphrase",
        "q0",
        0,
        '```json\n{"paraphrases": ["Whose grandchild is Eve O\'Hara?", '
        '"EVE O\'HARA has which grandparents?"]}\n```',
    ),
    ("question", "q1", 0, '{"question": "Is ada married?"}'),
    ("question", "q2", 0, "I cannot help with that."),
    (
        "question",
        "q2",
        0,
        "<think>\nIs it a wife?\n</think>\n“To whom is Dan Berg married as the husband {today}?”",
    ),
    ("question", "q1", 0, "I cannot help with that, either."),
    ("audit", "q2", 0, "PASS"),
    ("question", "q1", 0, None),
    ("round_trip", "q2", 0, "relation: husband; direction: object"),
    ("audit", "q1", 0, '{"verdict": "FAIL", "reason": "wrong end"}'),
    ("audit", "q0", 1, '```\n{"verdict": "PASS", "reason": ""}\n```'),
    ("audit", "q0", 2, "PASS: it agrees."),
    ("round_trip", "q0", 1, '{"relation": "grandparent", "direction": "subject"}'),
    (
        "round_trip",
        "q0",
        2,
        '<think>4?</think> {"relation": "grandparent", "direction": "subject"}',
    ),
    ("paraphrase", "q2", 0, "No."),
]

COUNTS: dict[str, Any] = {
    "rejected": {
        "balance: too many questions with this answer": 1,
        "verbalize: refused_by_endpoint": 1,
    },
    "questions_by_wording": {"template": 0, "model": 2, "fallback": 1},
    "paraphrases": 2,
    "model_calls": {"audit": 5, "paraphrase": 2, "question": 6, "round_trip": 4},
    "model_tokens": {"prompt": 1727, "completion": 160},
    "audits": {"passed": 4, "failed": 1, "unreadable": 0},
    "round_trips": {"right": 4, "wrong": 0, "unreadable": 0},
}

VERBALIZER: dict[str, Any] = {
    "name": "openai",
    "model": "writer",
    "temperature": 0.0,
    "max_tokens": 300,
    "prompt": PROMPT,
    "glosses": GLOSSES,
    "naming": "text",
    "language": "English",
    "attempts": 3,
    "on_failure": "template",
    "judge_model": "judge",
    "round_trip": True,
    "paraphrases": 2,
}


def model_files(naming: str = "entity") -> dict[str, str]:
    """The files of the release but the manifest, as `tests.verify.tiny.tiny_files`."""
    files = tiny_files(naming)
    for _, split, _, patterns in WORDED:
        name = f"questions/{split}.jsonl"
        (row,) = map(json.loads, files[name].splitlines())
        texts = [p.format(topic=row["topic"]) for p in patterns]
        row |= {"question": texts[0], "paraphrases": texts[1:], "patterns": patterns}
        files[name] = jsonl([row | {"wording": "model"}])
    (row,) = map(json.loads, files["questions/validation.jsonl"].splitlines())
    files["questions/validation.jsonl"] = jsonl([row | {"wording": "fallback"}])
    rejection = {
        "stage": "verbalize",
        "reason": "refused_by_endpoint",
        "question": "q1",
        "removed": row["removed"],
        "direction": row["direction"],
        "rule": row["rule"],
        "detail": "template used: audit_failed, refusal, refused_by_endpoint",
    }
    files["rejected.jsonl"] += jsonl([rejection])
    glosses = [f'[{name}]\nsource = "written"\n' for name, _, _ in RELATIONS]
    return files | {
        JOURNAL: jsonl(sorted(model_entries(), key=lambda row: row["key"])),
        PROMPT: '[question]\nversion = 1\nsystem = "Be exact."\n',
        GLOSSES: "".join(glosses),
    }


def model_manifest(options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Its manifest, some options of the verbalizer perhaps others."""
    config = MANIFEST["config"] | {"verbalizer": VERBALIZER | (options or {})}
    return MANIFEST | {"config": config, "counts": MANIFEST["counts"] | COUNTS}


def write_model_release(
    folder: Path, naming: str = "entity", options: dict[str, Any] | None = None
) -> Path:
    """Writes the release with a manifest that fits."""
    return write_release(folder, naming, model_files(naming), model_manifest(options))


def change_entries(folder: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Changes the entries of the journal, which are given in the order of `SAID`."""
    rows = list(map(json.loads, read_file(folder, JOURNAL).splitlines()))
    keys = [entry["key"] for entry in model_entries()]
    rows.sort(key=lambda row: keys.index(row["key"]))
    change(rows)
    write_file(folder, JOURNAL, jsonl(sorted(rows, key=lambda row: row["key"])))


def model_entries() -> list[dict[str, Any]]:
    """The entries of the journal, in the order of `SAID`."""
    return [made_entry(*said, attempt=number) for number, said in enumerate(SAID)]


def made_entry(
    purpose: str, question: str, place: int, reply: str | None, pattern: str = "", attempt: int = 0
) -> dict[str, Any]:
    """An entry.

    Args:
        purpose: What it is for.
        question: The id of its question, ``q3`` being the one that was rejected.
        place: Of the text that is judged.
        reply: What the model says; None: the call failed.
        pattern: That text with ``{topic}``, where it is none of `WORDED`.
        attempt: Tells calls apart.
    """
    names = {row[1]: row[2] for row in NAMES}
    s, r, o = REMOVED[int(question[1])][0].split()
    told = f"Removed Triple: ({names[s]}, {r}, {names[o]})"
    for name, _, topic, patterns in WORDED:
        if name == question and purpose in ("audit", "round_trip"):
            pattern = pattern or patterns[place].replace("{topic}", topic)
    text = pattern.replace("{topic}", names[s if question == "q3" else o])
    text = text.replace("{{", "{").replace("}}", "}")
    request = {
        "model": "judge" if purpose == "audit" else "writer",
        "messages": [
            {"role": "system", "content": "Be exact."},
            {"role": "user", "content": f"{told if purpose != 'round_trip' else ''}\n{text}"},
        ],
        "temperature": 0.0,
        "seed": attempt,
    }
    row = {"key": "", "purpose": purpose, "sample": 0, "request": request, "questions": [question]}
    if reply is None:
        row["failure"] = {"code": "refused", "detail": "400: not this one", "lasting": True}
    else:
        row["reply"] = {"text": reply, "finish_reason": "stop"}
        row["usage"] = {"prompt_tokens": 100 + attempt, "completion_tokens": 10}
    return keyed(row)


def keyed(row: dict[str, Any]) -> dict[str, Any]:
    """An entry with the key that is its own."""
    body = row["request"] | {"sample": row["sample"]}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return row | {"key": hashlib.sha256(text.encode()).hexdigest()}


def jsonl(rows: list[dict[str, Any]]) -> str:
    """Lines of JSON."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
