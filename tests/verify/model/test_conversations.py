"""Journals that were made up or mended afterwards, by somebody who knows what they look like."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulemine.verify import verify
from tests.verify.model.tiny_model import (
    GLOSSES,
    JOURNAL,
    PROMPT,
    change_entries,
    model_files,
    model_manifest,
    other_call,
    write_model_release,
)
from tests.verify.tampering import Tampering, edited, invariants, put, replaced, tampered
from tests.verify.tiny import read_file, write_file, write_release

QUESTION, TRAIN = (f"questions/{name}.jsonl" for name in ("test", "train"))
REJECTED = "rejected.jsonl"

Rows = list[dict[str, Any]]


def entries(change: Callable[[Rows], object]) -> Tampering:
    """The entries changed, in the order of `tests.verify.tiny_model.SAID`."""
    return lambda folder: change_entries(folder, change)


def value(number: int, *keys: str, to: Any) -> Tampering:
    """Another value in an entry."""
    return entries(lambda rows: put(*keys, to=to)(rows[number]))


def one_more(number: int, **changes: Any) -> Tampering:
    """An entry like another one, under a key of its own."""

    def change(rows: list[dict[str, Any]]) -> None:
        made = other_call(rows[number]["purpose"], 1000)
        rows.append(rows[number] | {"key": made.key, "request": made.request} | changes)

    return entries(change)


# what is done; in which file the contents tell, at which line, and by which invariant
TAMPERINGS = {
    "a text that was cut off": (
        value(0, "reply", "finish_reason", to="length"),
        (QUESTION, 1, "journal"),
    ),
    "a text that was withheld": (
        value(3, "reply", "finish_reason", to="content_filter"),
        (QUESTION, 1, "journal"),
    ),
    "a call for a text that nobody needed": (one_more(4), (REJECTED, 2, "journal")),
    "another reason for a failed call": (
        value(11, "failure", "code", to="endpoint_error"),
        (REJECTED, 2, "journal"),
    ),
    "a failure that nobody had": (
        edited(
            REJECTED,
            2,
            lambda row: row.update(
                reason="refusal", detail="template used: audit_failed, refusal, refusal"
            ),
        ),
        (REJECTED, 2, "journal"),
    ),
    "a code left out": (
        edited(REJECTED, 2, put("detail", to="template used: audit_failed, refused_by_endpoint")),
        (REJECTED, 2, "journal"),
    ),
    "a gloss about nobody": (
        replaced(GLOSSES, "{subject} is the wife of {object}", "{subject} is a wife"),
        (GLOSSES, None, "gloss"),
    ),
    "a gloss with a lone brace": (
        replaced(GLOSSES, "the wifes of {topic}", "the wifes} of {topic}"),
        (GLOSSES, None, "gloss"),
    ),
    "a gloss of unknown source": (
        replaced(GLOSSES, 'source = "written"', 'source = "oracle"'),
        (GLOSSES, None, "gloss"),
    ),
    "a gloss that is not its template": (
        lambda folder: write_file(
            folder,
            GLOSSES,
            read_file(folder, GLOSSES)
            .replace("is the wife", "was the wife")
            .replace('"written"', '"template"'),
        ),
        (GLOSSES, None, "gloss"),
    ),
    "a prompt for nothing": (
        replaced(PROMPT, "[gloss]", "[poem]"),
        (PROMPT, None, "record"),
    ),
    "a naming unnamed": (
        replaced(PROMPT, 'numeric = "numbers"\n', ""),
        (PROMPT, None, "record"),
    ),
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_what_was_made_up_is_found_with_and_without_its_digest(tmp_path: Path, what: str) -> None:
    tamper, (file, line, invariant) = TAMPERINGS[what]
    found = tampered(write_model_release(tmp_path), tamper)
    if file == JOURNAL and line is None:  # the line depends on the keys
        found = {(file, None, invariant) for file, _, invariant in found}
    assert (file, line, invariant) in found


def test_nothing_about_the_endpoint_is_in_a_release(tmp_path: Path) -> None:
    manifest = model_manifest()
    manifest["config"] = manifest["config"] | {"endpoint": {"base_url": "http://10.0.0.7/v1"}}
    folder = write_release(tmp_path, files=model_files(), manifest=manifest)
    assert invariants(folder) == {("manifest.json", "options")}


def test_of_counts_that_differ_only_those_are_shown(tmp_path: Path) -> None:
    manifest = model_manifest()
    calls = manifest["counts"]["model_calls"]
    manifest["counts"] |= {"model_calls": calls | {"audit": calls["audit"] + 1}}
    (problem,) = verify(write_release(tmp_path, files=model_files(), manifest=manifest)).problems
    assert problem.found == f"model_calls = {{'audit': {calls['audit'] + 1}}}"
    assert problem.expected == f"{{'audit': {calls['audit']}}}"
