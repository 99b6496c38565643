"""A release is opened by its manifest, and every part is checked when it is read."""

import gzip
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.codec import to_json
from rulemine.errors import ReleaseError, UserError
from rulemine.kg.entity_names import EntityNames
from rulemine.query.atom import Atom
from rulemine.release.reader import Release
from rulemine.release.records import FORMAT_VERSION, Certificate, Rejection, Removal
from rulemine.release.writer import dump_manifest
from rulemine.rules.formats import rule_to_json
from rulemine.rules.rule import Measures, Rule
from tests.release.test_records import DIFFICULTY, QUESTION, TRIPLE

RULE = Rule(Atom(0, "wife", 1), (Atom(1, "husband", 0),), Measures(1, 1, 1, 1, 0))
PROOF = Certificate(RULE.id, TRIPLE, (("bob", "husband", "ann"),))
REMOVAL = Removal(TRIPLE, 100, ("subject",), PROOF, None, DIFFICULTY, core=False)
REJECTION = Rejection("balance", "too many", "q00002", TRIPLE, "object", RULE.id, "")


def lines(*records: Any) -> str:
    return "".join(json.dumps(to_json(record), ensure_ascii=False) + "\n" for record in records)


def question(name: str, split: str) -> Any:
    return replace(QUESTION, id=name, split=split)


FILES = {
    "kg/complete.tsv.gz": "ann\twife\tbob\nbob\thusband\tann\n",
    "kg/incomplete.tsv.gz": "bob\thusband\tann\n",
    "removed.jsonl": lines(REMOVAL),
    "rules.jsonl": json.dumps(rule_to_json(RULE)) + "\n",
    "rejected.jsonl": lines(REJECTION),
    "entities.tsv": "private\tentity\ttext\ne0\tann\tAnn\ne1\tbob\tБоб\n",
    "relations.tsv": "relation\tstatement\nhusband\t{s} is the husband of {o}\nwife\t{s} …\n",
    "questions/train.jsonl": lines(question("q00003", "train")),
    "questions/validation.jsonl": lines(question("q00001", "validation")),
    "questions/test.jsonl": lines(question("q00002", "test")),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small release, its manifest included."""
    write(tmp_path, **{})
    return tmp_path


def write(folder: Path, /, **changes: Any) -> None:
    """Writes a release, with changes to its manifest; None takes a key away."""
    files = {}
    for name, text in FILES.items():
        content = text.encode()
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        files[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    manifest = {
        "format": "rulemine release", "format_version": FORMAT_VERSION, "name": "toy",
        "naming": "entity", "config": {}, "kg": {}, "counts": {}, "files": files,
    }  # fmt: skip
    manifest = {k: v for k, v in (manifest | changes).items() if v is not None}
    (folder / "manifest.json").write_text(dump_manifest(manifest))


def test_every_part_is_read(folder: Path) -> None:
    release = Release.open(folder)
    assert (release.name, release.naming, release.levels) == ("toy", "entity", (100,))
    assert release.kg("complete").labeled() == [("ann", "wife", "bob"), ("bob", "husband", "ann")]
    assert release.kg().labeled() == [("bob", "husband", "ann")]
    assert [q.id for q in release.questions()] == ["q00001", "q00002", "q00003"]
    assert [q.id for q in release.questions("test")] == ["q00002"]
    assert release.removals() == (REMOVAL,)
    assert release.rejections() == (REJECTION,)
    assert release.rules() == (RULE,)
    assert release.entities == (EntityNames("e0", "ann", "Ann"), EntityNames("e1", "bob", "Боб"))
    assert list(release.relations()) == ["husband", "wife"]
    assert release.relations()["husband"]["statement"] == "{s} is the husband of {o}"


def test_one_question_is_found_without_decoding_the_others(folder, monkeypatch):
    monkeypatch.setitem(FILES, "questions/test.jsonl", "no question\n")
    write(folder)
    found = Release.open(folder).question("q00003")
    assert found is not None
    assert found.id == "q00003"
    assert Release.open(folder).question("q0000") is None


def test_a_graph_without_a_file_lacks_what_is_removed_at_its_level_or_below(folder, monkeypatch):
    monkeypatch.setitem(FILES, "removed.jsonl", lines(replace(REMOVAL, level=40)))
    write(folder)
    release = Release.open(folder)
    for level in (0, 39, 40, 41, 100):
        name = "incomplete" if level >= 40 else "complete"
        assert release.kg(f"incomplete-{level}").labeled() == release.kg(name).labeled()


def test_a_release_that_lists_no_complete_graph_says_so(folder: Path) -> None:
    files = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    write(folder, files={name: row for name, row in files.items() if name != "kg/complete.tsv.gz"})
    release = Release.open(folder)
    for which in ("complete", "incomplete-50"):
        with pytest.raises(ReleaseError, match=r"has no file 'kg/complete\.tsv\.gz'"):
            release.kg(which)
        with pytest.raises(ReleaseError, match=r"has no file 'property_graph/complete\.json\.gz'"):
            release.property_graph(which)


MANIFESTS: list[tuple[dict[str, Any], str]] = [
    ({"format": "something"}, "format is 'something'; expected 'rulemine release'"),
    ({"format": None}, "format is None"),
    ({"format_version": None}, "format version is null"),
    ({"format_version": "1"}, 'format version is "1"; expected 5'),
    ({"format_version": True}, "format version is true"),
    ({"format_version": 4}, r"format version is 4; expected 5\. Build the release again\."),
    ({"format_version": 6}, "format version is 6; expected 5.*Upgrade"),
    ({"counts": None, "config": None}, "config is missing"),
    ({"files": None}, "files is missing"),
    ({"files": []}, r"files is \[\]"),
    ({"files": {"a": 5}}, "files is"),
    ({"levels": 5}, "levels is 5"),
    ({"levels": [0, 100]}, r"levels is \[0,100\]"),
    *(({"levels": levels}, "levels is") for levels in (["x"], [50], [50, 101], [100, 50], [100, 100])),
    ({"config": {"selection": None}}, "config is"),
    ({"config": {"questions": 5}}, "config is"),
    ({"naming": "x", "config": 3}, 'naming is "x"'),
]  # fmt: skip


def test_a_manifest_that_does_not_fit_is_refused(folder: Path) -> None:
    for changes, expected in MANIFESTS:
        write(folder, **changes)
        with pytest.raises(ReleaseError, match=expected) as caught:
            Release.open(folder)
        assert str(folder / "manifest.json") in str(caught.value)
    for content in (b"", b"{", b"[]", b"null", b"\xff\xfe{}", b'{"levels": null}'):
        (folder / "manifest.json").write_bytes(content)
        with pytest.raises(ReleaseError, match=r"manifest\.json"):
            Release.open(folder)


READERS: dict[str, Callable[[Release], object]] = {
    "kg/complete.tsv.gz": lambda release: release.kg("complete"),
    "kg/incomplete.tsv.gz": lambda release: release.kg(),
    "removed.jsonl": Release.removals, "rules.jsonl": Release.rules, "rejected.jsonl": Release.rejections,
    "entities.tsv": lambda release: release.entities,
    "relations.tsv": Release.relations, "questions/train.jsonl": Release.questions,
    "questions/test.jsonl": lambda release: release.questions("test"),
}  # fmt: skip


def test_a_missing_or_edited_file_is_named(folder: Path) -> None:
    for name, read in READERS.items():
        path = folder / name
        content = path.read_bytes()
        plain = gzip.decompress(content) if name.endswith(".gz") else content
        path.write_bytes(gzip.compress(plain * 2) if name.endswith(".gz") else plain * 2)
        with pytest.raises(ReleaseError, match="its digest is not the one in") as caught:
            read(Release.open(folder))
        assert str(path) in str(caught.value)
        path.unlink()
        with pytest.raises(ReleaseError, match="no such file") as caught:
            read(Release.open(folder))
        assert str(path) in str(caught.value)
        path.write_bytes(content[:-4] if name.endswith(".gz") else content[:-1])
        with pytest.raises(UserError, match=r"not a complete gz file|its digest is not"):
            read(Release.open(folder))
        path.write_bytes(content)
        read(Release.open(folder))


def test_another_compression_of_the_same_content_is_the_same_release(folder: Path) -> None:
    path = folder / "kg" / "complete.tsv.gz"
    path.write_bytes(gzip.compress(FILES["kg/complete.tsv.gz"].encode(), 1))
    assert len(Release.open(folder).kg("complete")) == 2


def test_an_unknown_part_is_refused_with_what_there_is(folder: Path) -> None:
    release = Release.open(folder)
    with pytest.raises(ReleaseError, match="no split 'dev'; there are train, validation, test"):
        release.questions("dev")
    with pytest.raises(ReleaseError, match="no graph 'half'; expected complete, incomplete or"):
        release.kg("half")


def test_a_malformed_line_is_named_even_if_the_digest_fits(folder, monkeypatch):
    for name, text, expected in (
        ("entities.tsv", "private\tentity\ttext\ne0\tann\n", "line 2 has 2 columns, not 3"),
        ("relations.tsv", "relation\tstatement\nwife\n", "line 2 has 1 columns, not 2"),
        ("questions/test.jsonl", '{"id": 5}\n', r"line 1: Expected `str`, got `int` - at `\$\.id`"),
        ("removed.jsonl", "{}\n", "line 1: Object missing required field `triple`"),
    ):
        monkeypatch.setitem(FILES, name, text)
        write(folder)
        with pytest.raises(UserError, match=expected) as caught:
            READERS[name](Release.open(folder))
        assert str(folder / name) in str(caught.value)


def test_a_benchmark_built_in_another_naming_is_the_same_one(folder: Path) -> None:
    release = Release.open(folder)

    def identity(naming: str, verbalizer: str) -> str:
        config = {"naming": naming, "verbalizer": {"name": verbalizer, "naming": naming}}
        return replace(release, manifest={**release.manifest, "config": config}).identity

    assert identity("text", "template") == identity("private", "template")
    assert identity("text", "openai") != identity("private", "openai")  # other prompts
