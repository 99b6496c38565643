"""Damage at random: whatever happens to the files, the verifier reports it and never crashes."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from rulemine.errors import ReleaseError
from rulemine.release.writer import write_release as write_parts
from rulemine.seeds import Stream, stream
from rulemine.verify import verify
from tests import each
from tests.verify.kinds import test_structures
from tests.verify.tampering import rows_of
from tests.verify.tiny import read_file, seal, write_file, write_release
from tests.written_releases import written_world

ROUNDS = 100

PIECES = ["{", "}", "{{", '"', "\\", "{topic}", "?", "\t", "```", "</think>", "[", "]", "=", "'", "\u2028",
          "template used: ", "dropped: ", "openai", "\x00", "7" * 5000, "[" * 2000]  # fmt: skip

STRANGE: list[Any] = [
    "{topic}", "{", "model", "fallback", "dropped: empty", "verbalize", ["{topic}"], {"code": "x"}, "PASS",
    '{"relation": 1e999, "direction": "subject"}', "{" * 5000, 5000 * "[",
    None, True, 0, -1, 2**70, 1e308, 0.5, "", " ", "a\tb", "\ud800", "?z", "ada", [], {}, [[]],
    ["ada", "wife", "ben"], {"entity": "ada"}, "q1", "x" * 2000,
]  # fmt: skip


def one_of(some: list[Any], draw: Stream) -> Any:
    return some[draw.below(len(some))]


def mangled(value: Any, draw: Stream) -> Any:
    """A copy of a value with one part of it, at any depth, made strange or left out."""
    if isinstance(value, dict) and value and draw.below(6):
        key = one_of(sorted(value), draw)
        if not draw.below(8):
            return {k: v for k, v in value.items() if k != key}
        return value | {key: mangled(value[key], draw)}
    if isinstance(value, list) and value and draw.below(6):
        place = draw.below(len(value))
        changed = [] if not draw.below(8) else [mangled(value[place], draw)]
        return [*value[:place], *changed, *value[place + 1 :]]
    return one_of(STRANGE, draw)


def files_of(folder: Path, *endings: str) -> list[str]:
    """The files of a release but the manifest."""
    names = json.loads((folder / "manifest.json").read_text())["files"]
    return sorted(name for name in names if name.endswith(endings or ("",)))


def report_on(folder: Path, name: str, damaged: str) -> None:
    """Verifies a release with another text in one file, the digests mended; then it is as before."""
    whole = read_file(folder, name)
    write_file(folder, name, damaged)
    seal(folder)
    assert verify(folder).to_text()
    write_file(folder, name, whole)


@each(
    ("write", "rounds"),
    [
        (write_release, ROUNDS), (test_structures.release, 60),
        (partial(write_parts, parts=written_world("subgraphs"), naming="entity"), 25),
        (partial(write_parts, parts=written_world("variants"), naming="entity"), 25),
    ],
)  # fmt: skip
def test_values_of_any_shape_are_reported_even_where_the_digests_fit(tmp_path, write, rounds):
    write(tmp_path)
    draw = stream(1, "garbage", "values")
    for _ in range(rounds):
        name = one_of(files_of(tmp_path, ".jsonl"), draw)
        if rows := rows_of(tmp_path, name):
            place = draw.below(len(rows))
            rows[place] = mangled(rows[place], draw)
            report_on(tmp_path, name, "".join(json.dumps(row) + "\n" for row in rows))


def test_bytes_of_any_sort_are_reported(tmp_path: Path) -> None:
    folder, draw = write_release(tmp_path), stream(1, "garbage", "bytes")
    for _ in range(ROUNDS):
        path = folder / one_of(
            [name for name in files_of(folder) if not name.endswith(".gz")], draw
        )
        whole = path.read_bytes()
        at = draw.below(len(whole))
        flipped = bytes([whole[at] ^ (1 << draw.below(8))])
        path.write_bytes(whole[:at] + one_of([b"", flipped, b"\n\t\0\xff"], draw) + whole[at + 1 :])
        assert not verify(folder).ok
        path.write_bytes(whole)


def test_texts_with_a_stretch_of_garbage_are_reported(tmp_path: Path) -> None:
    folder, draw = write_release(tmp_path), stream(2, "garbage", "texts")
    for _ in range(ROUNDS):
        name = one_of(files_of(folder, ".jsonl", ".toml", ".tsv"), draw)
        whole = read_file(folder, name)
        at = draw.below(len(whole))
        report_on(folder, name, whole[:at] + one_of(PIECES, draw) + whole[at + draw.below(9) :])


def test_manifests_of_any_shape_are_reported(tmp_path: Path) -> None:
    folder, draw = write_release(tmp_path), stream(1, "garbage", "manifest")
    whole = (folder / "manifest.json").read_text()
    for _ in range(ROUNDS):
        (folder / "manifest.json").write_text(json.dumps(mangled(json.loads(whole), draw)))
        try:
            assert verify(folder).to_text()
        except ReleaseError as problem:
            assert "manifest.json" in str(problem)  # noqa: PT017 - nothing else may be raised
