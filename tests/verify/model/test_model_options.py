"""Releases in the words of a language model against their manifest: options, counts, files."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.verify.model.tiny_model import (
    COUNTS,
    GLOSSES,
    JOURNAL,
    PROMPT,
    change_entries,
    jsonl,
    made_entry,
    model_entries,
    model_files,
    model_manifest,
    write_model_release,
)
from tests.verify.tampering import change_manifest, edited, invariants, put
from tests.verify.tiny import seal, tiny_files, write_release

QUESTION, TRAIN, FALLBACK = (f"questions/{name}.jsonl" for name in ("test", "train", "validation"))
REJECTED = "rejected.jsonl"
LOST = ("What is it?", "I cannot say.", None)
"""Replies about q3, where it is dropped."""


@pytest.mark.parametrize("key", sorted(COUNTS.keys() - {"audits", "round_trips"}))
def test_every_count_of_words_and_calls_is_checked(tmp_path: Path, key: str) -> None:
    manifest = model_manifest()
    value = manifest["counts"][key]
    other = dict.fromkeys(value, 0) if isinstance(value, dict) else value + 1
    manifest["counts"] = manifest["counts"] | {key: other}
    folder = write_release(tmp_path, files=model_files(), manifest=manifest)
    assert [p.found.split(" ")[0] for p in verify(folder).problems] == [key]


@pytest.mark.parametrize("name", [JOURNAL, PROMPT, GLOSSES])
def test_the_files_about_the_model_are_there_exactly_where_there_is_one(
    tmp_path: Path, name: str
) -> None:
    folder = write_model_release(tmp_path / "model")
    (folder / name).unlink()
    assert (name, "missing") in invariants(folder)
    seal(folder)
    assert ("manifest.json", "layout") in invariants(folder)
    folder = write_release(tmp_path / "template", files=tiny_files() | {name: ""})
    assert (name, "layout") in invariants(folder)


def test_words_of_a_model_need_a_model_in_the_options(tmp_path: Path) -> None:
    folder = write_model_release(tmp_path, options={"name": "template"})
    assert {(QUESTION, "wording"), (TRAIN, "wording"), (FALLBACK, "wording")} <= invariants(folder)
    assert {(REJECTED, "rejected text"), (JOURNAL, "layout")} <= invariants(folder)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"name": "abacus"}, ("manifest.json", "verbalizer")),
        ({"name": ["openai"]}, ("manifest.json", "verbalizer")),
        ({"model": ""}, ("manifest.json", "verbalizer")),
        ({"model": None}, ("manifest.json", "verbalizer")),
        ({"model": "poet"}, (JOURNAL, "model")),
        ({"judge_model": "writer"}, (JOURNAL, "model")),
        ({"judge_model": ""}, (JOURNAL, "purpose")),
        ({"round_trip": False}, (JOURNAL, "purpose")),
        ({"round_trip": "yes"}, ("manifest.json", "verbalizer")),
        ({"paraphrases": 1}, (QUESTION, "paraphrases")),
        ({"temperature": "hot"}, ("manifest.json", "verbalizer")),
        ({"max_tokens": 0}, ("manifest.json", "verbalizer")),
        ({"language": ""}, ("manifest.json", "verbalizer")),
        ({"attempts": 2}, (REJECTED, "journal")),
        ({"attempts": True}, ("manifest.json", "verbalizer")),
        ({"prompt": "my.toml"}, ("manifest.json", "verbalizer")),
        ({"glosses": ""}, ("manifest.json", "verbalizer")),
        ({"api_key": ""}, ("manifest.json", "verbalizer")),
        ({"paraphrases": 0}, (JOURNAL, "purpose")),
        ({"paraphrases": -1}, ("manifest.json", "verbalizer")),
        ({"on_failure": "drop"}, (REJECTED, "rejected text")),
        ({"on_failure": "panic"}, ("manifest.json", "verbalizer")),
        ({"naming": "private"}, (QUESTION, "journal")),
        ({"naming": ""}, ("manifest.json", "verbalizer")),
    ],
)
def test_the_options_are_those_by_which_the_words_were_made(
    tmp_path: Path, options: dict[str, Any], found: tuple[str, str]
) -> None:
    assert found in invariants(write_model_release(tmp_path, options=options))


@pytest.mark.parametrize("section", [None, 7, [], "openai"])
def test_options_of_any_shape_are_reported(tmp_path: Path, section: Any) -> None:
    manifest = model_manifest()
    manifest["config"] = manifest["config"] | {"verbalizer": section}
    folder = write_release(tmp_path, files=model_files(), manifest=manifest)
    assert ("manifest.json", "verbalizer") in invariants(folder)


def dropped_release(folder: Path) -> Path:
    """The release with q3 dropped for its texts, and no question with its template."""
    files = model_files()
    (row,) = map(json.loads, files[FALLBACK].splitlines())
    pattern = "To whom is {topic} married as the wife?"
    row |= {"wording": "model", "patterns": [pattern], "question": pattern.format(topic="ada")}
    files[FALLBACK] = json.dumps(row) + "\n"
    (lost, _) = map(json.loads, files[REJECTED].splitlines())
    codes = "topic_missing, refusal, refused_by_endpoint"
    lost |= {"stage": "verbalize", "reason": "refused_by_endpoint", "detail": f"dropped: {codes}"}
    files[REJECTED] = json.dumps(lost) + "\n"
    entries = [e for e in model_entries() if e["questions"] != ["q1"]]
    entries += [
        made_entry(purpose, "q1", 0, reply, pattern, 20 + i)
        for i, (purpose, reply) in enumerate(
            (
                ("question", "To whom is Ada, the elder married as the wife?"),
                ("audit", "PASS"),
                ("round_trip", "relation: husband, direction: subject"),
                ("paraphrase", "None."),
            )
        )
    ]
    entries += [made_entry("question", "q3", 0, reply, "", 30 + i) for i, reply in enumerate(LOST)]
    files[JOURNAL] = jsonl(sorted(entries, key=lambda entry: entry["key"]))
    manifest = model_manifest({"on_failure": "drop"})
    manifest["counts"] |= {
        "rejected": {"verbalize: refused_by_endpoint": 1},
        "questions_by_wording": {"template": 0, "model": 3, "fallback": 0},
        "model_calls": {"audit": 5, "paraphrase": 3, "question": 7, "round_trip": 5},
        "model_tokens": {
            f"{kind}": sum(entry.get("usage", {}).get(f"{kind}_tokens", 0) for entry in entries)
            for kind in ("prompt", "completion")
        },
    }
    return write_release(folder, files=files, manifest=manifest)


def test_questions_may_be_dropped_where_the_options_say_so(tmp_path: Path) -> None:
    folder = dropped_release(tmp_path)
    assert verify(folder).problems == ()
    edited(REJECTED, 1, put("question", to=""))(folder)
    assert (REJECTED, "rejected text") in invariants(folder)
    edited(REJECTED, 1, put("question", to="q1"))(folder)
    assert (REJECTED, "rejected text") in invariants(folder)


def test_questions_in_words_may_be_balanced_away_once_others_were_dropped(tmp_path: Path) -> None:
    folder = dropped_release(tmp_path)

    def balanced(row: dict[str, Any]) -> None:
        row |= {"stage": "balance", "reason": "too many", "detail": "at most 1 of 4 questions"}

    edited(REJECTED, 1, balanced)(folder)
    counts = json.loads((folder / "manifest.json").read_text())["counts"]
    change_manifest(folder, counts=counts | {"rejected": {"balance: too many": 1}})
    seal(folder)
    assert verify(folder).problems == ()
    config = json.loads((folder / "manifest.json").read_text())["config"]
    config["verbalizer"]["on_failure"] = "template"
    change_manifest(folder, config=config)
    assert (JOURNAL, "questions") in invariants(folder)


def test_what_the_model_wrote_of_the_key_is_never_repeated(tmp_path: Path) -> None:
    folder = write_model_release(tmp_path)
    secret = "sk-proj-4fR7uYw2Lk9QzX1cVb3NmA8sDf6GhJ5"
    change_entries(folder, lambda rows: rows[5]["reply"].update(text=f"I used {secret}."))
    change_manifest(folder, comment=secret)
    text = verify(folder).to_text(1000)
    assert "secret" in text
    assert "4fR7" not in text
    assert ("manifest.json", "secret") in invariants(folder)


def test_a_prompt_may_end_without_a_line_end_and_is_text(tmp_path: Path) -> None:
    folder = write_model_release(tmp_path)
    whole = (folder / PROMPT).read_bytes()
    (folder / PROMPT).write_bytes(whole.rstrip(b"\n"))
    seal(folder)
    assert verify(folder).problems == ()
    (folder / PROMPT).write_bytes(whole + b"# \xff\n")
    seal(folder)
    assert invariants(folder) == {(PROMPT, "encoding")}
    (folder / PROMPT).write_bytes(whole + b"[audit\n")
    seal(folder)
    assert invariants(folder) == {(PROMPT, "record")}


@pytest.mark.parametrize("naming", ["private", "entity", "text", "numeric"])
def test_a_release_that_the_builder_renames_is_as_valid(tmp_path: Path, naming: str) -> None:
    files = model_files()
    entries = list(map(json.loads, files[JOURNAL].splitlines()))
    left = [entry for entry in entries if entry["purpose"] != "round_trip"]
    files[JOURNAL] = jsonl(left)
    manifest = model_manifest({"round_trip": False})
    manifest["counts"] |= {
        "model_calls": {key: n for key, n in COUNTS["model_calls"].items() if key != "round_trip"},
        "model_tokens": {
            kind: sum(entry.get("usage", {}).get(f"{kind}_tokens", 0) for entry in left)
            for kind in ("prompt", "completion")
        },
        "round_trips": {"right": 0, "wrong": 0, "unreadable": 0},
    }
    manifest["config"] |= {"seed": 0}
    manifest["kg"] |= {"duplicates": 0}
    folder = write_release(tmp_path / "made", files=files, manifest=manifest)
    assert verify(folder).problems == ()
    rename(Release.open(folder), tmp_path / "renamed", naming)
    assert verify(tmp_path / "renamed").problems == ()
