"""The tiny release with questions by a language model, its journal written by hand.

As `tests.verify.tiny`; the prompts name entities by their text labels, whatever the release does.
"""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulemine.codec import from_json
from rulemine.kg.entity_names import EntityNames
from rulemine.llm.call import Answer, Call, Failure, Reply
from rulemine.llm.journal import line_of
from rulemine.phrasing.glosses import Glosses
from rulemine.release.records import Question
from rulemine.verbalizer.brief import Brief
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Prompts
from rulemine.verbalizer.requests import Calls
from tests.verify.tiny import (
    ASKED,
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

# purpose, questions, reply or code of a failure; which question and text it is the call of, by prompt and
# options: (q0, 1) is the first paraphrase of q0, () any call that does not follow from the release
SAID: list[tuple[str, list[str], str | None, tuple[str, int] | tuple[()]]] = [
    ("question", ["q0"], '{"question": "Who are the grandparents of Eve O’Hara?"}', ("q0", 0)),
    ("audit", ["q0"], '{"verdict": "PASS", "reason": ""}', ("q0", 0)),
    ("round_trip", ["q0"], '{"relation": "grandparent", "direction": "subject"}', ("q0", 0)),
    (
        "paraphrase",
        ["q0"],
        '```json\n{"paraphrases": ["Whose grandchild is Eve O\'Hara?", '
        '"EVE O\'HARA has which grandparents?"]}\n```',
        ("q0", 0),
    ),
    ("question", ["q1"], '{"question": "Is ada married?"}', ("q1", 0)),
    ("question", ["q1", "q2"], "I cannot help with that.", ("q2", 0)),
    (
        "question",
        ["q2"],
        "<think>\nIs it a wife?\n</think>\n“To whom is Dan Berg married as the husband {today}?”",
        (),
    ),
    ("audit", ["q2"], '{"verdict": "PASS", "reason": "right end"}', ()),
    ("audit", ["q2"], "PASS", ("q2", 0)),
    ("round_trip", ["q2"], '{"relation": "wife", "direction": "object"}', ()),
    ("round_trip", ["q2"], '{"relation": "husband", "direction": "object"}', ("q2", 0)),
    ("question", ["q1"], None, ()),
    ("audit", ["q0"], '```\n{"verdict": "PASS", "reason": ""}\n```', ("q0", 1)),
    ("audit", ["q0"], "PASS: it agrees.", ("q0", 2)),
    ("round_trip", ["q0"], '{"relation": "grandparent", "direction": "subject"}', ("q0", 1)),
    (
        "round_trip",
        ["q0"],
        '<think>4?</think> {"relation": "grandparent", "direction": "subject"}',
        ("q0", 2),
    ),
    ("audit", ["q1"], "Maybe.", ()),
    ("paraphrase", ["q2"], "No.", ("q2", 0)),
    ("audit", ["q1"], '{"verdict": "FAIL", "reason": "wrong end"}', ()),
]

COUNTS: dict[str, Any] = {
    "rejected": {
        "balance: too many questions with this answer": 1,
        "verbalize: refused_by_endpoint": 1,
    },
    "questions_by_wording": {"template": 0, "model": 2, "fallback": 1},
    "paraphrases": 2,
    "model_calls": {"audit": 7, "paraphrase": 2, "question": 5, "round_trip": 5},
    "model_tokens": {"prompt": 1960, "completion": 180},
    "audits": {"passed": 5, "failed": 1, "unreadable": 1},
    "round_trips": {"right": 4, "wrong": 1, "unreadable": 0},
}

SYSTEMS = {
    "question": "Be exact.",
    "audit": "",
    "round_trip": "Which?",
    "paraphrase": "Be patient.",
}

_PROMPTS = """\
[names]
private = "codes"
entity = "ids"
text = "labels"
numeric = "numbers"

[question]
system = "Be exact."
user = '''
Ask {answer} about {topic}, {names}: {asked}.
{context}
{earlier}
In {language}.'''
context = "{fact}"
earlier = "{text}: {reason}"

[audit]
system = ""
user = '''
PASS or FAIL? {question}
 {context}
{subject} {relation} {object}: {meaning}'''
context = "{fact}"

[round_trip]
system = "Which?"
user = '''
{question} {{
{relations}
}}'''
relation = "{relation}: {statement}"

[paraphrase]
system = "Be patient."
user = '''
{questions}
{count} times again, “{topic}”.'''
question = "- {text}"
context = "{fact}"
earlier = "{text}"

[gloss]
system = ""
user = "{relation}?"
sample = "{subject}"
earlier = "{text}"
"""

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
        "detail": "template used: audit_failed, refusal, refused_by_endpoint",
    }
    files["rejected.jsonl"] += _jsonl([rejection])
    return files | {
        JOURNAL: _jsonl(sorted(model_entries(), key=lambda row: row["key"])),
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
    keys = [entry["key"] for entry in model_entries()]
    rows.sort(key=lambda row: keys.index(row["key"]))
    change(rows)
    write_file(folder, JOURNAL, _jsonl(sorted(rows, key=lambda row: row["key"])))


def model_entries() -> list[dict[str, Any]]:
    """The entries of the journal, in the order of `SAID`."""
    entries = []
    for number, (purpose, questions, reply, follows) in enumerate(SAID):
        call = made_call(purpose, *follows) if follows else other_call(purpose, number)
        answer: Answer = Failure("refused", "400: not this one", True)
        if reply is not None:
            answer = Reply(reply, "stop", 100 + number, 10)
        row = {**line_of(call, answer), "questions": questions}
        entries.append(row)
    return entries


def other_call(purpose: str, number: int) -> Call:
    """Any call of a purpose."""
    system, user = SYSTEMS[purpose], f"{number}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return Call("judge" if purpose == "audit" else "writer", messages, purpose=purpose)


def made_call(purpose: str, question: str, place: int, pattern: str = "") -> Call:
    """The call as the builder makes it, which the verifier has to come to on its own.

    Args:
        purpose: What it is for.
        question: The id of the question, ``q3`` being the one that was rejected.
        place: Of the text that it is about.
        pattern: That text with ``{topic}``, where it is none of `WORDED`.
    """
    glosses = Glosses.from_toml("".join(map(_gloss, RELATIONS)))
    tables = tomllib.loads(_PROMPTS)
    prompts = Prompts(_PROMPTS, {p: tables[p] for p in (*SYSTEMS, "gloss")}, tables["names"])
    calls = Calls(prompts, VerbalizerSection(**VERBALIZER), 0, glosses)
    brief = _brief(question, glosses)
    patterns = {q: texts for q, _, texts in WORDED}.get(question, [pattern])
    text = (pattern or patterns[place]).format(topic=brief.topic_name)
    if purpose == "question":
        return calls.question(brief, ())
    if purpose == "paraphrase":
        return calls.paraphrase(brief, [text], VERBALIZER["paraphrases"], ())
    return calls.audit(brief, text) if purpose == "audit" else calls.round_trip(brief, text)


def _brief(question: str, glosses: Glosses) -> Brief:
    names = {row[1]: EntityNames(*row) for row in NAMES}
    place, direction = [*((row[0], row[3]) for row in ASKED), (3, "object")][int(question[1])]
    s, r, o = REMOVED[place][0].split()
    topic, answer = (s, o) if direction == "object" else (o, s)
    split = next((row[1] for row in ASKED if row[0] == place), "test")
    (row,) = map(json.loads, tiny_files()[f"questions/{split}.jsonl"].splitlines())
    row |= {"id": question, "removed": [s, r, o], "relation": r, "direction": direction}
    return Brief(
        question=from_json(Question, row, question),
        naming="text",
        topic=names[topic],
        hard_answer=names[answer],
        answers=(),
        removed=(names[s].text, r, names[o].text),
        gloss=glosses[r],
        context=(),
    )


def _gloss(relation: tuple[str, int, int]) -> str:
    name = relation[0]
    return (
        f'[{name}]\nstatement = "{{subject}} is the {name} of {{object}}"\n'
        f'subjects = "the {name}s of {{topic}}"\nobjects = "whose {name} {{topic}} is"\n'
        'source = "written"\n'
    )


def _jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
