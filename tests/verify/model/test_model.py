"""Releases in the words of a language model, tampered with: a change, and the fault it must be named as."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulemine.verify import verify
from tests.verify.model.tiny_model import (
    JOURNAL,
    PROMPT,
    SAID,
    change_entries,
    keyed,
    write_model_release,
)
from tests.verify.tampering import Tampering, edited, line_out, put, replaced, tampered
from tests.verify.tiny import read_file, write_file

QUESTION, TRAIN, FALLBACK = (f"questions/{name}.jsonl" for name in ("test", "train", "validation"))


@pytest.mark.parametrize("naming", ["private", "entity", "text", "numeric"])
def test_a_valid_release_has_no_problem_in_any_naming(tmp_path: Path, naming: str) -> None:
    report = verify(write_model_release(tmp_path, naming))
    assert report.problems == ()
    assert report.ok
    assert report.checked["calls of a model"] == len(SAID)


def said(number: int, reply: str) -> Tampering:
    """Another reply in an entry."""
    return lambda folder: change_entries(
        folder, lambda rows: rows[number]["reply"].update(text=reply)
    )


def entry(number: int, *keys: str | int, to: Any) -> Tampering:
    """Another value in an entry."""
    return lambda folder: change_entries(folder, lambda rows: put(*keys, to=to)(rows[number]))


def asked(number: int, *keys: str | int, to: Any) -> Tampering:
    """Another value in an entry, and the key that fits."""

    def change(rows: list[dict[str, Any]]) -> None:
        put(*keys, to=to)(rows[number])
        rows[number] = keyed(rows[number])

    return lambda folder: change_entries(folder, change)


def one_more(number: int, **changes: Any) -> Tampering:
    """An entry like another one, of another sample."""
    return lambda folder: change_entries(
        folder, lambda rows: rows.append(keyed(rows[number] | {"sample": 1} | changes))
    )


def forgotten(number: int) -> Tampering:
    """An entry less."""
    return lambda folder: change_entries(folder, lambda rows: rows.pop(number))


def verbalized(pattern: str, *, place: int = 0, file: str = QUESTION) -> Tampering:
    """Another text of the model, with its pattern, and said in the journal."""

    def tamper(folder: Path) -> None:
        (row,) = map(json.loads, read_file(folder, file).splitlines())
        row["patterns"][place] = pattern
        texts = [p.format(topic=row["topic"]) for p in row["patterns"]]
        row |= {"question": texts[0], "paraphrases": texts[1:]}
        write_file(folder, file, json.dumps(row) + "\n")
        name = {QUESTION: "Eve O'Hara", TRAIN: "Dan Berg"}[file]
        reply = json.dumps({"question": pattern.format(topic=name)})
        number = {(QUESTION, 0): 0, (QUESTION, 1): 3, (QUESTION, 2): 3, (TRAIN, 0): 6}[file, place]
        if place:
            reply = json.dumps([text.format(topic=name) for text in row["patterns"][1:]])
        said(number, reply)(folder)

    return tamper


def journal_lines(change: Callable[[list[str]], list[str]]) -> Tampering:
    """The lines of the journal changed as they stand."""

    def tamper(folder: Path) -> None:
        lines = change(read_file(folder, JOURNAL).splitlines(keepends=True))
        write_file(folder, JOURNAL, "".join(lines))

    return tamper


REJECTED = "rejected.jsonl"
KEPT = "template used: audit_failed, refusal"

# what is done; in which file the contents tell, at which line, and by which invariant
TAMPERINGS = {
    "a text edited": (
        edited(QUESTION, 1, put("question", to="Who might be the grandparents of eve?")),
        (QUESTION, 1, "text is its pattern"),
    ),
    "a pattern edited": (
        edited(QUESTION, 1, put("patterns", 0, to="Who are grandparents of {topic}?")),
        (QUESTION, 1, "text is its pattern"),
    ),
    "a lone brace": (
        edited(QUESTION, 1, put("patterns", 0, to="Who are the {grandparents} of {topic}?")),
        (QUESTION, 1, "patterns"),
    ),
    "a pattern too few": (
        edited(QUESTION, 1, put("patterns", to=["Who are the grandparents of {topic}?"])),
        (QUESTION, 1, "patterns"),
    ),
    "a paraphrase that is the question": (
        verbalized("who are the  GRANDPARENTS of {topic}?", place=1),
        (QUESTION, 1, "paraphrases"),
    ),
    "a text that gives the answer away": (
        verbalized("Who else but Ben are the grandparents of {topic}?"),
        (QUESTION, 1, "text hides the answers"),
    ),
    "a paraphrase that gives the answer away in another naming": (
        verbalized("Whose grandchild is {topic}, not Ada, the elder, but who?", place=1),
        (QUESTION, 1, "text hides the answers"),
    ),
    "two questions": (
        verbalized("Who is {topic}? Who are the grandparents?"),
        (QUESTION, 1, "text of a model"),
    ),
    "a triple": (
        verbalized("Who is in ?x -> grandparent -> {topic}?"),
        (QUESTION, 1, "text of a model"),
    ),
    "a template among the model's": (
        edited(FALLBACK, 1, put("wording", to="template")),
        (FALLBACK, 1, "wording"),
    ),
    "a template with patterns": (
        edited(FALLBACK, 1, put("patterns", to=["Who is the husband of {topic}?"])),
        (FALLBACK, 1, "wording"),
    ),
    "a template that is none": (
        edited(FALLBACK, 1, put("question", to="Who married ada as the husband?")),
        (FALLBACK, 1, "text is the template"),
    ),
    "a template of the table edited": (
        replaced("relations.tsv", "Who is the husband of {topic}?", "Who is the {topic} {?"),
        ("relations.tsv", 3, "template"),
    ),
    "a rejection forgotten": (
        line_out(REJECTED, 2),
        (FALLBACK, 1, "rejected text"),
    ),
    "a rejection twice": (
        lambda folder: write_file(
            folder,
            REJECTED,
            read_file(folder, REJECTED) + read_file(folder, REJECTED).splitlines(keepends=True)[1],
        ),
        (REJECTED, 3, "rejected text"),
    ),
    "a rejection of another text": (
        edited(REJECTED, 2, put("question", to="q0")),
        (REJECTED, 2, "rejected text"),
    ),
    "a question said to be dropped": (
        edited(REJECTED, 2, put("detail", to="dropped: topic_missing, refused_by_endpoint")),
        (REJECTED, 2, "rejected text"),
    ),
    "an unknown code": (
        edited(REJECTED, 2, put("detail", to="template used: ugly, refused_by_endpoint")),
        (REJECTED, 2, "rejected text"),
    ),
    "a reason that is not the last": (
        edited(REJECTED, 2, put("reason", to="topic_missing")),
        (REJECTED, 2, "rejected text"),
    ),
    "a text that the model did not say": (
        said(0, '{"question": "Who, then, are the grandparents of Eve O\'Hara?"}'),
        (QUESTION, 1, "journal"),
    ),
    "a paraphrase that the model did not say": (
        said(3, '{"questions": ["Whose grandchild is Eve O\'Hara?"]}'),
        (QUESTION, 1, "journal"),
    ),
    "a text said of another question": (
        entry(6, "questions", to=["q1"]),
        (TRAIN, 1, "journal"),
    ),
    "a text said for another purpose": (
        entry(6, "purpose", to="paraphrase"),
        (TRAIN, 1, "journal"),
    ),
    "a PASS turned to FAIL": (
        said(1, "FAIL"),
        (QUESTION, 1, "journal"),
    ),
    "an audit forgotten": (
        forgotten(1),
        (QUESTION, 1, "journal"),
    ),
    "the audit of a paraphrase forgotten": (
        forgotten(12),
        (QUESTION, 1, "journal"),
    ),
    "the round trip of a paraphrase forgotten": (
        forgotten(14),
        (QUESTION, 1, "journal"),
    ),
    "a round trip to another relation": (
        said(2, '{"relation": "parent", "direction": "subject"}'),
        (QUESTION, 1, "journal"),
    ),
    "a text that was cut off": (
        entry(0, "reply", "finish_reason", to="length"),
        (QUESTION, 1, "journal"),
    ),
    "an audit of another text": (
        asked(12, "request", "messages", 1, "content", to="Whose child is Eve O'Hara?"),
        (QUESTION, 1, "journal"),
    ),
    "an audit said to be of another question": (
        entry(8, "questions", to=["q0"]),
        (JOURNAL, None, "request"),
    ),
    "a call for a text that nobody needed": (one_more(4), (REJECTED, 2, "journal")),
    "a call for a text less": (forgotten(7), (REJECTED, 2, "journal")),
    "another reason for a failed call": (
        entry(9, "failure", "code", to="endpoint_error"),
        (REJECTED, 2, "journal"),
    ),
    "a failure that nobody had": (
        edited(REJECTED, 2, lambda row: row.update(reason="refusal", detail=f"{KEPT}, refusal")),
        (REJECTED, 2, "journal"),
    ),
    "a code left out": (
        edited(REJECTED, 2, put("detail", to="template used: audit_failed, refused_by_endpoint")),
        (REJECTED, 2, "journal"),
    ),
    "a key made up": (entry(0, "key", to="0" * 64), (JOURNAL, None, "key")),
    "a prompt edited": (
        entry(4, "request", "messages", 0, "content", to="Be witty."),
        (JOURNAL, None, "key"),
    ),
    "another sample": (entry(4, "sample", to=1), (JOURNAL, None, "key")),
    "another seed": (entry(4, "request", "seed", to=7), (JOURNAL, None, "key")),
    "a prompt that is not about its question": (
        asked(0, "request", "messages", 1, "content", to="Ask about Eve O'Hara."),
        (JOURNAL, None, "request"),
    ),
    "an entry about no question": (
        entry(5, "questions", to=["q2", "q7"]),
        (JOURNAL, None, "questions"),
    ),
    "an entry about a question that never came to the model": (
        entry(5, "questions", to=["q2", "q3"]),
        (JOURNAL, None, "questions"),
    ),
    "questions of an entry in disorder": (
        entry(10, "questions", to=["q2", "q1"]),
        (JOURNAL, None, "questions sorted"),
    ),
    "an entry of another model": (
        asked(4, "request", "model", to="judge"),
        (JOURNAL, None, "model"),
    ),
    "an audit by the writer": (
        asked(1, "request", "model", to="writer"),
        (JOURNAL, None, "model"),
    ),
    "an unknown purpose": (entry(4, "purpose", to="gossip"), (JOURNAL, None, "purpose")),
    "a request without messages": (
        asked(4, "request", "messages", to=[]),
        (JOURNAL, None, "record"),
    ),
    "an entry with reply and failure": (
        entry(4, "failure", to={"code": "refused", "detail": "", "lasting": True}),
        (JOURNAL, None, "record"),
    ),
    "an entry without either": (
        lambda folder: change_entries(folder, lambda rows: rows[4].pop("reply")),
        (JOURNAL, None, "record"),
    ),
    "a time stamp": (entry(4, "time", to="2026-01-01T00:00:00Z"), (JOURNAL, None, "record")),
    "entries in disorder": (
        journal_lines(lambda lines: [*lines[1:], lines[0]]),
        (JOURNAL, len(SAID), "sorted"),
    ),
    "an entry twice": (journal_lines(lambda lines: [lines[0], *lines]), (JOURNAL, 2, "sorted")),
    "a key in a reply": (
        said(5, "I used sk-proj-4fR7uYw2Lk9QzX1cVb3NmA8sDf6GhJ5 for this."),
        (JOURNAL, None, "secret"),
    ),
    "a key in the prompt": (
        replaced(PROMPT, "Be exact.", "sk-or-v1-0123456789abcdef0123456789abcdef"),
        (PROMPT, 3, "secret"),
    ),
    "a key in the card": (
        lambda folder: write_file(folder, "README.md", "#\n\nsk-abcdefghij1234567890\n"),
        ("README.md", 3, "secret"),
    ),
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_a_tampering_is_found_with_and_without_its_digest(tmp_path: Path, what: str) -> None:
    tamper, (file, line, invariant) = TAMPERINGS[what]
    found = tampered(write_model_release(tmp_path), tamper)
    if file == JOURNAL and line is None:  # the line depends on the keys
        found = {(file, None, invariant) for file, _, invariant in found}
    assert (file, line, invariant) in found
