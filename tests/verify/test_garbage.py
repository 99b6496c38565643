"""Damage at random: whatever happens to the files, the verifier reports it and never crashes."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import ReleaseError
from rulemine.seeds import Stream, stream
from rulemine.verify import verify
from tests.verify.tampering import verified
from tests.verify.tiny import read_file, seal, write_file, write_release

ROUNDS = 100


def files_of(folder: Path) -> list[str]:
    """The files of a release but the manifest."""
    return sorted(json.loads((folder / "manifest.json").read_text())["files"])


def test_damaged_bytes_are_reported(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    names = files_of(folder)
    draw = stream(1, "garbage", "bytes")
    for _ in range(ROUNDS):
        name = names[draw.below(len(names))]
        path = folder / name
        whole = path.read_bytes()
        at = draw.below(len(whole))
        damages = [
            whole[:at],
            whole[:at] + bytes([whole[at] ^ (1 << draw.below(8))]) + whole[at + 1 :],
            whole[:at] + b"\n\t\0\xff" + whole[at:],
            b"",
        ]
        path.write_bytes(damages[draw.below(len(damages))])
        report = verify(folder)
        # The header of a gzip file has bytes (its time) that say nothing about the content.
        assert not report.ok or (name.endswith(".gz") and gzip.decompress(path.read_bytes()))
        assert report.to_text()
        path.write_bytes(whole)
    assert verify(folder).ok


def report_on(folder: Path, name: str, damaged: str) -> None:
    """Verifies a release with another text in one file, the digests mended; then it is as before."""
    whole = read_file(folder, name)
    write_file(folder, name, damaged)
    seal(folder)
    assert verify(folder).to_text()
    write_file(folder, name, whole)


def test_values_of_any_shape_are_reported_even_where_the_digests_fit(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    names = [name for name in files_of(folder) if name.endswith(".jsonl")]
    draw = stream(1, "garbage", "values")
    for _ in range(ROUNDS):
        name = names[draw.below(len(names))]
        whole = read_file(folder, name)
        rows = [json.loads(line) for line in whole.splitlines()]
        place = draw.below(len(rows))
        rows[place] = mangled(rows[place], draw)
        report_on(folder, name, "".join(json.dumps(row) + "\n" for row in rows))
    seal(folder)
    assert verify(folder).ok


def test_texts_with_a_stretch_of_garbage_are_reported(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    names = [name for name in files_of(folder) if name.endswith((".jsonl", ".toml", ".tsv"))]
    draw = stream(2, "garbage", "texts")
    for _ in range(ROUNDS):
        name = names[draw.below(len(names))]
        whole = read_file(folder, name)
        at, piece = draw.below(len(whole)), PIECES[draw.below(len(PIECES))]
        report_on(folder, name, whole[:at] + piece + whole[at + draw.below(9) :])
    seal(folder)
    assert verify(folder).ok


def test_manifests_of_any_shape_are_reported(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    whole = (folder / "manifest.json").read_text()
    draw = stream(1, "garbage", "manifest")
    for _ in range(ROUNDS):
        (folder / "manifest.json").write_text(json.dumps(mangled(json.loads(whole), draw)))
        try:
            assert verify(folder).to_text()
        except ReleaseError as problem:
            assert "manifest.json" in str(problem)  # noqa: PT017 - nothing else may be raised


PIECES = ["{", "}", "{{", '"', "\\", "{topic}", "?", "\t", "```", "</think>", "[", "]", "=", "'", "\u2028",
          "template used: ", "dropped: ", "openai", "\x00", "7" * 5000, "[" * 2000]  # fmt: skip

STRANGE: list[Any] = [
    "{topic}", "{", "model", "fallback", "dropped: empty", "verbalize", ["{topic}"], {"code": "x"}, "PASS",
    '{"relation": 1e999, "direction": "subject"}', "{" * 5000, 5000 * "[",
    None, True, 0, -1, 2**70, 1e308, 0.5, "", " ", "a\tb", "\ud800", "?z", "ada", [], {}, [[]],
    ["ada", "wife", "ben"], {"entity": "ada"}, "q1", "x" * 2000,
]  # fmt: skip


def mangled(value: Any, draw: Stream) -> Any:
    """A copy of a value with one part of it, at any depth, made strange or left out."""
    if isinstance(value, dict) and value and draw.below(6):
        keys = sorted(value)
        key = keys[draw.below(len(keys))]
        if not draw.below(8):
            return {k: v for k, v in value.items() if k != key}
        return value | {key: mangled(value[key], draw)}
    if isinstance(value, list) and value and draw.below(6):
        place = draw.below(len(value))
        changed = [] if not draw.below(8) else [mangled(value[place], draw)]
        return [*value[:place], *changed, *value[place + 1 :]]
    return STRANGE[draw.below(len(STRANGE))]


@pytest.mark.parametrize("depth", [10, 100_000])
def test_deep_nesting_is_reported(tmp_path: Path, depth: int) -> None:
    folder = write_release(tmp_path)
    write_file(folder, "removed.jsonl", "[" * depth + "]" * depth + "\n")
    seal(folder)
    assert "graphs, whose records do not fit" in verify(folder).skipped[0]
    found = {(p.file, p.invariant) for p in verified(folder).problems}
    assert ("removed.jsonl", "record") in found
