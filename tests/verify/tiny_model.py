"""The tiny release with questions by a language model, its journal written by hand.

As `tests.verify.tiny`; the prompts name entities by their text labels, whatever the release does.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.verify.tiny import MANIFEST, RELATIONS, read_file, tiny_files, write_file, write_release

JOURNAL, PROMPT, GLOSSES = "llm/journal.jsonl", "llm/prompt.toml", "llm/glosses.toml"

# id, split, patterns
WORDED = [
    (
        "q0",
        "test",
        [
            "Who are the grandparents of {topic}?",
            "Whose grandchild is {topic}?",
            "{topic} has which grandparents?",
        ],
    ),
    ("q2", "train", ["To whom is {topic} married as the husband {{today}}?"]),
]

# purpose, questions, reply or code of a failure
SAID = [
    ("question", ["q0"], '{"question": "Who are the grandparents of Eve O’Hara?"}'),
    ("audit", ["q0"], '{"verdict": "PASS", "reason": ""}'),
    ("round_trip", ["q0"], '{"relation": "grandparent", "direction": "subject"}'),
    (
        "paraphrase",
        ["q0"],
        '```json\n{"paraphrases": ["Whose grandchild is Eve O\'Hara?", '
        '"EVE O\'HARA has which grandparents?"]}\n```',
    ),
    ("question", ["q1"], '{"question": "Is ada married?"}'),
    ("question", ["q1", "q2"], "I cannot help with that."),
    (
        "question",
        ["q2"],
        "<think>\nIs it a wife?\n</think>\n“To whom is Dan Berg married as the husband {today}?”",
    ),
    ("audit", ["q2"], '{"verdict": "FAIL", "reason": "wrong end"}'),
    ("audit", ["q2"], "PASS"),
    ("round_trip", ["q2"], '{"relation": "wife", "direction": "object"}'),
    ("round_trip", ["q2"], '{"relation": "husband", "direction": "object"}'),
    ("question", ["q1"], None),
    ("audit", ["q0"], '```\n{"verdict": "PASS", "reason": ""}\n```'),
    ("audit", ["q0"], "PASS: it agrees."),
    ("round_trip", ["q0"], '{"relation": "grandparent", "direction": "subject"}'),
    ("round_trip", ["q0"], '<think>4?</think> {"relation": "grandparent", "direction": "subject"}'),
    ("audit", ["q1"], "Maybe."),
]

COUNTS: dict[str, Any] = {
    "rejected": {
        "balance: too many questions with this answer": 1,
        "verbalize: refused_by_endpoint": 1,
    },
    "questions_by_wording": {"template": 0, "model": 2, "fallback": 1},
    "paraphrases": 2,
    "model_calls": {"audit": 6, "paraphrase": 1, "question": 5, "round_trip": 5},
    "model_tokens": {"prompt": 1725, "completion": 160},
    "audits": {"passed": 4, "failed": 1, "unreadable": 1},
    "round_trips": {"right": 4, "wrong": 1, "unreadable": 0},
}

VERSIONS = {"question": 1, "audit": 2, "round_trip": 1, "paraphrase": 3}

_PROMPTS = """\
[names]
text = "labels"

[question]
version = 1
system = "Be exact."
user = "Ask: {topic}, {names}"

[audit]
version = 2
user = "PASS or FAIL? {names}"

[round_trip]
version = 1
user = "Which?"

[paraphrase]
version = 3
user = "Again, “{topic}”."
"""

DIGESTS = {
    purpose: hashlib.sha256(text.encode()).hexdigest()
    for purpose, text in {
        "question": '[["names.text", "labels"], ["system", "Be exact."], ["user", "Ask: {topic}, {names}"]]',
        "audit": '[["names.text", "labels"], ["user", "PASS or FAIL? {names}"]]',
        "round_trip": '[["user", "Which?"]]',
        "paraphrase": '[["user", "Again, “{topic}”."]]',
    }.items()
}

VERBALIZER: dict[str, Any] = {
    "name": "openai",
    "model": "writer",
    "temperature": 0.0,
    "max_tokens": 300,
    "prompt": "",
    "glosses": "",
    "naming": "text",
    "language": "English",
    "attempts": 3,
    "on_failure": "template",
    "auditor_model": "judge",
    "round_trip": True,
    "paraphrases": 2,
}


def model_files(naming: str = "entity") -> dict[str, str]:
    """The files of the release but the manifest, as `tests.verify.tiny.tiny_files`."""
    files = tiny_files(naming)
    for _, split, patterns in WORDED:
        name = f"questions/{split}.jsonl"
        (row,) = map(json.loads, files[name].splitlines())
        texts = [p.format(topic=row["topic"]) for p in patterns]
        row |= {"question": texts[0], "paraphrases": texts[1:], "patterns": patterns}
        files[name] = _jsonl([row | {"wording": "model"}])
    (row,) = map(json.loads, files["questions/validation.jsonl"].splitlines())
    files["questions/validation.jsonl"] = _jsonl([row | {"wording": "fallback"}])
    rejection = {
        "stage": "verbalize",
        "reason": "refused_by_endpoint",
        "question": "q1",
        "removed": row["removed"],
        "direction": row["direction"],
        "rule": row["rule"],
        "detail": "template used: topic_missing, refusal, refused_by_endpoint",
    }
    files["rejected.jsonl"] += _jsonl([rejection])
    return files | {
        JOURNAL: _jsonl(sorted(map(_entry, range(len(SAID))), key=lambda row: row["key"])),
        PROMPT: _PROMPTS,
        GLOSSES: "".join(map(_gloss, RELATIONS)),
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
    rows.sort(key=lambda row: int(row["request"], 16))
    change(rows)
    write_file(folder, JOURNAL, _jsonl(sorted(rows, key=lambda row: row["key"])))


def _entry(number: int) -> dict[str, Any]:
    purpose, questions, reply = SAID[number]
    row: dict[str, Any] = {
        "key": hashlib.sha256(str(number).encode()).hexdigest(),
        "purpose": purpose,
        "model": "judge" if purpose == "audit" else "writer",
        "prompt_version": f"{purpose}/{VERSIONS[purpose]}",
        "prompt_digest": DIGESTS[purpose],
        "request": f"{number:064x}",
        "questions": questions,
    }
    if reply is None:
        failure = {"code": "refused", "detail": "400: not this one", "lasting": True}
        return row | {"failure": failure}
    usage = {"prompt_tokens": 100 + number, "completion_tokens": 10}
    return row | {"reply": reply, "finish_reason": "stop", "usage": usage}


def _gloss(relation: tuple[str, int, int]) -> str:
    name = relation[0]
    return (
        f'[{name}]\nstatement = "{{subject}} is the {name} of {{object}}"\n'
        f'subjects = "the {name}s of {{topic}}"\nobjects = "whose {name} {{topic}} is"\n'
        'source = "written"\n'
    )


def _jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
